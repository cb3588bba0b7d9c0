/**
 * The scoring, with the controller itself in the place of the built-in one: it must agree with itself entirely, and a
 * verdict that was falsified must be found, in thousands of generated clusters.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Writer } from '../../lib/audit/writer.ts';
import type { InMemoryCluster } from '../../lib/cluster/in-memory.ts';
import type { RecordedWrite } from '../../lib/cluster/recording.ts';
import type { Cluster, Note } from '../../lib/controller/ports.ts';
import { reconcile } from '../../lib/controller/reconcile.ts';
import type { PersistentVolume, PersistentVolumeClaim, SyncKey } from '../../lib/controller/types.ts';
import { VolumeIndex } from '../../lib/controller/volume-index.ts';
import type { Change, Held } from '../../lib/scoring/change.ts';
import { type Decision, decide } from '../../lib/scoring/decide.ts';
import { Scorer } from '../../lib/scoring/score.ts';
import { idOf } from '../../lib/scoring/verdict.ts';
import { clusters } from './clusters.ts';
import { contextOver, keysOf, load } from './sync-context.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 300);
const BUILT_IN: Writer = { who: 'built-in', manager: 'kube-controller-manager' };

/** A cluster whose built-in controller is the controller, with a watch that tells the scorer of its writes. */
class Scene {
  readonly scorer: Scorer;
  readonly #cluster: InMemoryCluster;
  readonly #latest = new Map<string, Held>();
  #told = 0;
  #now = 0;

  constructor(cluster: InMemoryCluster) {
    this.#cluster = cluster;
    this.scorer = new Scorer({ latest: (id) => this.#latest.get(id), expiryMs: 1_000 });
    for (const kind of ['PersistentVolume', 'PersistentVolumeClaim'] as const) {
      for (const object of cluster.all(kind)) this.#latest.set(idOf(kind, object.metadata), object);
    }
  }

  /** Undefined where the sync fails, which is no verdict. */
  async decide(key: SyncKey): Promise<Decision | undefined> {
    const contextFor = (cluster: Cluster, note: Note) => {
      const pool = {
        volumes: async () => new VolumeIndex(this.#cluster.all('PersistentVolume')),
        drop() {},
        store() {},
      };
      return { ...contextOver(this.#cluster), cluster, note, pool: { ...pool, hold: () => () => {} } };
    };
    return await decide(key, this.#cluster, contextFor).catch(() => undefined);
  }

  say(key: SyncKey, writes: readonly RecordedWrite[]): void {
    this.scorer.verdict({ key, at: this.#now, writes });
  }

  /** The built-in controller syncs the key, and the watch tells of what it wrote. */
  async act(key: SyncKey): Promise<void> {
    await reconcile(contextOver(this.#cluster), { key, deleted: [] }).catch(() => {});
    for (const { verb, kind, object } of this.#cluster.writes.slice(this.#told)) {
      if (kind === 'PersistentVolume' || kind === 'PersistentVolumeClaim') this.#tell(verb, kind, object as Held);
    }
    this.#told = this.#cluster.writes.length;
  }

  end(): void {
    this.#now += 10_000;
    this.scorer.expire(this.#now);
  }

  #tell(verb: string, kind: SyncKey['kind'], after: Held): void {
    const id = idOf(kind, after.metadata);
    const before = this.#latest.get(id);
    const type: Change['type'] = verb === 'delete' ? 'DELETED' : before === undefined ? 'ADDED' : 'MODIFIED';
    if (type === 'DELETED') this.#latest.delete(id);
    else this.#latest.set(id, after);
    this.#now += 1;
    this.scorer.change({ type, kind, before, after, writer: BUILT_IN, at: this.#now });
  }
}

test('the controller agrees with itself: each verdict that counts, whichever key comes next', async () => {
  let counted = 0;
  await fc.assert(
    fc.asyncProperty(clusters, fc.array(fc.nat(), { maxLength: 12 }), async (generated, turns) => {
      const cluster = load(generated);
      const scene = new Scene(cluster);
      for (const turn of turns) {
        const keys = keysOf(cluster);
        const key = keys[turn % keys.length];
        if (key === undefined) continue;
        const decision = await scene.decide(key);
        if (decision === undefined) continue;
        scene.say(key, decision.writes);
        await scene.act(key);
      }
      scene.end();
      const { disagreements, ...board } = scene.scorer.board();
      expect(disagreements).toEqual([]);
      expect(board).toMatchObject({ agreed: board.counted, pending: 0 });
      // Nothing slips away: nobody else wrote, and each verdict was followed at once.
      expect(board).toMatchObject({ verdicts: board.counted });
      counted += board.counted;
    }),
    { numRuns: RUNS },
  );
  expect(counted).toBeGreaterThan(RUNS);
});

test('no verdict slips away when all are reached before anything is done, and keys contend for one volume', async () => {
  await fc.assert(
    fc.asyncProperty(clusters, fc.infiniteStream(fc.nat()), async (generated, order) => {
      const cluster = load(generated);
      const scene = new Scene(cluster);
      const keys = keysOf(cluster);
      for (const key of keys) scene.say(key, (await scene.decide(key))?.writes ?? []);
      for (const [key] of keys.map((key) => [key, order.next().value as number] as const).sort((a, b) => a[1] - b[1])) {
        await scene.act(key);
      }
      scene.end();
      const { verdicts, counted, pending, notCounted } = scene.scorer.board();
      expect(pending).toBe(0);
      expect(counted + Object.values(notCounted).reduce((sum, n) => sum + n, 0)).toBe(verdicts);
    }),
    { numRuns: RUNS },
  );
});

/** A wrong verdict: the last write of an object says something else, which no write before it has said. */
function falsified(writes: readonly RecordedWrite[]): RecordedWrite[] | undefined {
  const last = writes.findLastIndex(({ verb }) => verb === 'update' || verb === 'updateStatus' || verb === 'create');
  const write = writes[last];
  if (write === undefined || write.verb === 'event') return undefined;
  const object = write.object as PersistentVolume | PersistentVolumeClaim;
  const status = { ...object.status, phase: 'Imagined' };
  return writes.with(last, { ...write, object: { ...object, status } } as RecordedWrite);
}

test('a falsified verdict is found, and never counts as agreed', async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(clusters, fc.nat(), async (generated, turn) => {
      const cluster = load(generated);
      const scene = new Scene(cluster);
      const keys = keysOf(cluster);
      const key = keys[turn % keys.length] as SyncKey;
      const decision = await scene.decide(key);
      const wrong = decision && falsified(decision.writes);
      // Who deletes an object is not known, so nothing is held against a verdict then.
      fc.pre(wrong?.every(({ verb }) => verb !== 'delete') === true);
      scene.say(key, wrong ?? []);
      await scene.act(key);
      scene.end();
      const { counted, agreed, disagreements } = scene.scorer.board();
      expect({ counted, agreed }).toEqual({ counted: 1, agreed: 0 });
      expect(disagreements[0]).toMatchObject({ key, wanted: wrong?.filter(({ verb }) => verb !== 'event') });
      found += 1;
    }),
    { numRuns: RUNS },
  );
  expect(found).toBe(RUNS);
});
