/**
 * Assist's promises (DESIGN D9), whatever the state of the cluster and however often its keys are synced: it picks no free
 * volume that would be deleted, it keeps its hands off what migration rules write, it waits for the grace time, and it
 * deletes nothing.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { InMemoryCluster } from '../../lib/cluster/in-memory.ts';
import type { RecordedWrite } from '../../lib/cluster/recording.ts';
import { MIGRATED_TO, PROVISIONED_BY } from '../../lib/controller/annotations.ts';
import type { VolumePlugin } from '../../lib/controller/plugins.ts';
import type { PersistentVolume, SyncKey } from '../../lib/controller/types.ts';
import { VolumeIndex } from '../../lib/controller/volume-index.ts';
import type { Postponement } from '../../lib/queue/worker.ts';
import { FlipDetector } from '../../lib/worker/flip-detector.ts';
import { MODE_ANNOTATION } from '../../lib/worker/mode.ts';
import { createSyncKey } from '../../lib/worker/sync-key.ts';
import { clusters, type GeneratedCluster } from './clusters.ts';
import { imaginedProvisioner, keysOf, load, rules } from './sync-context.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 600);
const GRACE_MS = 60_000;
/** What ages are counted in. */
const STEP_MS = 10_000;
/** Older than the grace time. */
const OLD = 18;

/** Ages in steps: of each object, of a volume's phase, of the news. */
const ages = fc.record({ object: fc.nat(OLD), phase: fc.nat(OLD), news: fc.nat(OLD) });
type Ages = { object: number; phase: number; news: number };

/** As generated, often with halves of a pair, and as old as they are said to be. */
const scenes = fc
  .tuple(
    clusters,
    ages,
    fc.constantFrom('as it is', 'paired', 'claim names it', 'volume holds it', 'volume reserves it'),
  )
  .map(([generated, age, how]) => {
    const [volume] = generated.volumes;
    const [claim] = generated.claims;
    if (how !== 'as it is' && volume !== undefined && claim !== undefined) {
      const { namespace, name, uid = '' } = claim.metadata;
      const reservation = { kind: 'PersistentVolumeClaim', namespace, name };
      if (how === 'claim names it' || how === 'paired') claim.spec.volumeName = volume.metadata.name;
      if (how === 'volume reserves it') volume.spec.claimRef = reservation;
      if (how === 'volume holds it' || how === 'paired') volume.spec.claimRef = { ...reservation, uid };
    }
    for (const object of [...generated.volumes, ...generated.claims]) {
      object.metadata.creationTimestamp = stepsAgo(age.object);
      delete object.metadata.deletionTimestamp;
    }
    for (const one of generated.volumes) one.status = { ...one.status, lastPhaseTransitionTime: stepsAgo(age.phase) };
    return { generated, age };
  });

const now = Date.parse('2026-03-01T12:00:00Z');
const stepsAgo = (steps: number) => new Date(now - steps * STEP_MS).toISOString();

interface Run {
  readonly cluster: InMemoryCluster;
  readonly destroyed: string[];
  readonly postponed: number[];
  readonly verdicts: RecordedWrite[];
}

/** Syncs all keys, round after round, in assist. */
async function assist(generated: GeneratedCluster, age: Ages, rounds = 2): Promise<Run> {
  const cluster = load(generated);
  const run: Run = { cluster, destroyed: [], postponed: [], verdicts: [] };
  const sync = createSyncKey(
    {
      mode: 'assist',
      graceMs: GRACE_MS,
      cluster: () => cluster,
      pool: {
        volumes: async () => new VolumeIndex(cluster.all('PersistentVolume')),
        drop: () => {},
        hold: () => () => {},
        store: (volume) => expect(cluster.all('PersistentVolume')).toContainEqual(volume),
      },
      enqueue: () => async () => {},
      plugins: () => [destroying(run.destroyed)],
      rules: async () => rules,
      flips: new FlipDetector(),
    },
    { onVerdict: (_, writes) => run.verdicts.push(...writes) },
  );
  const info = { signal: new AbortController().signal, receiveCount: 1, noticedAt: now - age.news * STEP_MS };
  for (let round = 0; round < rounds; round++) {
    for (const key of keysOf(cluster)) {
      const outcome: Postponement | undefined = await sync(key, [{ v: 1, ...key, reason: 'modified' }], info).catch(
        () => undefined,
      );
      if (outcome !== undefined) run.postponed.push(outcome.againInMs);
    }
  }
  return run;
}

function destroying(destroyed: string[]): VolumePlugin {
  return {
    name: 'kubernetes.io/mock',
    supportsMountOptions: true,
    supports: ({ spec }) => spec.hostPath !== undefined,
    recycle: async ({ metadata }) => {
      destroyed.push(metadata.name);
      return 'done';
    },
    newDeleter:
      ({ metadata }) =>
      async () =>
        void destroyed.push(metadata.name),
    newProvisioner: (options) => async () => {
      destroyed.push(options.volumeName);
      return await imaginedProvisioner(options)();
    },
  };
}

/** What migration rules write. */
function migrationOf({ metadata }: { metadata: PersistentVolume['metadata'] }) {
  return { finalizers: metadata.finalizers ?? [], migratedTo: metadata.annotations?.[MIGRATED_TO] };
}

function byKey(cluster: InMemoryCluster) {
  const objects = [...cluster.all('PersistentVolume'), ...cluster.all('PersistentVolumeClaim')];
  return new Map(
    objects.map((object) => [`${object.kind}/${object.metadata.namespace}/${object.metadata.name}`, object]),
  );
}

// However long all this takes.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now }));
afterAll(() => void vi.useRealTimers());

describe('assist', () => {
  test('writes no free volume that is provisioned and has the policy Delete', async () => {
    let guarded = 0;
    await fc.assert(
      fc.asyncProperty(scenes, async ({ generated }) => {
        const { cluster } = await assist(generated, { object: OLD, phase: OLD, news: OLD });
        for (const { metadata, spec } of generated.volumes) {
          const isFree = !spec.claimRef?.uid;
          const isProvisioned = metadata.annotations?.[PROVISIONED_BY] !== undefined;
          if (!isFree || !isProvisioned || spec.persistentVolumeReclaimPolicy !== 'Delete') continue;
          guarded++;
          expect(cluster.writes.filter(({ object }) => object.metadata.name === metadata.name)).toEqual([]);
        }
      }),
      { numRuns: RUNS },
    );
    expect(guarded).toBeGreaterThan(RUNS / 20);
  });

  test('writes nothing that migration rules decide, and deletes, makes and destroys nothing', async () => {
    let written = 0;
    await fc.assert(
      fc.asyncProperty(scenes, async ({ generated }) => {
        const before = byKey(load(generated));
        const { cluster, destroyed } = await assist(generated, { object: OLD, phase: OLD, news: OLD });
        const after = byKey(cluster);
        expect([...after.keys()]).toEqual([...before.keys()]);
        for (const [key, object] of after) expect(migrationOf(object)).toEqual(migrationOf(before.get(key) ?? object));
        expect(new Set(cluster.writes.map(({ verb }) => verb))).not.toContain('delete');
        expect(new Set(cluster.writes.map(({ verb }) => verb))).not.toContain('create');
        expect(destroyed).toEqual([]);
        expect(cluster.events).toEqual([]);
        written += cluster.writes.length;
      }),
      { numRuns: RUNS },
    );
    expect(written).toBeGreaterThan(RUNS / 2);
  });

  test('never fails a volume, and never takes one away from its claim', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async ({ generated }) => {
        const { cluster } = await assist(generated, { object: OLD, phase: OLD, news: OLD });
        for (const after of cluster.all('PersistentVolume')) {
          const before = generated.volumes.find(({ metadata }) => metadata.name === after.metadata.name);
          const { claimRef } = before?.spec ?? {};
          if (claimRef?.uid) expect(after.spec.claimRef).toEqual(claimRef);
          if (before?.status?.phase !== 'Failed') expect(after.status?.phase).not.toBe('Failed');
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('writes nothing before the grace time is over, and comes back for it no sooner than then', async () => {
    let early = 0;
    let postponements = 0;
    await fc.assert(
      fc.asyncProperty(scenes, async ({ generated, age }) => {
        const { cluster, postponed } = await assist(generated, age, 1);
        postponements += postponed.length;
        for (const ms of postponed) expect(ms).toBeGreaterThan(0);
        for (const ms of postponed) expect(ms).toBeLessThanOrEqual(GRACE_MS);
        if (Math.min(age.news, age.object) * STEP_MS >= GRACE_MS) return;
        early++;
        expect(cluster.writes).toEqual([]);
      }),
      { numRuns: RUNS },
    );
    expect(early).toBeGreaterThan(RUNS / 5);
    expect(postponements).toBeGreaterThan(RUNS / 5);
  });

  test('writes only what enforce would write too', async () => {
    let same = 0;
    await fc.assert(
      fc.asyncProperty(scenes, async ({ generated }) => {
        for (const key of keysOf(load(generated))) {
          const enforced = await syncOnce(generated, key, 'enforce');
          const assisted = await syncOnce(generated, key, 'assist');
          expect(told(enforced)).toEqual(expect.arrayContaining(told(assisted)));
          same += assisted.writes.length;
        }
      }),
      { numRuns: RUNS / 3 },
    );
    expect(same).toBeGreaterThan(RUNS / 3);
  });
});

/** Each write in words: verb, object, and the phase that it has then. */
function told({ writes }: InMemoryCluster): string[] {
  return writes.map(
    ({ verb, object }) => `${verb} ${object.metadata.name} ${(object as PersistentVolume).status?.phase}`,
  );
}

async function syncOnce(
  generated: GeneratedCluster,
  key: SyncKey,
  mode: 'assist' | 'enforce',
): Promise<InMemoryCluster> {
  const cluster = load(generated);
  const sync = createSyncKey({
    mode,
    cluster: () => cluster,
    pool: {
      volumes: async () => new VolumeIndex(cluster.all('PersistentVolume')),
      drop: () => {},
      hold: () => () => {},
      store: () => {},
    },
    enqueue: () => async () => {},
    plugins: () => [destroying([])],
    rules: async () => rules,
    flips: new FlipDetector(),
  });
  // All objects of these scenes are at most three minutes old: an hour from the news, every grace time is over.
  for (const object of [...cluster.all('PersistentVolume'), ...cluster.all('PersistentVolumeClaim')]) {
    delete object.metadata.creationTimestamp;
    if (object.status && 'lastPhaseTransitionTime' in object.status) delete object.status.lastPhaseTransitionTime;
  }
  const info = { signal: new AbortController().signal, receiveCount: 1, noticedAt: now - 360 * STEP_MS };
  await sync(key, [{ v: 1, ...key, reason: 'modified' }], info).catch(() => undefined);
  return cluster;
}

describe('an object whose annotation says observe', () => {
  test('is never written, in whatever mode the rest is', async () => {
    let observed = 0;
    await fc.assert(
      fc.asyncProperty(scenes, fc.constantFrom('observe', 'nonsense', ''), async ({ generated }, value) => {
        for (const volume of generated.volumes) {
          volume.metadata.annotations = { ...volume.metadata.annotations, [MODE_ANNOTATION]: value };
        }
        for (const key of keysOf(load(generated))) {
          const { writes } = await syncOnce(generated, key, 'enforce');
          observed += generated.volumes.length;
          const existing = new Set(generated.volumes.map(({ metadata }) => metadata.name));
          expect(
            writes.filter(({ kind, object }) => kind === 'PersistentVolume' && existing.has(object.metadata.name)),
          ).toEqual([]);
        }
      }),
      { numRuns: RUNS },
    );
    expect(observed).toBeGreaterThan(RUNS);
  });
});
