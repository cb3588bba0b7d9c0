/** Events that come at odd times, or of odd objects, through a whole bridge. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as needsSync from '../controller/needs-sync.ts';
import type { Kinds } from '../controller/types.ts';
import { keyOf } from '../queue/message.ts';
import { Bridge, type BridgeOptions } from './bridge.ts';
import type { WatchEvent, WatchedKind } from './ports.ts';
import { FakeApi } from './testing/fake-api.ts';
import { FakeQueue } from './testing/fake-queue.ts';
import { claim, rules, storageClass, volume } from './testing/objects.ts';

let api: FakeApi;
let queue: FakeQueue;
let stop: AbortController;
let filtered: string[];

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  api = new FakeApi();
  queue = new FakeQueue();
  stop = new AbortController();
  filtered = [];
});
afterEach(async () => {
  stop.abort();
  await vi.advanceTimersByTimeAsync(20_000);
  vi.useRealTimers();
});

async function start(options: Partial<BridgeOptions> = {}): Promise<void> {
  const hooks = { filtered: (key: Parameters<typeof keyOf>[0]) => void filtered.push(keyOf(key)) };
  const settings = { resyncPeriodMs: 3_600_000, ...options.settings };
  const bridge = new Bridge({ source: api, sender: queue, predicates: needsSync, rules, hooks, ...options, settings });
  void bridge.run(stop.signal);
  await vi.advanceTimersByTimeAsync(500);
  filtered = [];
}

/** The next watch of that kind gives this event, says how far it is, and ends. */
async function tell<K extends WatchedKind>(kind: K, event: WatchEvent<Kinds[K]>): Promise<void> {
  const watch = api.watch.bind(api);
  let isTold = false;
  vi.spyOn(api, 'watch').mockImplementation(async function* (watched, options) {
    if (watched === (kind as WatchedKind) && !isTold) {
      isTold = true;
      yield event as never;
      yield { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(api.version) } } };
    } else {
      yield* watch(watched, options);
    }
  });
  api.cutWatches();
  await vi.advanceTimersByTimeAsync(500);
}

describe('a class', () => {
  beforeEach(() => {
    api.put('PersistentVolumeClaim', claim('waiting', { storageClassName: 'fast' }, 'Pending'));
    api.put('PersistentVolumeClaim', claim('other', { storageClassName: 'slow' }, 'Pending'));
  });

  it('that goes has its waiting claims told, and no other', async () => {
    const fast = api.put('StorageClass', storageClass('fast'));
    await start();
    const before = queue.messages.length;
    api.remove('StorageClass', fast.metadata);
    await vi.advanceTimersByTimeAsync(500);
    expect(queue.keys(before)).toEqual(['PersistentVolumeClaim/ns/waiting']);
  });

  it('that comes and binds later has its waiting claims told, though nothing will be written for them', async () => {
    await start();
    const before = queue.messages.length;
    api.put('StorageClass', { ...storageClass('fast'), volumeBindingMode: 'WaitForFirstConsumer' });
    await vi.advanceTimersByTimeAsync(500);
    expect(queue.keys(before)).toEqual(['PersistentVolumeClaim/ns/waiting']);
  });

  it('has them told of its end too when only a list shows it', async () => {
    const fast = api.put('StorageClass', storageClass('fast'));
    await start();
    const before = queue.messages.length;
    vi.spyOn(api, 'watch').mockImplementationOnce(async function* () {
      yield* [];
      throw Object.assign(new Error('too old'), { code: 410 });
    });
    api.remove('StorageClass', fast.metadata);
    api.expire();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(new Set(queue.keys(before))).toEqual(new Set(['PersistentVolumeClaim/ns/waiting']));
  });
});

describe('the deletion of an object that was never held', () => {
  it('is told with its last state all the same', async () => {
    await start();
    const claimRef = { namespace: 'ns', name: 'one', uid: 'claim-uid' };
    const object = volume('pv-gone', { claimRef });
    object.metadata = { name: 'pv-gone', uid: 'gone', resourceVersion: '500' };
    await tell('PersistentVolume', { type: 'DELETED', object });
    expect(queue.messages).toMatchObject([
      { kind: 'PersistentVolume', name: 'pv-gone', uid: 'gone', reason: 'deleted', deleted: { claimRef } },
    ]);
  });
});

describe('an event that is older than what is held', () => {
  it('is passed over', async () => {
    const held = api.put('PersistentVolume', volume('pv-1', {}, 'Available'));
    await start();
    const sent = queue.messages.length;
    const object = { ...volume('pv-1'), metadata: { ...held.metadata, resourceVersion: '1' } };
    await tell('PersistentVolume', { type: 'MODIFIED', object });
    expect(queue.messages.length).toBe(sent);
    expect(filtered).toEqual([]);
  });
});

describe('a recycler pod', () => {
  const settings = { recyclerNamespace: 'kube-system' };
  const volumeOfPod = ({ metadata }: Kinds['Pod']) => /^recycler-for-(.*)$/.exec(metadata.name)?.[1];
  const pod = (name: string): Kinds['Pod'] => ({ metadata: { namespace: 'kube-system', name } });
  const recycled = () => volume('pv-1', { persistentVolumeReclaimPolicy: 'Recycle' }, 'Released');

  it('that works for no volume concerns nobody', async () => {
    api.put('PersistentVolume', volume('pv-1', {}, 'Available'));
    await start({ settings, volumeOfPod });
    api.put('Pod', pod('other'));
    await vi.advanceTimersByTimeAsync(500);
    expect([queue.keys(), filtered]).toEqual([[], []]);
  });

  it('that a list shows again has the volumes in recycling looked at, and no other', async () => {
    api.put('PersistentVolume', recycled());
    api.put('PersistentVolume', volume('pv-2', {}, 'Available'));
    await start({ settings, volumeOfPod });
    const from = queue.messages.length;
    api.put('Pod', pod('other'));
    api.expire();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(new Set([...queue.keys(from), ...filtered])).toContain('PersistentVolume/pv-1');
  });
});
