import { describe, expect, it } from 'vitest';
import { difference, parseApi, sumUp } from './api-requests.ts';
import { parseUse, readUse } from './process-use.ts';

const METRICS = [
  '# TYPE apiserver_request_total counter',
  'apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="persistentvolumes",scope="resource",subresource="status",verb="PUT",version="v1"} 4',
  'apiserver_request_total{code="409",component="apiserver",dry_run="",group="",resource="persistentvolumes",scope="resource",subresource="status",verb="PUT",version="v1"} 1',
  'apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="persistentvolumeclaims",scope="cluster",subresource="",verb="LIST",version="v1"} 2',
  'apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="configmaps",scope="cluster",subresource="",verb="LIST",version="v1"} 7',
  'apiserver_response_sizes_sum{component="apiserver",group="",resource="persistentvolumes",scope="cluster",subresource="",verb="LIST",version="v1"} 1.5e+03',
  'apiserver_watch_events_sizes_sum{group="",resource="persistentvolumeclaims",version="v1"} 250',
].join('\n');

describe('the API server’s metrics', () => {
  it('count requests by verb and resource, refused ones too, and leave out what is nobody’s', () => {
    expect(Object.fromEntries(parseApi(METRICS).requests)).toEqual({
      'PUT persistentvolumes/status': 5,
      'LIST persistentvolumeclaims': 2,
    });
  });

  it('count the bytes of answers and of watch events', () => {
    expect(parseApi(METRICS)).toMatchObject({ readBytes: 1_500, watchBytes: 250 });
  });

  it('less an earlier reading and the driver’s own leave the contender’s', () => {
    const before = new Map([['PUT persistentvolumes', 3]]);
    const after = new Map([
      ['PUT persistentvolumes', 8],
      ['POST persistentvolumes', 5],
    ]);
    const driver = new Map([['POST persistentvolumes', 5]]);
    expect(Object.fromEntries(difference(after, before, driver))).toEqual({ 'PUT persistentvolumes': 5 });
  });

  it('tell reads, writes and events apart; watches are none of them', () => {
    const requests = { 'GET persistentvolumes': 2, 'LIST pods': 1, 'PUT persistentvolumes/status': 4 };
    const others = { 'POST events': 5, 'WATCH persistentvolumes': 9 };
    expect(sumUp(new Map(Object.entries({ ...requests, ...others })))).toEqual({ reads: 3, writes: 4, events: 5 });
  });
});

describe('what a process has used', () => {
  it('is read past a name with brackets and spaces', () => {
    const stat = `7 (a (b) c) S 1 7 7 0 -1 4194560 ${'0 '.repeat(4)}150 25 0 0 20`;
    const status = 'Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n';
    expect(parseUse(stat, status)).toEqual({ cpuSeconds: 1.75, peakBytes: 2_097_152, residentBytes: 1_048_576 });
  });

  it('is what this process says of itself', async () => {
    const { user, system } = process.cpuUsage();
    const use = await readUse(process.pid);
    expect(Math.abs(use.cpuSeconds - (user + system) / 1e6)).toBeLessThan(1);
    expect(use.peakBytes).toBeGreaterThanOrEqual(use.residentBytes);
  });
});
