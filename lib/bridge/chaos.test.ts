/** Whatever happens to watches, lists, queue and bridges: in the end every object is settled, without any sweep. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as needsSync from '../controller/needs-sync.ts';
import { Bridge } from './bridge.ts';
import { Registry } from './registry.ts';
import { FakeApi } from './testing/fake-api.ts';
import { FakeQueue } from './testing/fake-queue.ts';
import { claim, rules, volume, workerOver } from './testing/objects.ts';

const SEEDS = Array.from({ length: 1000 }, (_, i) => i + 1000);

beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_000 }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % below;
  };
}

/** Keys of the objects that a sync would still write, by the truth of the API server. */
function unsettled(api: FakeApi): string[] {
  const registry = new Registry();
  registry.replace('PersistentVolume', api.all('PersistentVolume'));
  registry.replace('PersistentVolumeClaim', api.all('PersistentVolumeClaim'));
  const volumes = api.all('PersistentVolume').filter((each) => needsSync.needsVolumeSync(registry, each, rules));
  const claims = api.all('PersistentVolumeClaim').filter((each) => needsSync.needsClaimSync(registry, each, rules));
  return [...volumes, ...claims].map(({ metadata }) => metadata.name);
}

describe('a bridge', () => {
  it.each(SEEDS)('leaves nothing unsettled after a bad day, seed %i', async (seed) => {
    const random = randomOf(seed);
    const jitter = randomOf(-seed);
    vi.spyOn(Math, 'random').mockImplementation(() => jitter(1_000) / 1_000);
    const api = new FakeApi();
    const queue = new FakeQueue();
    api.latencyMs = 3;
    queue.latencyMs = 3;
    queue.worker = workerOver(api, { poolMaxAgeMs: random(2) * 1_000 });
    const settings = { resyncPeriodMs: 86_400_000, sweepPeriodMs: 0, maxInFlight: 20, stopTimeoutMs: 10 };
    let stop = new AbortController();
    let bridge: Bridge;
    const start = () => {
      stop = new AbortController();
      bridge = new Bridge({ source: api, sender: queue, predicates: needsSync, rules, settings });
      void bridge.run(stop.signal);
    };
    start();
    const happenings = [
      () => api.put('PersistentVolume', volume(`pv-${random(30)}`)),
      () => api.put('PersistentVolume', volume(`pv-${random(30)}`)),
      () => api.put('PersistentVolumeClaim', claim(`claim-${random(30)}`)),
      () => api.put('PersistentVolumeClaim', claim(`claim-${random(30)}`)),
      () => api.put('PersistentVolumeClaim', claim(`claim-${random(30)}`, { volumeName: `pv-${random(30)}` })),
      () => {
        const claimRef = { namespace: 'ns', name: `claim-${random(30)}` };
        api.put('PersistentVolume', volume(`pv-${random(30)}`, { claimRef }));
      },
      () => api.remove('PersistentVolume', { name: `pv-${random(30)}` }),
      () => api.remove('PersistentVolumeClaim', { namespace: 'ns', name: `claim-${random(30)}` }),
      () => api.remove('PersistentVolumeClaim', { namespace: 'ns', name: `claim-${random(30)}` }),
      () => api.cutWatches(),
      () => api.expire(),
      () => api.watchErrors.push(new Error('cut')),
      () => api.listErrors.push(new Error('500')),
      () => {
        queue.isDown = random(3) === 0;
      },
      () => {
        if (random(5) > 0) return;
        stop.abort();
        start();
      },
    ];
    for (let step = 0; step < 400; step++) {
      happenings[random(happenings.length)]?.();
      await vi.advanceTimersByTimeAsync(random(40));
      if (random(20) === 0) await vi.advanceTimersByTimeAsync(random(3_000));
    }
    queue.isDown = false;
    api.listErrors.length = 0;
    api.watchErrors.length = 0;
    await vi.advanceTimersByTimeAsync(120_000);
    const un = unsettled(api);
    if (un.length) {
      console.log(
        seed,
        un.join(' '),
        JSON.stringify(bridge!.health()),
        'errors left',
        api.watchErrors.length,
        api.listErrors.length,
        'idle',
        queue.isIdle,
      );
      for (const name of un.slice(0, 2)) {
        console.log(
          JSON.stringify(
            [...api.all('PersistentVolume'), ...api.all('PersistentVolumeClaim')].filter(
              (o) =>
                o.metadata.name === name ||
                (o as any).spec.claimRef?.name === name ||
                (o as any).spec.volumeName === name,
            ),
          ),
        );
        console.log(
          queue.messages
            .filter((m) => m.name === name)
            .map((m) => JSON.stringify(m))
            .slice(-4)
            .join('\n'),
        );
      }
    }
    expect(unsettled(api)).toEqual([]);
    stop.abort();
    await vi.advanceTimersByTimeAsync(1_000);
  });
});
