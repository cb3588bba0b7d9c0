/** Syncs where objects have modes of their own: what is written, what is told, and what comes back later. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { InMemoryCluster } from '../cluster/in-memory.ts';
import type { RecordedWrite } from '../cluster/recording.ts';
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  IN_TREE_FINALIZER,
  MIGRATED_TO,
  PROVISIONED_BY,
} from '../controller/annotations.ts';
import { ClusterError, ConflictError } from '../controller/errors.ts';
import { STANDARD_MIGRATION } from '../controller/migration.ts';
import type { VolumePlugin } from '../controller/plugins.ts';
import { claim, orphan, refTo, storageClass, volume } from '../controller/testing/objects.ts';
import type { PersistentVolume, SyncKey } from '../controller/types.ts';
import { VolumeIndex } from '../controller/volume-index.ts';
import { NfsPlugin } from '../plugins/nfs.ts';
import { RECYCLED_VOLUME, RECYCLER_LABEL, RecyclerPods } from '../plugins/recycler-pod.ts';
import { FlipDetector } from './flip-detector.ts';
import { MODE_ANNOTATION, type Mode } from './mode.ts';
import { createSyncKey } from './sync-key.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const GRACE_MS = 60_000;
const CLAIM: SyncKey = { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'data' };
const VOLUME: SyncKey = { kind: 'PersistentVolume', name: 'pv' };
const ago = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString();

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }));
afterEach(() => void vi.useRealTimers());

const data = claim('data', { metadata: { creationTimestamp: ago(3_600) } });
const free = volume('pv', { metadata: { creationTimestamp: ago(3_600) } });
const holding = volume('pv', { metadata: { creationTimestamp: ago(3_600) }, spec: { claimRef: refTo(data) } });
const annotated = (mode: string): PersistentVolume => ({
  ...free,
  metadata: { ...free.metadata, annotations: { [MODE_ANNOTATION]: mode } },
});

interface Setup {
  readonly mode?: Mode;
  readonly maxMode?: Mode;
  /** What the pool holds, unlike the cluster. */
  readonly pooled?: readonly PersistentVolume[];
  readonly plugins?: (cluster: InMemoryCluster) => readonly VolumePlugin[];
}

function setup({ mode = 'assist', maxMode = mode, pooled, plugins }: Setup = {}) {
  const cluster = new InMemoryCluster();
  const verdicts: RecordedWrite[][] = [];
  const unknown: string[] = [];
  const transitions: string[] = [];
  const stored: PersistentVolume[] = [];
  const sync = createSyncKey(
    {
      mode,
      maxMode,
      graceMs: GRACE_MS,
      cluster: () => cluster,
      pool: {
        volumes: () => new VolumeIndex(pooled ?? cluster.all('PersistentVolume')),
        drop: () => {},
        hold: () => () => {},
        store: (one) => void stored.push(structuredClone(one)),
      },
      enqueue: () => async () => {},
      plugins: (over) => plugins?.(over as InMemoryCluster) ?? [],
      flips: new FlipDetector(),
      rules: async () => ({
        features: { volumeAttributesClass: true },
        migration: STANDARD_MIGRATION,
        settings: { dynamicProvisioning: true, createVolumeAttempts: 1, createVolumeIntervalMs: 0, poolMaxAgeMs: 0 },
      }),
    },
    {
      onVerdict: (_, writes) => verdicts.push([...writes]),
      onUnknownMode: (_, value) => unknown.push(value),
      onTransition: (_, { of, from, to }) => transitions.push(`${of} ${from} -> ${to}`),
    },
  );
  const run = (key: SyncKey, noticedSecondsAgo = 60) =>
    sync(key, [{ v: 1, ...key, reason: 'modified' }], {
      signal: new AbortController().signal,
      receiveCount: 1,
      noticedAt: NOW - noticedSecondsAgo * 1_000,
    });
  const writes = () => cluster.writes.map(({ verb, kind }) => `${verb} ${kind}`);
  const told = () => verdicts.flat().map((write) => (write.verb === 'event' ? 'event' : `${write.verb} ${write.kind}`));
  return { cluster, run, writes, told, unknown, transitions, stored };
}

describe('assist', () => {
  test('finishes a bind that stopped after the volume’s half, with all that is missing', async () => {
    const { cluster, run, writes, told, transitions, stored } = setup();
    cluster.put('PersistentVolume', holding);
    cluster.put('PersistentVolumeClaim', data);
    expect(await run(CLAIM)).toBeUndefined();
    expect(writes()).toEqual([
      'updateStatus PersistentVolume',
      'update PersistentVolumeClaim',
      'updateStatus PersistentVolumeClaim',
    ]);
    const [bound] = cluster.all('PersistentVolumeClaim');
    expect(bound).toMatchObject({
      metadata: { annotations: { [BIND_COMPLETED]: 'yes', [BOUND_BY_CONTROLLER]: 'yes' } },
      spec: { volumeName: 'pv' },
      status: { phase: 'Bound', capacity: { storage: '1Gi' } },
    });
    expect(told()).toEqual([]);
    expect(transitions).toContain('binding none -> pv');
    expect(stored.at(-1)?.status?.phase).toBe('Bound');
  });

  test('goes on with a bind after its own first write, which made the phase a young one', async () => {
    const { cluster, run, writes } = setup();
    cluster.put('PersistentVolume', holding);
    cluster.put('PersistentVolumeClaim', data);
    const { updateStatus } = cluster;
    vi.spyOn(cluster, 'updateStatus').mockImplementation(async (kind, object) => {
      const status = { ...(object as PersistentVolume).status, lastPhaseTransitionTime: ago(0) };
      return await updateStatus.call(cluster, kind, {
        ...object,
        ...(kind === 'PersistentVolume' && { status }),
      } as never);
    });
    await run(CLAIM);
    expect(writes()).toContain('updateStatus PersistentVolumeClaim');
  });

  test('picks no free volume for a claim that waits, and says what the bind would be', async () => {
    const { cluster, run, writes, told } = setup();
    cluster.put('PersistentVolume', free);
    cluster.put('PersistentVolumeClaim', data);
    expect(await run(CLAIM)).toBeUndefined();
    expect(writes()).toEqual([]);
    expect(told()).toContain('update PersistentVolume');
  });

  test.each([
    ['the news are young', 59, 3_600, 1_000],
    ['the claim is young', 3_600, 20, 40_000],
    ['both are', 10, 20, 50_000],
  ])('writes nothing and comes back when the grace is over, where %s', async (_, news, age, againInMs) => {
    const { cluster, run, writes, told } = setup();
    cluster.put('PersistentVolume', holding);
    cluster.put('PersistentVolumeClaim', claim('data', { metadata: { creationTimestamp: ago(age) } }));
    expect(await run(CLAIM, news)).toEqual({ againInMs });
    expect([...writes(), ...told()]).toEqual([]);
    expect(cluster.events).toEqual([]);
  });

  test('does not come back for what is settled, however young', async () => {
    const { cluster, run } = setup();
    cluster.put('PersistentVolume', volume('pv', { metadata: { creationTimestamp: ago(1) } }));
    expect(await run(VOLUME, 0)).toBeUndefined();
  });

  test('releases a volume whose claim is gone, and has its storage left alone', async () => {
    const destroy = vi.fn();
    const plugin: VolumePlugin = {
      name: 'direct',
      supportsMountOptions: true,
      supports: () => true,
      newDeleter: () => async () => destroy(),
    };
    const { cluster, run, writes, told } = setup({ plugins: () => [plugin] });
    cluster.put(
      'PersistentVolume',
      orphan('pv', { spec: { persistentVolumeReclaimPolicy: 'Delete' }, status: { phase: 'Bound' } }),
    );
    await run(VOLUME);
    expect(writes()).toEqual(['updateStatus PersistentVolume']);
    expect(cluster.all('PersistentVolume')[0]?.status?.phase).toBe('Released');
    expect(told()).toEqual(['delete PersistentVolume']);
    expect(destroy).not.toHaveBeenCalled();
  });

  test('writes a phase past annotations and finalizers that are not right, and never those', async () => {
    const { cluster, run, writes, told, stored } = setup();
    const metadata = { creationTimestamp: ago(3_600), finalizers: [IN_TREE_FINALIZER] };
    const annotations = { [PROVISIONED_BY]: 'kubernetes.io/aws-ebs' };
    const before = volume('pv', { metadata, spec: { claimRef: refTo(data), persistentVolumeReclaimPolicy: 'Delete' } });
    cluster.put('PersistentVolume', { ...before, metadata: { ...before.metadata, annotations } });
    await run(VOLUME);
    expect(writes()).toEqual(['updateStatus PersistentVolume']);
    const [after] = cluster.all('PersistentVolume');
    expect(after?.status?.phase).toBe('Released');
    expect(after?.metadata).toMatchObject({ annotations, finalizers: [IN_TREE_FINALIZER] });
    expect(after?.metadata.annotations).not.toHaveProperty(MIGRATED_TO);
    expect(told()).toEqual(['update PersistentVolume']);
    for (const one of stored) expect(one.metadata.annotations).not.toHaveProperty(MIGRATED_TO);
  });

  test('tells of annotations and finalizers that are not right when the grace is over, and not before', async () => {
    const { cluster, run, told } = setup();
    cluster.put('PersistentVolume', volume('pv', { annotations: { [PROVISIONED_BY]: 'kubernetes.io/aws-ebs' } }));
    expect(await run(VOLUME, 20)).toEqual({ againInMs: 40_000 });
    expect(told()).toEqual([]);
    expect(await run(VOLUME, 60)).toBeUndefined();
    expect(told()).toEqual(['update PersistentVolume']);
    expect(cluster.writes).toEqual([]);
  });

  test('leaves what somebody works on at this very moment for another grace time, with what it has written so far', async () => {
    const { cluster, run, writes, told } = setup();
    cluster.put('PersistentVolume', holding);
    cluster.put('PersistentVolumeClaim', data);
    vi.spyOn(cluster, 'update').mockRejectedValue(new ConflictError('changed', { code: 409 }));
    expect(await run(CLAIM)).toEqual({ againInMs: GRACE_MS });
    expect(writes()).toEqual(['updateStatus PersistentVolume']);
    expect(told()).toEqual([]);
  });

  test('decides again where the volume in the pool is not the one that is stored', async () => {
    const { cluster, run } = setup({
      pooled: [{ ...holding, metadata: { ...holding.metadata, resourceVersion: '0' } }],
    });
    cluster.put('PersistentVolume', { ...holding, metadata: { ...holding.metadata, labels: { newer: 'yes' } } });
    cluster.put('PersistentVolumeClaim', data);
    await expect(run(CLAIM)).rejects.toThrow('PersistentVolume pv changed since it was looked at');
    expect(cluster.writes).toEqual([]);
  });
});

describe('an annotation', () => {
  const fresh = (mode: string) => ({ ...annotated(mode), status: { phase: 'Pending' } });

  test.each([
    ['enforce', undefined, 'observe', 0],
    ['enforce', undefined, 'assist', 1],
    ['assist', undefined, 'observe', 0],
    ['assist', undefined, 'enforce', 1],
    ['observe', undefined, 'enforce', 0],
    ['observe', 'enforce', 'enforce', 1],
    ['observe', 'assist', 'enforce', 1],
    ['enforce', undefined, 'nonsense', 0],
  ] as const)('deployment %s (at most %s), volume %s: %i writes', async (mode, maxMode, asked, count) => {
    const { cluster, run, writes } = setup({ mode, ...(maxMode && { maxMode }) });
    cluster.put('PersistentVolume', fresh(asked));
    await run(VOLUME);
    expect(writes()).toHaveLength(count);
  });

  test('that is no mode is told, once per sync', async () => {
    const { cluster, run, unknown, told } = setup({ mode: 'enforce' });
    cluster.put('PersistentVolume', fresh('enforced'));
    cluster.put('PersistentVolumeClaim', data);
    await run(VOLUME);
    expect(unknown).toEqual(['enforced']);
    expect(told()).toEqual(['updateStatus PersistentVolume']);
  });

  test('of a class counts for its volumes and its claims', async () => {
    const { cluster, run, writes } = setup({ mode: 'enforce' });
    const spec = { storageClassName: 'careful' };
    cluster.put(
      'StorageClass',
      storageClass('careful', { metadata: { name: 'careful', annotations: { [MODE_ANNOTATION]: 'observe' } } }),
    );
    cluster.put('PersistentVolume', volume('pv', { spec, status: { phase: 'Pending' } }));
    cluster.put('PersistentVolumeClaim', claim('data', { spec }));
    await run(VOLUME);
    await run(CLAIM);
    expect(writes()).toEqual([]);
    expect(cluster.events).toEqual([]);
  });

  test('of a volume counts before that of its class, for the claim that it is bound to as well', async () => {
    const { cluster, run, writes } = setup({ mode: 'enforce' });
    const spec = { storageClassName: 'careful' };
    cluster.put(
      'StorageClass',
      storageClass('careful', { metadata: { name: 'careful', annotations: { [MODE_ANNOTATION]: 'observe' } } }),
    );
    cluster.put('PersistentVolume', volume('pv', { spec, annotations: { [MODE_ANNOTATION]: 'enforce' } }));
    cluster.put('PersistentVolumeClaim', claim('data', { spec }));
    await run(CLAIM);
    expect(writes()).toHaveLength(4);
    expect(cluster.all('PersistentVolumeClaim')[0]?.status?.phase).toBe('Bound');
  });

  test('of a class that the sync reads anyway is not asked for again', async () => {
    const { cluster, run } = setup({ mode: 'enforce' });
    cluster.put('StorageClass', storageClass('fast'));
    cluster.put('PersistentVolume', volume('pv', { spec: { storageClassName: 'fast' } }));
    cluster.put('PersistentVolumeClaim', claim('data', { spec: { storageClassName: 'fast' } }));
    let reads = 0;
    cluster.before = (_, resource) => {
      if (resource === 'storageclasses') reads += 1;
    };
    await run(CLAIM);
    expect(cluster.all('PersistentVolumeClaim')[0]?.status?.phase).toBe('Bound');
    expect(reads).toBe(1);
  });

  test('keeps a claim from being bound to an observed volume, and the pool from holding that bind', async () => {
    const { cluster, run, writes, stored } = setup({ mode: 'enforce' });
    cluster.put('PersistentVolume', annotated('observe'));
    cluster.put('PersistentVolumeClaim', data);
    await run(CLAIM);
    expect(writes()).toEqual([]);
    expect(stored.filter(({ spec }) => spec.claimRef !== undefined)).toEqual([]);
  });

  test('that cannot be read keeps everything as it is', async () => {
    const { cluster, run, writes } = setup({ mode: 'enforce' });
    cluster.put('PersistentVolume', volume('pv', { spec: { storageClassName: 'fast' }, status: { phase: 'Pending' } }));
    cluster.before = (_, resource) => {
      if (resource === 'storageclasses') throw new ClusterError('forbidden', { code: 403 });
    };
    await expect(run(VOLUME)).rejects.toThrow('forbidden');
    expect(writes()).toEqual([]);
  });

  test('keeps the storage of an observed volume, and lets that of others go', async () => {
    const destroyed: string[] = [];
    const plugin: VolumePlugin = {
      name: 'direct',
      supportsMountOptions: true,
      supports: () => true,
      newDeleter:
        ({ metadata }) =>
        async () =>
          void destroyed.push(metadata.name),
    };
    const { cluster, run } = setup({ mode: 'enforce', plugins: () => [plugin] });
    const spec = { persistentVolumeReclaimPolicy: 'Delete' };
    cluster.put('PersistentVolume', orphan('pv', { spec, annotations: { [MODE_ANNOTATION]: 'observe' } }));
    cluster.put('PersistentVolume', orphan('other', { spec }));
    await run(VOLUME);
    await run({ kind: 'PersistentVolume', name: 'other' });
    expect(destroyed).toEqual(['other']);
    expect(cluster.all('PersistentVolume').map(({ metadata }) => metadata.name)).toEqual(['pv']);
  });

  test('of nothing: the recycler pod of a volume that is gone goes in enforce, and stays in assist', async () => {
    const settings = { namespace: 'r', image: 'i', minimumTimeoutSeconds: 1, incrementTimeoutSecondsPerGib: 1 };
    for (const [mode, pods] of [
      ['enforce', 0],
      ['assist', 1],
    ] as const) {
      const { cluster, run } = setup({ mode, plugins: (over) => [new NfsPlugin(new RecyclerPods(over), settings)] });
      const [labels, annotations] = [{ [RECYCLER_LABEL]: 'x' }, { [RECYCLED_VOLUME]: 'pv' }];
      cluster.put('Pod', { metadata: { namespace: 'r', name: 'recycler-for-pv', uid: 'u', labels, annotations } });
      await run(VOLUME);
      expect(cluster.all('Pod')).toHaveLength(pods);
    }
  });
});

describe('a bound claim whose annotations are to be corrected', () => {
  const provisioner = 'kubernetes.io/aws-ebs';
  const bound = claim('data', {
    annotations: { [BIND_COMPLETED]: 'yes', 'volume.kubernetes.io/storage-provisioner': provisioner },
    spec: { volumeName: 'pv' },
    status: { phase: 'Bound' },
  });

  test.each([
    ['enforce', 'observe', []],
    ['observe', 'enforce', ['update PersistentVolumeClaim']],
  ] as const)('in %s has the mode of its volume, %s, although that is read later', async (mode, ofVolume, written) => {
    const { cluster, run, writes } = setup({ mode, maxMode: 'enforce' });
    const { metadata, ...rest } = annotated(ofVolume);
    cluster.put('PersistentVolume', {
      ...rest,
      metadata,
      spec: { ...rest.spec, claimRef: refTo(bound) },
      status: { phase: 'Bound' },
    });
    cluster.put('PersistentVolumeClaim', bound);
    await run(CLAIM);
    expect(writes().slice(0, 1)).toEqual(written);
  });
});
