/** What the scheduled resync sends as metrics, besides its keys. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { claim, volume } from '../lib/controller/testing/objects.ts';
import { Collector } from '../lib/observability/collector.ts';
import type { HookOptions } from '../lib/observability/worker-hooks.ts';
import type { Runtime } from '../lib/worker/runtime.ts';
import { createObservability } from './environment.ts';
import { createResyncFunction, type ResyncFunction } from './resync.ts';

const VOLUMES = [
  volume('pv-1', { spec: { storageClassName: 'gp3' }, status: { phase: 'Bound' } }),
  volume('pv-2', { spec: { storageClassName: 'gp3' }, status: { phase: 'Released' } }),
];
const CLAIMS = [
  claim('one', { spec: { storageClassName: 'gp3' }, status: { phase: 'Bound' } }),
  claim('two', { spec: { storageClassName: 'late' }, status: { phase: 'Pending' } }),
];

let printed: Record<string, unknown>[];
let refusal: Error | undefined;
let isListedTwice: boolean;

beforeEach(() => {
  [printed, refusal, isListedTwice] = [[], undefined, false];
  const take = (text: string | Uint8Array) => printed.push(JSON.parse(String(text))) > 0;
  vi.spyOn(process.stdout, 'write').mockImplementation(take);
  vi.spyOn(process.stderr, 'write').mockImplementation(take);
});
afterEach(() => vi.restoreAllMocks());

function runtimeOf(): Runtime {
  const listWithVersion = async (kind: string, _: object, map: (object: unknown) => unknown) => {
    const all: object[] = kind === 'PersistentVolume' ? VOLUMES : CLAIMS;
    if (isListedTwice) all.slice(0, 1).map(map);
    return { items: all.map(map), resourceVersion: '1' };
  };
  const send = async () => {
    if (refusal !== undefined) throw refusal;
  };
  return { cluster: { withSignal: () => ({ listWithVersion }) }, producer: { send } } as unknown as Runtime;
}

async function call(handler: ResyncFunction): Promise<{ keys: number }> {
  const context = { functionName: 'resync', getRemainingTimeInMillis: () => 30_000 };
  return await handler({ id: 'epoch' } as Parameters<ResyncFunction>[0], context as Parameters<ResyncFunction>[1]);
}

async function resync(options: Pick<HookOptions, 'hasDetail'> = {}): Promise<{ keys: number }> {
  return await call(createResyncFunction(runtimeOf, createObservability({ logLevel: 'INFO', stage: 'test' }), options));
}

const gauges = () => printed.filter((line) => Object.keys(line).some((name) => name.startsWith('pv_collector_')));

describe('the gauges of a resync', () => {
  test('are those of a heartbeat, with the same dimensions: zeros too', async () => {
    expect(await resync()).toEqual({ keys: 4 });
    const collector = new Collector();
    for (const one of VOLUMES) collector.volume(one);
    for (const one of CLAIMS) collector.claim(one);
    expect(gauges()).toMatchObject([{ service: 'pv-controller', stage: 'test', ResyncKeys: 4, ...collector.totals() }]);
    const [{ _aws }] = gauges() as [{ _aws: { CloudWatchMetrics: { Dimensions: string[][] }[] } }];
    expect(_aws.CloudWatchMetrics.flatMap(({ Dimensions }) => Dimensions.map((set) => [...set].sort()))).toEqual([
      ['service', 'stage'],
    ]);
  });

  test('are split by their labels with detail', async () => {
    await resync({ hasDetail: true });
    expect(gauges()).toContainEqual(
      expect.objectContaining({
        stage: 'test',
        namespace: 'ns',
        storage_class: 'late',
        volume_attributes_class: 'none',
        pv_collector_unbound_pvc_count: 1,
      }),
    );
  });

  test('are left out when a list had to begin anew, which a line tells; the keys are sent', async () => {
    isListedTwice = true;
    expect(await resync()).toEqual({ keys: 4 });
    expect(gauges()).toEqual([]);
    expect(printed).toContainEqual(
      expect.objectContaining({ level: 'WARN', kinds: ['PersistentVolume', 'PersistentVolumeClaim'] }),
    );
    expect(printed).toContainEqual(expect.objectContaining({ ResyncKeys: 4 }));
  });

  test('are not sent by a resync whose keys the queue refused', async () => {
    refusal = new Error('the queue is gone');
    await expect(resync()).rejects.toThrow('the queue is gone');
    expect(gauges()).toEqual([]);
  });
});

describe('the function as it is deployed', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('is split by its labels where the variable says so', async () => {
    vi.resetModules();
    vi.stubEnv('PV_METRICS_DETAIL', 'on');
    vi.doMock('./environment.ts', async (original) => ({
      ...(await original<typeof import('./environment.ts')>()),
      runtimeFromEnvironment: () => runtimeOf(),
    }));
    const { handler } = await import('./resync.ts');
    await call(handler);
    vi.doUnmock('./environment.ts');
    expect(gauges().some((line) => line['namespace'] === 'ns')).toBe(true);
  });
});
