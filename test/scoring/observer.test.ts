/** An observation from its first event to its score, beside a built-in controller that takes its time. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { AuditRecord } from '../../lib/audit/record.ts';
import { InMemoryCluster } from '../../lib/cluster/in-memory.ts';
import type { Cluster, Note } from '../../lib/controller/ports.ts';
import { reconcile } from '../../lib/controller/reconcile.ts';
import { claim, refTo, volume } from '../../lib/controller/testing/objects.ts';
import type { SyncKey } from '../../lib/controller/types.ts';
import type { Held } from '../../lib/scoring/change.ts';
import { decide } from '../../lib/scoring/decide.ts';
import { type ObservedEvent, Observer, type ObserverOptions } from '../../lib/scoring/observer.ts';
import type { Scoreboard } from '../../lib/scoring/scoreboard.ts';
import { contextOver, keysOf } from '../property/sync-context.ts';

const T = Date.parse('2026-05-01T10:00:00Z');

let cluster: InMemoryCluster;
let now: number;
let records: AuditRecord[];
let failures: string[];
beforeEach(() => {
  cluster = new InMemoryCluster();
  now = T;
  records = [];
  failures = [];
});

/** As an API server would have it down: each write is the manager's, in this second. */
function writtenBy(manager: string, object: Held): Held {
  const time = new Date(now).toISOString().replace(/\.\d+/, '');
  const fields = { 'f:status': { 'f:phase': {} }, 'f:spec': { 'f:claimRef': { 'f:uid': {} }, 'f:volumeName': {} } };
  const managedFields = [{ manager, operation: 'Update', apiVersion: 'v1', time, fieldsV1: fields }];
  return { ...object, metadata: { ...object.metadata, managedFields } } as Held;
}

type Emit = (event: ObservedEvent) => Promise<void>;

/** Runs an observation while `script` goes on; each event is followed by the verdicts that it asks for. */
async function observe(
  script: (emit: Emit) => Promise<void>,
  more: Partial<ObserverOptions> = {},
): Promise<Scoreboard> {
  const waiting: { event: ObservedEvent; taken: () => void }[] = [];
  let wake = () => {};
  let isOver = false;
  async function* events(): AsyncGenerator<ObservedEvent> {
    while (!isOver || waiting.length > 0) {
      const next = waiting.shift();
      if (next === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else {
        yield next.event;
        next.taken();
      }
    }
  }
  const contextFor = (behind: Cluster, note: Note) => ({ ...contextOver(cluster), cluster: behind, note });
  const observer = new Observer({
    events: events(),
    decide: (key) => decide(key, cluster, contextFor),
    onRecord: (record) => records.push(record),
    onFailed: (key, error) => failures.push(`${key.name}: ${error}`),
    now: () => now,
    limits: { expiryMs: 30_000 },
    ...more,
  });
  const emit: Emit = async (event) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push({ event, taken: resolve });
    wake();
    await promise;
    await observer.idle();
  };
  const running = observer.run();
  await script(emit);
  isOver = true;
  wake();
  return await running;
}

/** A user makes an object, and the watch tells. */
async function create(emit: Emit, object: Held): Promise<void> {
  const kind = object.kind as SyncKey['kind'];
  cluster.put(kind, object);
  await emit({ kind, type: 'ADDED', object: writtenBy('kubectl-create', object) });
}

/** The built-in controller looks at everything, 100 ms a write. */
async function resync(emit: Emit): Promise<void> {
  for (const key of keysOf(cluster)) {
    const done = cluster.writes.length;
    await reconcile(contextOver(cluster), { key, deleted: [] });
    for (const { kind, object } of cluster.writes.slice(done)) {
      now += 100;
      const written = writtenBy('kube-controller-manager', object as Held);
      await emit({ kind: kind as SyncKey['kind'], type: 'MODIFIED', object: written });
    }
  }
}

test('a built-in controller that decides as we do, only later, agrees entirely; its lag is told', async () => {
  const board = await observe(async (emit) => {
    await create(emit, claim('data'));
    await create(emit, volume('pv-a', { status: { phase: 'Available' } }));
    now += 14_000;
    await resync(emit);
  });
  expect(board).toMatchObject({ counted: 1, agreed: 1, rate: 1, pending: 0, disagreements: [], unforeseen: 0 });
  expect(board.lags.map(({ transition, p50 }) => `${transition}: ${p50}`)).toEqual([
    'PersistentVolume binding none -> bound: 14100',
    'PersistentVolume phase Available -> Bound: 14200',
    'PersistentVolumeClaim binding none -> bound: 14300',
    'PersistentVolumeClaim phase Pending -> Bound: 14400',
  ]);
  expect(failures).toEqual([]);
});

test('everything that was seen is in the audit trail, with who did it and on which volume', async () => {
  await observe(async (emit) => {
    await create(emit, claim('data'));
    await create(emit, volume('pv-a'));
    await resync(emit);
  });
  const uid = 'uid-of-pv-a';
  expect(records.map(({ name, from, to, who, volumeUid }) => ({ name, from, to, who, volumeUid }))).toEqual([
    { name: 'pv-a', from: 'none', to: 'ns/data', who: 'built-in', volumeUid: uid },
    { name: 'pv-a', from: 'Available', to: 'Bound', who: 'built-in', volumeUid: uid },
    { name: 'ns/data', from: 'none', to: 'pv-a', who: 'built-in', volumeUid: uid },
    { name: 'ns/data', from: 'Pending', to: 'Bound', who: 'built-in', volumeUid: uid },
  ]);
});

test('a built-in controller that does something else is found, with our reason', async () => {
  const orphan = volume('pv-a', { spec: { claimRef: refTo(claim('gone')) }, status: { phase: 'Bound' } });
  const board = await observe(async (emit) => {
    await create(emit, orphan);
    now += 1_000;
    const failed = { ...orphan, metadata: { ...orphan.metadata, resourceVersion: '2' }, status: { phase: 'Failed' } };
    await emit({ kind: 'PersistentVolume', type: 'MODIFIED', object: writtenBy('kube-controller-manager', failed) });
  });
  expect(board).toMatchObject({ counted: 1, agreed: 0 });
  const [{ how, notes, happened } = {}] = board.disagreements as [Partial<Scoreboard['disagreements'][number]>];
  expect({ how, manager: happened?.manager }).toEqual({ how: 'otherwise', manager: 'kube-controller-manager' });
  expect(notes?.join('\n')).toContain('Bound -> Released');
});

test('one that does nothing is found when its time is over', async () => {
  const board = await observe(async (emit) => {
    await create(emit, claim('data'));
    await create(emit, volume('pv-a'));
    now += 30_001;
  });
  expect(board).toMatchObject({ counted: 1, agreed: 0, disagreements: [{ how: 'nothing' }] });
});

test('one that is faster than the verdict is not scored, and counted as such', async () => {
  const board = await observe(
    async (emit) => {
      await create(emit, volume('pv-a', { status: { phase: 'Pending' } }));
      await resync(emit);
    },
    { decide: async () => ({ writes: [], notes: [] }) },
  );
  expect(board).toMatchObject({ verdicts: 0, counted: 0, rate: undefined, unforeseen: 1 });
});

describe('nothing ends an observation but its events', () => {
  test('a sync that fails is told, and the others go on', async () => {
    const board = await observe(
      async (emit) => {
        await create(emit, volume('bad'));
        await create(emit, volume('good'));
      },
      {
        decide: async ({ name }) => {
          if (name === 'bad') throw new Error('the API server is away');
          const object = { ...volume(name), status: { phase: 'Failed' } };
          return { writes: [{ verb: 'updateStatus', kind: 'PersistentVolume', object }], notes: [] };
        },
      },
    );
    expect(failures).toEqual(['bad: Error: the API server is away']);
    expect(board.verdicts).toBe(1);
  });

  test('a list after a watch that broke tells nothing twice', async () => {
    const asked: string[] = [];
    await observe(
      async (emit) => {
        const object = volume('pv-a', { metadata: { resourceVersion: '5' } });
        await emit({ kind: 'PersistentVolume', type: 'ADDED', object });
        await emit({ kind: 'PersistentVolume', type: 'ADDED', object });
        await emit({ kind: 'PersistentVolume', type: 'ADDED', object: volume('pv-a') });
        await emit({ kind: 'PersistentVolume', type: 'DELETED', object });
      },
      {
        decide: async ({ name }) => {
          asked.push(name);
          return { writes: [], notes: [] };
        },
      },
    );
    expect(asked).toEqual(['pv-a']);
    expect(records.map(({ to }) => to)).toEqual(['deleted']);
  });
});

test('our own queues are told: what waits, and how long a verdict took', async () => {
  let observer: Observer | undefined;
  const { promise: isHeld, resolve: release } = Promise.withResolvers<void>();
  async function* events(): AsyncGenerator<ObservedEvent> {
    for (const name of ['a', 'b', 'c']) yield { kind: 'PersistentVolume', type: 'ADDED', object: volume(name) };
    expect(observer?.queues()).toEqual({
      claims: { depth: 0, p50: undefined, p99: undefined },
      volumes: { depth: 2, p50: undefined, p99: undefined },
    });
    now += 250;
    release();
  }
  const decideLate = async () => {
    await isHeld;
    return { writes: [], notes: [] };
  };
  observer = new Observer({ events: events(), decide: decideLate, concurrency: 1, now: () => now });
  await observer.run();
  expect(observer.queues().volumes).toEqual({ depth: 0, p50: 0.25, p99: 0.25 });
});

test('a free volume concerns the claims that wait for its class, ten at most', async () => {
  const asked: string[] = [];
  const inClass = (storageClassName: string) => ({ spec: { storageClassName } });
  await observe(
    async (emit) => {
      for (let i = 0; i < 12; i++) await create(emit, claim(`slow-${i}`, inClass('slow')));
      await create(emit, claim('fast', inClass('fast')));
      await create(emit, claim('has-one', { spec: { storageClassName: 'slow', volumeName: 'pv-b' } }));
      asked.length = 0;
      await create(emit, volume('pv-a', inClass('slow')));
    },
    {
      decide: async ({ name }) => {
        asked.push(name);
        return { writes: [], notes: [] };
      },
    },
  );
  expect(asked).toEqual(['pv-a', ...Array.from({ length: 10 }, (_, i) => `slow-${i}`)]);
});
