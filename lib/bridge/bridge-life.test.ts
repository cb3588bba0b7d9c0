/** What a bridge tells of itself while it works, and how it stops. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as needsSync from '../controller/needs-sync.ts';
import { Bridge, type BridgeOptions } from './bridge.ts';
import { systemClock } from './clock.ts';
import { FakeApi } from './testing/fake-api.ts';
import { FakeQueue } from './testing/fake-queue.ts';
import { boundPair, claim, rules, storageClass, volume } from './testing/objects.ts';

let api: FakeApi;
let queue: FakeQueue;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  api = new FakeApi();
  queue = new FakeQueue();
});
afterEach(() => void vi.useRealTimers());

/** Starts one and lets it see everything; `stop` returns how many milliseconds the stop took. `timersLeft` is of its end. */
async function started(options: Partial<BridgeOptions> = {}) {
  const bridge = new Bridge({ source: api, sender: queue, predicates: needsSync, rules, ...options });
  const controller = new AbortController();
  let endedAt: number | undefined;
  let timersLeft: number | undefined;
  const ended = bridge.run(controller.signal).then(() => {
    endedAt = Date.now();
    timersLeft = vi.getTimerCount();
  });
  await vi.advanceTimersByTimeAsync(100);
  const stop = async () => {
    const asked = Date.now();
    controller.abort();
    await vi.advanceTimersByTimeAsync(60_000);
    await ended;
    return (endedAt ?? Number.NaN) - asked;
  };
  return { bridge, stop, timersLeft: () => timersLeft };
}

describe('a bridge', () => {
  it('has nothing unsent, of no age, once everything is sent', async () => {
    api.put('PersistentVolume', volume('pv-1'));
    const { bridge, stop } = await started();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(bridge.health()).toMatchObject({ ready: true, unsent: 0, oldestUnsentMs: 0 });
    expect(bridge.health().resources.PersistentVolume).toMatchObject({ unaccepted: 0, oldestUnacceptedMs: 0 });
    await stop();
  });

  it('tells how long the oldest message has waited for the queue', async () => {
    const { bridge, stop } = await started();
    queue.isDown = true;
    api.put('PersistentVolume', volume('pv-1'));
    await vi.advanceTimersByTimeAsync(3_000);
    api.put('PersistentVolume', volume('pv-2'));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(bridge.health()).toMatchObject({ unsent: 2, oldestUnsentMs: 4_000 });
    expect(bridge.health().resources.PersistentVolume).toMatchObject({ unaccepted: 2, oldestUnacceptedMs: 4_000 });
    await stop();
  });

  it('shows what it holds', async () => {
    boundPair(api, 'pv-1', 'one');
    api.put('StorageClass', storageClass('fast'));
    const { bridge, stop } = await started();
    const { holdings } = bridge;
    expect(Array.from(holdings.volumes(), ({ metadata }) => metadata.name)).toEqual(['pv-1']);
    expect(Array.from(holdings.claims(), ({ metadata }) => metadata.name)).toEqual(['one']);
    expect(holdings.storageClass('fast')?.metadata.name).toBe('fast');
    expect(holdings.storageClass('slow')).toBeUndefined();
    await stop();
  });

  it('tells which volume a message is about', async () => {
    const sent: unknown[] = [];
    const hooks = { sent: (...told: unknown[]) => void sent.push([told[0], told[1], told[3]]) };
    const { stop } = await started({ hooks });
    const { uid } = api.put('PersistentVolume', volume('pv-1')).metadata;
    await vi.advanceTimersByTimeAsync(500);
    api.put('PersistentVolumeClaim', claim('one', { volumeName: 'pv-1' }));
    await vi.advanceTimersByTimeAsync(500);
    expect(sent).toContainEqual(['PersistentVolume', 'added', uid]);
    expect(sent).toContainEqual(['PersistentVolumeClaim', 'added', uid]);
    await stop();
  });

  it.each([[{}], [undefined]])(
    'takes an object whose version is no number, and tells of it where anybody listens',
    async (hooks) => {
      const failed: string[] = [];
      const { bridge, stop } = await started({
        ...(hooks !== undefined && { hooks: { failed: (what: string) => void failed.push(what) } }),
      });
      api.put('PersistentVolume', volume('pv-1'));
      await vi.advanceTimersByTimeAsync(500);
      vi.spyOn(api, 'watch').mockImplementationOnce(async function* () {
        const object = {
          ...volume('pv-1', { storageClassName: 'odd' }),
          metadata: { name: 'pv-1', resourceVersion: 'odd' },
        };
        yield { type: 'MODIFIED', object } as never;
      });
      api.cutWatches();
      await vi.advanceTimersByTimeAsync(500);
      expect([...bridge.holdings.volumes()][0]?.spec.storageClassName).toBe('odd');
      if (hooks !== undefined) expect(failed).toContain('version');
      await stop();
    },
  );
});

describe('a full resync on demand', () => {
  it('sends every key again, however soon it comes after another one', async () => {
    boundPair(api, 'pv-1', 'one');
    const { bridge, stop } = await started();
    for (let round = 1; round <= 2; round++) {
      const resync = bridge.resyncAll();
      await vi.advanceTimersByTimeAsync(100);
      await resync;
      expect(queue.keys()).toHaveLength(2 * round);
    }
    await stop();
  });
});

describe('the pods of the recycler', () => {
  it('are read in its namespace, and everything else in all of them', async () => {
    const lists = vi.spyOn(api, 'listWithVersion');
    const watches = vi.spyOn(api, 'watch');
    const { stop } = await started({ settings: { recyclerNamespace: 'kube-system' } });
    for (const { mock } of [lists, watches]) {
      expect(
        Object.fromEntries(mock.calls.map(([kind, options]) => [kind, (options as { namespace?: string }).namespace])),
      ).toEqual({
        PersistentVolume: undefined,
        PersistentVolumeClaim: undefined,
        StorageClass: undefined,
        Pod: 'kube-system',
      });
    }
    await stop();
  });
});

describe('being idle', () => {
  it('is not reached before every resource is listed and watched', async () => {
    api.listHeld = 'StorageClass';
    const { bridge, stop } = await started();
    let isIdle = false;
    void bridge.idle().then(() => {
      isIdle = true;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isIdle).toBe(false);
    api.listHeld = undefined;
    api.put('StorageClass', storageClass('fast'));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isIdle).toBe(true);
    await stop();
  });
});

describe('being idle again', () => {
  it('is not reached before everything was looked at', async () => {
    for (let index = 0; index < 1_001; index++) api.put('PersistentVolume', volume(`pv-${index}`, {}, 'Available'));
    // The pause that a look at many makes, as on a machine with other work.
    const clock = { ...systemClock, after: (ms: number, run: () => void) => systemClock.after(ms || 3_000, run) };
    const looked: unknown[] = [];
    const hooks = { filtered: (key: unknown) => void looked.push(key) };
    const { bridge, stop } = await started({ clock, hooks });
    let lookedAtIdle: number | undefined;
    void bridge.idle().then(() => {
      lookedAtIdle = looked.length;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect([looked.length, lookedAtIdle]).toEqual([1_000, undefined]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(lookedAtIdle).toBe(1_001);
    await stop();
  });

  it('is not reached while the watch of one resource is away', async () => {
    const { bridge, stop } = await started();
    // The others are opened again at once: they had lasted.
    await vi.advanceTimersByTimeAsync(2_000);
    api.watchErrors.push(new Error('cut'));
    api.cutWatches();
    await vi.advanceTimersByTimeAsync(1);
    let isIdle = false;
    void bridge.idle().then(() => {
      isIdle = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(isIdle).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(isIdle).toBe(true);
    await stop();
  });
});

describe('a stop', () => {
  it('sends what waited for the end of its echo window', async () => {
    const { stop } = await started({ settings: { echoWindowMs: 30_000 } });
    const put = (storageClassName: string) => api.put('PersistentVolume', volume('pv-1', { storageClassName }));
    put('a');
    await vi.advanceTimersByTimeAsync(100);
    const { resourceVersion } = put('b').metadata;
    await vi.advanceTimersByTimeAsync(100);
    expect(queue.messages).toHaveLength(1);
    expect(await stop()).toBeLessThan(100);
    expect(queue.messages[1]).toMatchObject({ name: 'pv-1', resourceVersion });
  });

  it('waits until the queue has taken what is left', async () => {
    const { stop } = await started();
    queue.latencyMs = 3_000;
    api.put('PersistentVolume', volume('pv-1'));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(queue.messages).toEqual([]);
    const took = await stop();
    expect(queue.keys()).toEqual(['PersistentVolume/pv-1']);
    expect(took).toBeGreaterThanOrEqual(2_000);
    expect(took).toBeLessThanOrEqual(2_010);
  });

  it('gives up a queue that stays away after its limit', async () => {
    const { bridge, stop } = await started({ settings: { stopTimeoutMs: 2_000 } });
    queue.isDown = true;
    api.put('PersistentVolume', volume('pv-1'));
    await vi.advanceTimersByTimeAsync(1_000);
    const took = await stop();
    expect(took).toBeGreaterThanOrEqual(2_000);
    expect(took).toBeLessThanOrEqual(2_010);
    expect(bridge.health().unsent).toBe(0);
  });

  it('is at once when nothing is left, and leaves no timer behind', async () => {
    api.put('PersistentVolumeClaim', claim('one'));
    const { stop, timersLeft } = await started();
    // On offer from now on: nobody binds it.
    api.put('PersistentVolume', volume('pv-1', {}, 'Available'));
    await vi.advanceTimersByTimeAsync(900);
    expect(queue.keys()).toContain('PersistentVolumeClaim/ns/one');
    expect(await stop()).toBe(0);
    expect(timersLeft()).toBe(0);
  });
});
