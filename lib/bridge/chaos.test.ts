/**
 * Whatever happens to watches, lists, the queue, and one bridge or two: in the end every object is settled, without any
 * sweep.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as needsSync from '../controller/needs-sync.ts';
import { Bridge } from './bridge.ts';
import { Registry } from './registry.ts';
import { FakeApi } from './testing/fake-api.ts';
import { FakeQueue } from './testing/fake-queue.ts';
import { claim, rules, volume, workerOver } from './testing/objects.ts';

const SEEDS = Array.from({ length: 30 }, (_, i) => i + 1);

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
    const stops = Array.from({ length: 1 + (seed % 2) }, () => new AbortController());
    const start = (which: number) => {
      const stop = new AbortController();
      stops[which] = stop;
      void new Bridge({ source: api, sender: queue, predicates: needsSync, rules, settings }).run(stop.signal);
    };
    for (const which of stops.keys()) start(which);
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
        const which = random(10);
        if (which >= stops.length) return;
        stops[which]?.abort();
        start(which);
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
    expect(unsettled(api)).toEqual([]);
    for (const stop of stops) stop.abort();
    await vi.advanceTimersByTimeAsync(1_000);
  });
});
