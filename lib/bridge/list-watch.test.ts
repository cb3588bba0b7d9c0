import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from './clock.ts';
import { ListWatch, type ListWatchHandler } from './list-watch.ts';
import type { BridgeHooks } from './ports.ts';
import { DEFAULT_SETTINGS } from './settings.ts';
import { FakeApi } from './testing/fake-api.ts';
import { volume } from './testing/objects.ts';

let api: FakeApi;
let stop: AbortController;
let ended: Promise<void>;

beforeEach(() => {
  vi.useFakeTimers();
  api = new FakeApi();
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  await vi.advanceTimersByTimeAsync(1_000);
  await ended;
  vi.useRealTimers();
});

function follow(handler: Partial<ListWatchHandler<'PersistentVolume'>>, hooks: BridgeHooks = {}) {
  const loop = new ListWatch({
    source: api,
    kind: 'PersistentVolume',
    handler: { slim: (object) => object, onList: async () => {}, onEvent: async () => {}, ...handler },
    settings: DEFAULT_SETTINGS,
    clock: systemClock,
    hooks,
  });
  ended = loop.run(stop.signal);
  return loop;
}

describe('ListWatch', () => {
  it('lists once, then follows what happens after the list', async () => {
    api.put('PersistentVolume', volume('pv-1'));
    const onList = vi.fn(async () => {});
    const onEvent = vi.fn(async () => {});
    const loop = follow({ onList, onEvent });
    await vi.advanceTimersByTimeAsync(10);
    const { resourceVersion } = api.put('PersistentVolume', volume('pv-2')).metadata;
    await vi.advanceTimersByTimeAsync(10);
    expect(onList).toHaveBeenCalledExactlyOnceWith([expect.objectContaining({ metadata: expect.anything() })], '101');
    expect(onEvent.mock.calls).toMatchObject([['ADDED', { metadata: { name: 'pv-2' } }]]);
    expect(loop).toMatchObject({ synced: true, resourceVersion, unaccepted: 0 });
  });

  it.each([true, false])('asks for the managers of objects only if somebody is told of changes: %s', async (isTold) => {
    const watch = vi.spyOn(api, 'watch');
    follow({}, isTold ? { changed: () => {} } : {});
    await vi.advanceTimersByTimeAsync(10);
    expect(watch.mock.calls.map(([, { withManagers }]) => withManagers)).toEqual([isTold]);
  });

  it('tells what it read, when, and how long the work of an event took', async () => {
    vi.setSystemTime(50_000);
    const told: unknown[] = [];
    const tell =
      (what: string) =>
      (...rest: unknown[]) =>
        void told.push([what, ...rest]);
    api.put('PersistentVolume', volume('pv-1'));
    const onEvent = () => new Promise<void>((resolve) => setTimeout(resolve, 40));
    const loop = follow({ onEvent }, { listed: tell('listed'), seen: tell('seen'), lag: tell('lag') });
    expect(loop).toMatchObject({ lastActivity: undefined, oldestUnacceptedSince: undefined });
    await vi.advanceTimersByTimeAsync(10);
    expect(loop.lastActivity).toBe(50_000);
    api.put('PersistentVolume', volume('pv-2'));
    await vi.advanceTimersByTimeAsync(30);
    expect(loop).toMatchObject({ lastActivity: 50_010, oldestUnacceptedSince: 50_010, unaccepted: 1 });
    await vi.advanceTimersByTimeAsync(60);
    api.bookmark();
    await vi.advanceTimersByTimeAsync(10);
    expect(loop).toMatchObject({ lastActivity: 50_100, oldestUnacceptedSince: undefined, unaccepted: 0 });
    expect(told).toEqual([
      ['listed', 'PersistentVolume', 1],
      ['seen', 'PersistentVolume', 'ADDED'],
      ['lag', 'PersistentVolume', 40],
      ['seen', 'PersistentVolume', 'BOOKMARK'],
    ]);
  });

  it('tells its errors', async () => {
    const failed = vi.fn();
    const error = new Error('500');
    api.listErrors.push(error);
    follow({}, { failed });
    await vi.advanceTimersByTimeAsync(10);
    expect(failed.mock.calls).toEqual([['PersistentVolume', error]]);
  });

  it('reads an event again whose work was given up', async () => {
    const error = new Error('given up');
    const onEvent = vi.fn(async () => {}).mockRejectedValueOnce(error);
    const failed = vi.fn();
    const loop = follow({ onEvent }, { failed });
    await vi.advanceTimersByTimeAsync(10);
    const { resourceVersion } = api.put('PersistentVolume', volume('pv-1')).metadata;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(onEvent).toHaveBeenCalledTimes(2);
    expect(api.lists).toHaveLength(1);
    expect(loop.resourceVersion).toBe(resourceVersion);
    expect(failed.mock.calls).toEqual([['PersistentVolume', error]]);
  });

  it('reads it ever more seldom where its work is given up again and again', async () => {
    const onEvent = vi.fn(() => Promise.reject(new Error('given up')));
    follow({ onEvent });
    await vi.advanceTimersByTimeAsync(10);
    api.put('PersistentVolume', volume('pv-1'));
    await vi.advanceTimersByTimeAsync(60_000);
    // Otherwise a hundred times and more, each after the shortest wait.
    expect(onEvent.mock.calls.length).toBeGreaterThan(2);
    expect(onEvent.mock.calls.length).toBeLessThan(15);
  });

  it('stays away as long as a throttling server asks for', async () => {
    api.listErrors.push(Object.assign(new Error('429'), { code: 429, retryAfterSeconds: 7 }));
    follow({});
    await vi.advanceTimersByTimeAsync(6_900);
    expect(api.lists).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(api.lists).toHaveLength(2);
  });

  it('lists at once after a 410, but not in a circle', async () => {
    follow({});
    await vi.advanceTimersByTimeAsync(2_000);
    const gone = () => Object.assign(new Error('too old'), { code: 410 });
    api.watchErrors.push(...Array.from({ length: 50 }, gone));
    api.cutWatches();
    await vi.advanceTimersByTimeAsync(1);
    expect(api.lists).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(api.lists.length).toBeGreaterThan(2);
    expect(api.lists.length).toBeLessThanOrEqual(6);
  });

  it('does not hammer a server that ends every watch at once', async () => {
    follow({});
    for (let i = 0; i < 1_000; i++) {
      await vi.advanceTimersByTimeAsync(10);
      api.cutWatches();
    }
    expect(api.watches.length).toBeLessThan(15);
  });

  it('forgets earlier errors after a good period', async () => {
    follow({});
    for (let i = 0; i < 5; i++) {
      api.watchErrors.push(new Error('cut'));
      api.cutWatches();
      await vi.advanceTimersByTimeAsync(60_000);
    }
    api.watchErrors.push(new Error('cut'));
    api.cutWatches();
    const before = api.watches.length;
    await vi.advanceTimersByTimeAsync(600);
    expect(api.watches.length).toBe(before + 2);
  });

  it('forgets earlier errors when events came', async () => {
    follow({});
    for (let i = 0; i < 8; i++) {
      await vi.advanceTimersByTimeAsync(600);
      api.put('PersistentVolume', volume(`pv-${i}`));
      await vi.advanceTimersByTimeAsync(1);
      api.watchErrors.push(new Error('cut'));
      api.cutWatches();
    }
    const before = api.watches.length;
    await vi.advanceTimersByTimeAsync(600);
    expect(api.watches.length).toBeGreaterThan(before);
  });

  it('forgets earlier errors after a good period, also when it ends with one', async () => {
    const began: number[] = [];
    vi.spyOn(api, 'watch').mockImplementation(async function* () {
      yield* [];
      began.push(Date.now());
      if (began.length === 5) await new Promise((resolve) => setTimeout(resolve, DEFAULT_SETTINGS.goodPeriodMs));
      throw new Error('cut');
    });
    follow({});
    await vi.advanceTimersByTimeAsync(2 * DEFAULT_SETTINGS.goodPeriodMs);
    const waits = began.slice(1).map((at, index) => at - (began[index] ?? 0));
    expect(waits[3]).toBeGreaterThan(2 * DEFAULT_SETTINGS.retryBaseMs);
    expect(waits[4]).toBeLessThanOrEqual(DEFAULT_SETTINGS.goodPeriodMs + DEFAULT_SETTINGS.retryBaseMs);
  });

  it('takes a server for well whose watches fail only after they gave something', async () => {
    const watch = vi.spyOn(api, 'watch').mockImplementation(async function* () {
      yield { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(++api.version) } } } as never;
      throw new Error('cut');
    });
    follow({});
    await vi.advanceTimersByTimeAsync(10_000);
    // With waits that double there would be half a dozen.
    expect(watch.mock.calls.length).toBeGreaterThan(15);
  });

  it('says whether its watch is open: not while it lists, is away, or after its end', async () => {
    api.listHeld = 'PersistentVolume';
    const loop = follow({});
    await vi.advanceTimersByTimeAsync(10);
    expect(loop.isOpen).toBe(false);
    api.listHeld = undefined;
    api.bookmark();
    await vi.advanceTimersByTimeAsync(10);
    expect(loop.isOpen).toBe(true);
    api.watchErrors.push(new Error('cut'));
    api.cutWatches();
    await vi.advanceTimersByTimeAsync(1);
    expect(loop.isOpen).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(loop.isOpen).toBe(true);
    stop.abort();
    await ended;
    expect(loop.isOpen).toBe(false);
  });

  it('ends when it is aborted, whatever it waits for', async () => {
    api.listHeld = 'PersistentVolume';
    const failed = vi.fn();
    const loop = follow({}, { failed });
    expect(loop.synced).toBe(false);
    await vi.advanceTimersByTimeAsync(10);
    stop.abort();
    await ended;
    expect(loop.synced).toBe(false);
    expect(failed).not.toHaveBeenCalled();
  });
});
