import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as needsSync from '../controller/needs-sync.ts';
import { keyOf, type SyncMessage } from '../queue/message.ts';
import { Bridge, type BridgeOptions } from './bridge.ts';
import type { BridgeHooks, WatchedKind } from './ports.ts';
import { FakeApi } from './testing/fake-api.ts';
import { FakeQueue } from './testing/fake-queue.ts';
import { boundPair, claim, rules, storageClass, volume, workerOver } from './testing/objects.ts';

/** Volumes and claims that come together: fewer where every mutant of the code meets them (test/mutation). */
const PAIRS = Number(process.env['BRIDGE_PAIRS'] ?? 100);

let api: FakeApi;
let queue: FakeQueue;
let running: { readonly stop: AbortController; readonly ended: Promise<void> }[];

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  api = new FakeApi();
  queue = new FakeQueue();
  running = [];
});

afterEach(async () => {
  for (const { stop } of running) stop.abort();
  await vi.advanceTimersByTimeAsync(20_000);
  await Promise.all(running.map(({ ended }) => ended));
  vi.useRealTimers();
});

function start(options: Partial<BridgeOptions> = {}): Bridge {
  const bridge = new Bridge({ source: api, sender: queue, predicates: needsSync, rules, ...options });
  const stop = new AbortController();
  running.push({ stop, ended: bridge.run(stop.signal) });
  return bridge;
}

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

/** Lets time pass until neither the bridge nor the workers have anything left to do. */
async function settle(bridge: Bridge, atMostMs = 10_000): Promise<void> {
  let asked = { isIdle: true };
  for (let waited = 0; waited < atMostMs; waited += 50) {
    await pass(50);
    // One that waits is enough: each looks every few milliseconds.
    if (asked.isIdle) asked = ask(bridge);
    await pass(20);
    if (asked.isIdle && queue.isIdle) return;
  }
  throw new Error(`still busy: ${JSON.stringify(bridge.health())}`);
}

/** Whether the bridge was idle at any time since. */
function ask(bridge: Bridge): { isIdle: boolean } {
  const asked = { isIdle: false };
  void bridge.idle().then(() => {
    asked.isIdle = true;
  });
  return asked;
}

function messagesFor(key: string, from = 0): SyncMessage[] {
  return queue.messages.slice(from).filter((message) => keyOf(message) === key);
}

describe('the start', () => {
  it('sends what needs a sync, and nothing of a settled cluster', async () => {
    boundPair(api, 'pv-settled', 'settled');
    api.put('PersistentVolume', volume('pv-new'));
    api.put('PersistentVolumeClaim', claim('waiting', {}, 'Pending'));
    api.put('PersistentVolumeClaim', claim('new'));
    await settle(start());
    expect(queue.keys().sort()).toEqual(['PersistentVolume/pv-new', 'PersistentVolumeClaim/ns/new']);
    expect(queue.messages.every(({ reason }) => reason === 'resync')).toBe(true);
  });

  it('looks at nothing before every list has come, for without claims all volumes look released', async () => {
    boundPair(api, 'pv-1', 'one');
    api.listHeld = 'PersistentVolumeClaim';
    const bridge = start();
    await pass(60_000);
    api.put('PersistentVolume', volume('pv-2'));
    await pass(1_000);
    expect(queue.messages).toEqual([]);
    expect(bridge.health()).toMatchObject({ ready: false });
    expect(bridge.health().resources.PersistentVolume?.resourceVersion).toBeUndefined();

    api.listHeld = undefined;
    api.bookmark();
    await settle(bridge);
    expect(queue.keys()).toEqual(['PersistentVolume/pv-2']);
    expect(bridge.health().ready).toBe(true);
  });

  it('goes on when the lists fail at first', async () => {
    const failed: string[] = [];
    api.listErrors.push(new Error('500'), new Error('ECONNRESET'), new Error('403'), new Error('again'));
    api.watchErrors.push(new Error('ECONNRESET'));
    api.put('PersistentVolume', volume('pv-1'));
    const bridge = start({ hooks: { failed: (what) => failed.push(what) } });
    await settle(bridge);
    expect(queue.keys()).toEqual(['PersistentVolume/pv-1']);
    expect(failed).toHaveLength(5);
  });

  it('sends again what a bridge before it had received and not delivered', async () => {
    queue.hold();
    const first = start();
    await pass(100);
    api.put('PersistentVolume', volume('pv-1'));
    api.put('PersistentVolumeClaim', claim('one'));
    await pass(1_000);
    expect(first.health()).toMatchObject({ unsent: 2 });
    running[0]?.stop.abort();
    await pass(11_000);
    queue.release();
    await pass(1_000);
    expect(queue.messages).toEqual([]);

    await settle(start());
    expect(queue.keys().sort()).toEqual(['PersistentVolume/pv-1', 'PersistentVolumeClaim/ns/one']);
  });
});

describe('an event', () => {
  it('makes one message with uid, version and reason, under an id that names the change', async () => {
    const bridge = start();
    await settle(bridge);
    const { uid, resourceVersion } = api.put('PersistentVolume', volume('pv-1')).metadata;
    await settle(bridge);
    expect(queue.messages).toEqual([
      { v: 1, kind: 'PersistentVolume', name: 'pv-1', uid, resourceVersion, reason: 'added' },
    ]);
    expect(bridge.health().resources.PersistentVolume).toMatchObject({ resourceVersion, unaccepted: 0 });
  });

  it('that changes nothing for a sync makes no message', async () => {
    boundPair(api, 'pv-1', 'one');
    const bridge = start();
    await settle(bridge);
    const pv = api.read('PersistentVolume', { name: 'pv-1' });
    if (pv !== undefined) api.put('PersistentVolume', { ...pv, metadata: { ...pv.metadata, labels: { a: 'b' } } });
    await settle(bridge);
    expect(queue.messages).toEqual([]);
  });

  it('on a claim that is deleted sends the volume that it names, which is all that its handler would do', async () => {
    boundPair(api, 'pv-1', 'one');
    const bridge = start();
    await settle(bridge);
    const { uid } = api.read('PersistentVolumeClaim', { namespace: 'ns', name: 'one' })?.metadata ?? {};
    api.remove('PersistentVolumeClaim', { namespace: 'ns', name: 'one' });
    await settle(bridge);
    expect(queue.messages).toMatchObject([{ kind: 'PersistentVolume', name: 'pv-1', reason: 'enqueued' }]);
    // Under the id of the handler's enqueue: of a bridge that sends the claim, and this one, a volume gets one message.
    const key = { kind: 'PersistentVolume', name: 'pv-1' } as const;
    const cause = { uid: uid ?? '', resourceVersion: 'deleted' };
    await queue.send([{ message: { v: 1, ...key, reason: 'enqueued' }, occasion: { form: 'enqueue', cause } }], {
      signal: new AbortController().signal,
    });
    expect(queue.messages).toHaveLength(1);
  });

  it('on a claim that is deleted sends the volume though its predicate finds nothing to write', async () => {
    boundPair(api, 'pv-1', 'one');
    api.put('PersistentVolumeClaim', claim('lost', { volumeName: 'pv-1' }, 'Pending'));
    const bridge = start();
    await settle(bridge);
    api.remove('PersistentVolumeClaim', { namespace: 'ns', name: 'lost' });
    await settle(bridge);
    expect(queue.messages).toMatchObject([{ name: 'pv-1', reason: 'enqueued' }]);
  });

  it('on a claim that is deleted, and whose volume is not held, sends the last state of the claim', async () => {
    api.put('PersistentVolumeClaim', claim('one', { volumeName: 'pv-1' }, 'Pending'));
    const bridge = start();
    await settle(bridge);
    const { uid } = api.read('PersistentVolumeClaim', { namespace: 'ns', name: 'one' })?.metadata ?? {};
    api.remove('PersistentVolumeClaim', { namespace: 'ns', name: 'one' });
    await settle(bridge);
    expect(queue.messages).toMatchObject([{ name: 'one', uid, reason: 'deleted', deleted: { volumeName: 'pv-1' } }]);
  });

  it('on a claim that is deleted while its volume is on its way sends the volume at once', async () => {
    boundPair(api, 'pv-1', 'one');
    await settle(start({ settings: { echoWindowMs: 60_000 } }));
    const { metadata, spec } = api.read('PersistentVolume', { name: 'pv-1' }) ?? volume('pv-1');
    api.put('PersistentVolume', { metadata, spec, status: { phase: 'Available' } });
    await pass(50);
    expect(messagesFor('PersistentVolume/pv-1')).toHaveLength(1);
    api.remove('PersistentVolumeClaim', { namespace: 'ns', name: 'one' });
    await pass(50);
    expect(messagesFor('PersistentVolume/pv-1')).toMatchObject([{ reason: 'modified' }, { reason: 'enqueued' }]);
  });

  it('on a volume that is deleted sends its last state, and the claim that has lost it', async () => {
    boundPair(api, 'pv-1', 'one');
    const bridge = start();
    await settle(bridge);
    api.remove('PersistentVolume', { name: 'pv-1' });
    await settle(bridge);
    expect(queue.messages).toMatchObject([
      { name: 'pv-1', reason: 'deleted', deleted: { claimRef: { namespace: 'ns', name: 'one' } } },
      { name: 'one', reason: 'enqueued' },
    ]);
  });

  it('on an object without a partner that is deleted makes no message', async () => {
    api.put('PersistentVolume', volume('pv-1', {}, 'Available'));
    const bridge = start();
    await settle(bridge);
    api.remove('PersistentVolume', { name: 'pv-1' });
    await settle(bridge);
    expect(queue.messages).toEqual([]);
  });

  it('on a volume that loses its claimRef looks at the claim it had', async () => {
    boundPair(api, 'pv-1', 'one');
    const bridge = start();
    await settle(bridge);
    api.put('PersistentVolume', volume('pv-1', {}, 'Bound'));
    await settle(bridge);
    expect(queue.keys()).toEqual(['PersistentVolume/pv-1', 'PersistentVolumeClaim/ns/one']);
  });

  it('on a class sends the claims that it lets be provisioned', async () => {
    api.put('PersistentVolumeClaim', claim('one', { storageClassName: 'fast' }, 'Pending'));
    api.put('PersistentVolumeClaim', claim('two', { storageClassName: 'slow' }, 'Pending'));
    const bridge = start();
    await settle(bridge);
    api.put('StorageClass', storageClass('fast'));
    await settle(bridge);
    expect(queue.keys()).toEqual(['PersistentVolumeClaim/ns/one']);
  });

  it('that makes a class the default sends the claims without a class', async () => {
    const classless = claim('one', {}, 'Pending');
    delete classless.spec.storageClassName;
    api.put('PersistentVolumeClaim', classless);
    api.put('PersistentVolumeClaim', claim('two', {}, 'Pending'));
    const bridge = start();
    await settle(bridge);
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    api.put('StorageClass', storageClass('gold', { metadata: { name: 'gold', annotations } }));
    await settle(bridge);
    expect(queue.keys()).toEqual(['PersistentVolumeClaim/ns/one']);
  });

  it('on a recycler pod sends its volume', async () => {
    const claimRef = { namespace: 'ns', name: 'gone', uid: 'u' };
    api.put('PersistentVolume', volume('pv-1', { claimRef }, 'Released'));
    const bridge = start({
      settings: { recyclerNamespace: 'recyclers' },
      volumeOfPod: (pod) => pod.metadata.name.replace('recycler-for-', ''),
    });
    await settle(bridge);
    for (const phase of ['Pending', 'Succeeded']) {
      api.put('Pod', { metadata: { name: 'recycler-for-pv-1', namespace: 'recyclers' }, status: { phase } });
      await settle(bridge);
    }
    expect(queue.keys()).toEqual(['PersistentVolume/pv-1', 'PersistentVolume/pv-1']);
  });
});

describe('the queue being away', () => {
  it('loses nothing, keeps the position, and sends each key once when it is back', async () => {
    const bridge = start({ settings: { resyncPeriodMs: 3_600_000 } });
    await settle(bridge);
    const before = bridge.health().resources.PersistentVolume?.resourceVersion;
    queue.isDown = true;
    for (let i = 0; i < 20; i++) {
      api.put('PersistentVolume', volume(`pv-${i}`));
      await pass(100);
      api.put('PersistentVolume', { ...volume(`pv-${i}`), metadata: { name: `pv-${i}`, labels: { i: `${i}` } } });
      await pass(1_000);
    }
    expect(bridge.health().resources.PersistentVolume).toMatchObject({ resourceVersion: before, unaccepted: 40 });
    expect(bridge.health().oldestUnsentMs).toBeGreaterThan(15_000);
    queue.isDown = false;
    await settle(bridge, 60_000);
    expect(new Set(queue.keys()).size).toBe(20);
    expect(queue.messages.length).toBeLessThanOrEqual(20);
    expect(bridge.health().resources.PersistentVolume).toMatchObject({ unaccepted: 0 });
  });

  it('while a watch is cut loses nothing: events since the position come again', async () => {
    const bridge = start();
    await settle(bridge);
    queue.isDown = true;
    api.put('PersistentVolume', volume('pv-1'));
    await pass(1_000);
    api.cutWatches();
    await pass(1_000);
    api.put('PersistentVolume', volume('pv-2'));
    await pass(1_000);
    queue.isDown = false;
    await settle(bridge, 60_000);
    expect(queue.keys().sort()).toEqual(['PersistentVolume/pv-1', 'PersistentVolume/pv-2']);
    const froms = api.watches.filter(({ kind }) => kind === 'PersistentVolume').map(({ from }) => from);
    expect(froms).toEqual(['100', '100']);
  });

  it('stops the reading of a watch at the bound, not the other resources', async () => {
    const seen: WatchedKind[] = [];
    const bridge = start({ settings: { maxInFlight: 10 }, hooks: { seen: (kind) => seen.push(kind) } });
    await settle(bridge);
    queue.isDown = true;
    for (let i = 0; i < 30; i++) api.put('PersistentVolume', volume(`pv-${i}`));
    api.put('PersistentVolumeClaim', claim('one'));
    await pass(1_000);
    expect(seen.filter((kind) => kind === 'PersistentVolume')).toHaveLength(10);
    expect(seen.filter((kind) => kind === 'PersistentVolumeClaim')).toHaveLength(1);
    queue.isDown = false;
    await settle(bridge, 60_000);
    expect(queue.messages).toHaveLength(31);
  });
});

describe('the watch', () => {
  it('that ends is resumed at once from the last bookmark', async () => {
    const bridge = start();
    await settle(bridge);
    api.bookmark();
    await pass(2_000);
    api.cutWatches();
    await pass(1);
    expect(api.watches.slice(-3).map(({ from }) => from)).toEqual(['101', '101', '101']);
    expect(api.lists).toHaveLength(3);
    await settle(bridge);
  });

  it('that is too old is followed by a list, which finds what changed and what vanished meanwhile', async () => {
    boundPair(api, 'pv-1', 'one');
    boundPair(api, 'pv-2', 'two');
    const listed: string[] = [];
    const hooks: BridgeHooks = { listed: (kind, count) => listed.push(`${kind} ${count}`) };
    const bridge = start({ hooks });
    await settle(bridge);
    api.watchErrors.push(...Array.from({ length: 3 }, () => new Error('cut')));
    api.cutWatches();
    api.remove('PersistentVolumeClaim', { namespace: 'ns', name: 'one' });
    api.put('PersistentVolume', volume('pv-3'));
    api.expire();
    await pass(3_000);
    await settle(bridge);
    expect(listed.slice(3).sort()).toEqual(['PersistentVolume 3', 'PersistentVolumeClaim 1', 'StorageClass 0']);
    expect(new Set(queue.keys())).toEqual(new Set(['PersistentVolume/pv-1', 'PersistentVolume/pv-3']));
    expect(messagesFor('PersistentVolume/pv-1').map(({ reason }) => reason)).toContain('enqueued');
  });

  it('that missed a deletion and a creation of one name tells of the old object too', async () => {
    api.put('PersistentVolumeClaim', claim('one', { volumeName: 'pv-1' }, 'Pending'));
    const bridge = start();
    await settle(bridge);
    const { uid } = api.read('PersistentVolumeClaim', { namespace: 'ns', name: 'one' })?.metadata ?? {};
    api.watchErrors.push(...Array.from({ length: 3 }, () => new Error('cut')));
    api.cutWatches();
    api.remove('PersistentVolumeClaim', { namespace: 'ns', name: 'one' });
    api.put('PersistentVolumeClaim', claim('one'));
    api.expire();
    await pass(3_000);
    await settle(bridge);
    expect(messagesFor('PersistentVolumeClaim/ns/one')).toMatchObject([
      { uid, reason: 'deleted', deleted: { volumeName: 'pv-1' } },
      { reason: 'resync' },
    ]);
  });

  it('that is not open keeps the bridge from being idle, but not once it is stopped', async () => {
    const bridge = start();
    await settle(bridge);
    api.watchErrors.push(new Error('cut'));
    api.cutWatches();
    await pass(1);
    const seen: string[] = [];
    void bridge.idle().then(() => seen.push('idle'));
    api.put('PersistentVolume', volume('pv-1'));
    await pass(20);
    const stopped = start();
    running.at(-1)?.stop.abort();
    void stopped.idle().then(() => seen.push('stopped'));
    await pass(20);
    expect(seen).toEqual(['stopped']);
    await pass(5_000);
    expect(seen).toEqual(['stopped', 'idle']);
    expect(queue.keys()).toEqual(['PersistentVolume/pv-1']);
  });

  it('that brings a new object of a name whose deletion was missed tells of the old object', async () => {
    api.put('PersistentVolumeClaim', claim('one', { volumeName: 'pv-1' }, 'Pending'));
    const bridge = start({
      source: {
        listWithVersion: (kind, options, map) => api.listWithVersion(kind, options, map),
        async *watch(kind, options) {
          for await (const event of api.watch(kind, options)) if (event.type !== 'DELETED') yield event;
        },
      },
    });
    await settle(bridge);
    const { uid } = api.read('PersistentVolumeClaim', { namespace: 'ns', name: 'one' })?.metadata ?? {};
    api.remove('PersistentVolumeClaim', { namespace: 'ns', name: 'one' });
    api.put('PersistentVolumeClaim', claim('one'));
    await settle(bridge);
    expect(messagesFor('PersistentVolumeClaim/ns/one')).toMatchObject([
      { uid, reason: 'deleted', deleted: { volumeName: 'pv-1' } },
      { reason: 'added' },
    ]);
  });

  it('never ends on errors', async () => {
    const bridge = start();
    await settle(bridge);
    api.watchErrors.push(...Array.from({ length: 60 }, () => new Error('cut')));
    api.cutWatches();
    await pass(15 * 60_000);
    expect(api.watchErrors).toEqual([]);
    api.put('PersistentVolume', volume('pv-1'));
    await settle(bridge, 60_000);
    expect(queue.keys()).toEqual(['PersistentVolume/pv-1']);
  });
});

describe('with workers that sync', () => {
  beforeEach(() => {
    queue.worker = workerOver(api);
    queue.latencyMs = 5;
    api.latencyMs = 5;
  });

  const countBound = () => api.all('PersistentVolumeClaim').filter(({ status }) => status?.phase === 'Bound').length;
  const isBound = (count: number) => {
    expect(api.all('PersistentVolumeClaim').filter(({ status }) => status?.phase === 'Bound')).toHaveLength(count);
    expect(api.all('PersistentVolume').filter(({ status }) => status?.phase === 'Bound')).toHaveLength(count);
  };

  it('a bind and its echo cost three messages when the claim was there first: claim, volume, wake', async () => {
    const bridge = start();
    await settle(bridge);
    api.put('PersistentVolumeClaim', claim('one'));
    await settle(bridge);
    const created = Date.now();
    api.put('PersistentVolume', volume('pv-1'));
    for (let i = 0; i < 200 && api.all('PersistentVolumeClaim')[0]?.status?.phase !== 'Bound'; i++) await pass(5);
    expect(Date.now() - created).toBeLessThan(200);
    await settle(bridge);
    isBound(1);
    expect(queue.keys()).toEqual([
      'PersistentVolumeClaim/ns/one',
      'PersistentVolume/pv-1',
      'PersistentVolumeClaim/ns/one',
    ]);
    expect(queue.messages[2]).toMatchObject({ reason: 'enqueued', hint: { volumeName: 'pv-1' } });
    expect(queue.accepted).toBe(3);
  });

  it('a bind and its echo cost two messages when the volume was there first', async () => {
    api.put('PersistentVolume', volume('pv-1'));
    const bridge = start();
    await settle(bridge);
    api.put('PersistentVolumeClaim', claim('one'));
    await settle(bridge);
    isBound(1);
    expect(queue.keys()).toEqual(['PersistentVolume/pv-1', 'PersistentVolumeClaim/ns/one']);
    expect(queue.accepted).toBe(2);
  });

  /** Watches of which that of the volumes is late, as any may be: the API server orders the events of one kind only. */
  function lateVolumes(lateMs: number): BridgeOptions['source'] {
    return {
      listWithVersion: (kind, options, map) => api.listWithVersion(kind, options, map),
      async *watch(kind, options) {
        for await (const event of api.watch(kind, options)) {
          if (kind === 'PersistentVolume') await new Promise((resolve) => setTimeout(resolve, lateMs));
          yield event;
        }
      },
    };
  }

  it('a bind costs no more when the events of the claim overtake those of the volume', async () => {
    api.put('PersistentVolume', volume('pv-1'));
    const bridge = start({ source: lateVolumes(12) });
    await settle(bridge);
    api.put('PersistentVolumeClaim', claim('one'));
    await settle(bridge);
    isBound(1);
    expect(queue.keys()).toEqual(['PersistentVolume/pv-1', 'PersistentVolumeClaim/ns/one']);
    expect(queue.accepted).toBe(2);
  });

  it('a bind costs no more when its writes together take longer than the echo window', async () => {
    api.put('PersistentVolume', volume('pv-1'));
    const bridge = start();
    await settle(bridge);
    api.latencyMs = 150;
    api.put('PersistentVolumeClaim', claim('one'));
    await settle(bridge);
    isBound(1);
    expect(queue.keys()).toEqual(['PersistentVolume/pv-1', 'PersistentVolumeClaim/ns/one']);
  });

  it('a bind that stopped halfway is finished though nothing comes after its echo', async () => {
    api.put('PersistentVolume', volume('pv-1'));
    const bridge = start({ settings: { resyncPeriodMs: 3_600_000 } });
    await settle(bridge);
    const worker = queue.worker;
    queue.worker = async () => {
      queue.worker = worker;
      // What a worker leaves that died before it wrote the volume's phase, and whose message is lost with it.
      boundPair(api, 'pv-1', 'one');
      const { metadata, spec } = api.read('PersistentVolume', { name: 'pv-1' }) ?? volume('pv-1');
      api.put('PersistentVolume', { metadata, spec, status: { phase: 'Available' } });
    };
    api.put('PersistentVolumeClaim', claim('one'));
    await pass(200);
    expect(messagesFor('PersistentVolume/pv-1')).toHaveLength(1);
    await settle(bridge);
    expect(messagesFor('PersistentVolume/pv-1')).toHaveLength(2);
    isBound(1);
  });

  it('a bind whose message waited long in the queue costs no more', async () => {
    api.put('PersistentVolume', volume('pv-1'));
    const bridge = start();
    await settle(bridge);
    const worker = queue.worker;
    queue.worker = async (message) => {
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      await worker?.(message);
    };
    api.put('PersistentVolumeClaim', claim('one'));
    await settle(bridge);
    isBound(1);
    expect(queue.accepted).toBe(2);
  });

  it('a full resync of a settled cluster writes nothing', async () => {
    for (let i = 0; i < 10; i++) {
      api.put('PersistentVolume', volume(`pv-${i}`));
      api.put('PersistentVolumeClaim', claim(`claim-${i}`));
    }
    const bridge = start();
    await settle(bridge);
    isBound(10);
    const { writes } = api;
    const before = queue.messages.length;
    const resync = bridge.resyncAll();
    await settle(bridge);
    await resync;
    expect(queue.messages.length - before).toBe(20);
    expect(api.writes).toBe(writes);
  });

  it('a claim that is deleted releases its volume', async () => {
    api.put('PersistentVolume', volume('pv-1'));
    api.put('PersistentVolumeClaim', claim('one'));
    const bridge = start();
    await settle(bridge);
    api.remove('PersistentVolumeClaim', { namespace: 'ns', name: 'one' });
    await settle(bridge);
    expect(api.all('PersistentVolume')[0]?.status?.phase).toBe('Released');
  });

  it.each(['claims first', 'volumes first', 'mixed 1', 'mixed 2', 'mixed 3'])(
    `${PAIRS} claims and as many volumes all find each other without a sweep, %s`,
    async (order) => {
      const bridge = start();
      await settle(bridge);
      for (const [index, put] of arrivals(order, PAIRS).entries()) {
        put();
        if (index % 10 === 9) await pass(7);
        if (!order.startsWith('mixed') && index === PAIRS - 1) await settle(bridge);
      }
      await settle(bridge, 12_000);
      isBound(PAIRS);
      expect(queue.messages.length).toBeLessThanOrEqual(3 * PAIRS);
    },
  );

  it.each(['claims first', 'mixed 4'])(
    'they do so though the workers know free volumes only late, %s',
    async (order) => {
      queue.worker = workerOver(api, { poolMaxAgeMs: 2_000 });
      const bridge = start({ settings: { resyncPeriodMs: 3_600_000 } });
      await settle(bridge);
      for (const put of arrivals(order, PAIRS)) {
        put();
        await pass(3);
      }
      for (let waited = 0; waited < 15 && countBound() < PAIRS; waited++) await pass(1_000);
      isBound(PAIRS);
      expect(queue.messages.length).toBeLessThanOrEqual(5 * PAIRS);
    },
  );

  /** Puts `count` volumes and claims; a mixed order is shuffled by its number. */
  function arrivals(order: string, count: number): (() => void)[] {
    const volumes = Array.from({ length: count }, (_, i) => () => void api.put('PersistentVolume', volume(`pv-${i}`)));
    const claims = Array.from(
      { length: count },
      (_, i) => () => void api.put('PersistentVolumeClaim', claim(`claim-${i}`)),
    );
    if (order === 'claims first') return [...claims, ...volumes];
    if (order === 'volumes first') return [...volumes, ...claims];
    let seed = Number(order.slice(-1));
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed;
    };
    return [...claims, ...volumes]
      .map((put) => ({ put, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ put }) => put);
  }

  it('two bridges send each change once', async () => {
    const one = start();
    const two = start();
    await settle(one);
    for (let i = 0; i < PAIRS / 2; i++) {
      api.put('PersistentVolume', volume(`pv-${i}`));
      api.put('PersistentVolumeClaim', claim(`claim-${i}`));
      await pass(3);
    }
    await settle(one);
    await settle(two);
    isBound(PAIRS / 2);
    expect(queue.messages.length).toBeLessThanOrEqual(1.5 * PAIRS);
  });
});

describe('a new object', () => {
  it('is sent once though no write will come of it, so that its user is told why it waits', async () => {
    const bridge = start();
    await settle(bridge);
    api.put('PersistentVolumeClaim', claim('waiting', {}, 'Pending'));
    await settle(bridge);
    expect(messagesFor('PersistentVolumeClaim/ns/waiting')).toMatchObject([{ reason: 'added' }]);
  });

  it('that is a claim and waits is sent again ever more seldom: why it waits may have changed', async () => {
    const bridge = start({ settings: { sweepPeriodMs: 0 } });
    await settle(bridge);
    api.put('PersistentVolumeClaim', claim('waiting', {}, 'Pending'));
    boundPair(api, 'pv-settled', 'settled');
    const until = async (minutes: number) => {
      for (let i = 0; i < minutes; i++) {
        api.bookmark();
        await pass(60_000);
      }
      return messagesFor('PersistentVolumeClaim/ns/waiting').length;
    };
    expect(await until(1)).toBeGreaterThanOrEqual(2);
    const inAnHour = await until(59);
    expect(inAnHour).toBeLessThanOrEqual(10);
    expect(await until(120)).toBeLessThanOrEqual(inAnHour + 3);
    expect(messagesFor('PersistentVolumeClaim/ns/settled').length).toBeLessThanOrEqual(1);
  });
});
