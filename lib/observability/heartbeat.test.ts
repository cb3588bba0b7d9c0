/** When a bridge beats, on a real bridge between a fake API server and a fake queue. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Bridge } from '../bridge/bridge.ts';
import { FakeApi } from '../bridge/testing/fake-api.ts';
import { FakeQueue } from '../bridge/testing/fake-queue.ts';
import { claim, rules, volume } from '../bridge/testing/objects.ts';
import { readConfig } from '../config.ts';
import * as needsSync from '../controller/needs-sync.ts';
import { startHeartbeat } from './heartbeat.ts';

const PERIOD_MS = 60_000;

let api: FakeApi;
let queue: FakeQueue;
let printed: Record<string, unknown>[];
let stop: () => Promise<void>;
/** The API server tells its watches that nothing changed. */
let bookmarks: NodeJS.Timeout;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  api = new FakeApi();
  queue = new FakeQueue();
  printed = [];
  bookmarks = setInterval(() => api.bookmark(), PERIOD_MS);
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(JSON.parse(String(text))) > 0);
});

afterEach(async () => {
  clearInterval(bookmarks);
  await stop();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function start(variables: Readonly<Record<string, string>> = {}): void {
  const config = readConfig({ PV_BRIDGE_HEARTBEAT_MS: String(PERIOD_MS), ...variables });
  const metrics = new Metrics({ namespace: 'N', serviceName: 'pv-controller', defaultDimensions: { stage: 'test' } });
  const logger = new Logger({ serviceName: 'pv-controller' });
  const warn = vi.spyOn(logger, 'warn').mockImplementation((...args: unknown[]) => {
    printed.push({ message: args[0], ...(args[1] as object) });
  });
  const bridge = new Bridge({ source: api, sender: queue, predicates: needsSync, rules });
  const abort = new AbortController();
  const running = bridge.run(abort.signal);
  const heartbeat = startHeartbeat(bridge, { logger, metrics }, config);
  stop = async () => {
    heartbeat.stop();
    abort.abort();
    await vi.advanceTimersByTimeAsync(20_000);
    await running;
    warn.mockRestore();
  };
}

/** Lets some periods pass. @returns how many beats came. */
async function beats(periods: number): Promise<number> {
  const before = printed.filter((line) => line['BridgeHeartbeat'] === 1).length;
  await vi.advanceTimersByTimeAsync(periods * PERIOD_MS);
  return printed.filter((line) => line['BridgeHeartbeat'] === 1).length - before;
}

const warnings = () => printed.filter(({ message }) => message === 'no heartbeat').map(({ why }) => why);

describe('a bridge that works', () => {
  test('beats each period, and sends zeros so that alarms recover', async () => {
    start();
    expect(await beats(5)).toBe(5);
    expect(printed[0]).toMatchObject({
      service: 'pv-controller',
      stage: 'test',
      BridgeHeartbeat: 1,
      VolumesStuckReleased: 0,
      VolumesStuckFailed: 0,
      VolumesStuckTerminating: 0,
      ClaimsStuckPending: 0,
      ClaimsLost: 0,
    });
    expect(warnings()).toEqual([]);
  });

  test('counts what is stuck, from what it holds: the phase’s time survives the slim copy', async () => {
    const since = (secondsAgo: number) => new Date(Date.now() - secondsAgo * 1_000).toISOString();
    const released = (name: string, secondsAgo: number) => {
      const status = { phase: 'Released', lastPhaseTransitionTime: since(secondsAgo) };
      const metadata = { name, creationTimestamp: since(9_999) };
      api.put('PersistentVolume', { ...volume(name, { persistentVolumeReclaimPolicy: 'Delete' }), metadata, status });
    };
    released('old', 100);
    released('young', 0);
    api.put('PersistentVolumeClaim', { ...claim('lost', { volumeName: 'gone' }, 'Lost') });
    start({ PV_STUCK_AFTER_SECONDS: '120' });
    await beats(1);
    expect(printed.at(-1)).toMatchObject({ VolumesStuckReleased: 1, ClaimsLost: 1 });
    await beats(2);
    expect(printed.at(-1)).toMatchObject({ VolumesStuckReleased: 2, ClaimsLost: 1 });
  });
});

describe('a bridge that does not work is silent, and says why', () => {
  test('before everything is listed', async () => {
    api.listHeld = 'PersistentVolumeClaim';
    start();
    expect(await beats(2)).toBe(0);
    expect(warnings()).toEqual(['not everything is listed yet', 'not everything is listed yet']);
  });

  test('once it has not heard of the API server for three minutes, until it does again', async () => {
    start();
    await beats(2);
    clearInterval(bookmarks);
    api.watchErrors.push(...Array.from({ length: 1_000 }, () => new Error('ECONNREFUSED')));
    api.cutWatches();
    await beats(3);
    expect(await beats(3)).toBe(0);
    expect(warnings().at(-1)).toMatch(/^PersistentVolume: nothing from the API server for \d+ s$/);

    api.watchErrors.length = 0;
    bookmarks = setInterval(() => api.bookmark(), PERIOD_MS);
    await beats(2);
    expect(await beats(3)).toBe(3);
  });

  test('while the queue refuses its messages', async () => {
    start();
    await beats(1);
    queue.isDown = true;
    api.put('PersistentVolume', volume('pv-1'));
    await beats(2);
    expect(await beats(3)).toBe(0);
    expect(warnings().at(-1)).toMatch(/^a message waits for \d+ s$/);

    queue.isDown = false;
    await beats(1);
    expect(await beats(2)).toBe(2);
  });
});

describe('the built-in controller’s gauges', () => {
  test('are sent with each beat, without labels: zeros too', async () => {
    api.put('PersistentVolumeClaim', claim('one', { storageClassName: 'fast' }, 'Bound'));
    api.put('PersistentVolumeClaim', claim('two', { storageClassName: 'slow' }, 'Bound'));
    start();
    expect(await beats(1)).toBe(1);
    expect(printed.filter((line) => 'pv_collector_bound_pvc_count' in line)).toMatchObject([
      { pv_collector_bound_pvc_count: 2, pv_collector_unbound_pvc_count: 0, pv_collector_total_pv_count: 0 },
    ]);
  });
});

describe('detail', () => {
  const split = () => printed.filter((line) => 'namespace' in line);

  test('is off by default', async () => {
    api.put('PersistentVolumeClaim', claim('one', { storageClassName: 'fast' }, 'Bound'));
    start();
    await beats(1);
    expect(split()).toEqual([]);
  });

  test('is one blob per combination of labels, with these and the dimensions of all metrics', async () => {
    api.put('PersistentVolumeClaim', claim('one', { storageClassName: 'fast' }, 'Bound'));
    api.put('PersistentVolumeClaim', claim('two', { storageClassName: 'fast' }, 'Pending'));
    start({ PV_METRICS_DETAIL: 'on' });
    expect(await beats(1)).toBe(1);
    const labels = { namespace: 'ns', storage_class: 'fast', volume_attributes_class: 'none' };
    const all = { service: 'pv-controller', stage: 'test', ...labels };
    expect(split()).toMatchObject([
      { ...all, pv_collector_bound_pvc_count: 1 },
      { ...all, pv_collector_unbound_pvc_count: 1 },
    ]);
    const [{ _aws }] = split() as [{ _aws: unknown }];
    const [Dimensions] = [[expect.arrayContaining(Object.keys(all))]];
    expect(_aws).toMatchObject({ CloudWatchMetrics: [{ Dimensions }] });
  });

  test('is cut at 1,000 combinations, which a line tells', async () => {
    for (let i = 0; i < 1_001; i++) {
      api.put('PersistentVolumeClaim', claim(`claim-${i}`, { storageClassName: `c${i}` }, 'Bound'));
    }
    start({ PV_METRICS_DETAIL: 'on' });
    await beats(1);
    expect(split()).toHaveLength(1_000);
    expect(printed).toContainEqual({
      message: 'only the largest counts are sent in detail',
      counts: 1_001,
      sent: 1_000,
    });
  });
});
