/** When a bind reads its claim a second time before its first write, and when the first read was that already. */
import { describe, expect, test } from 'vitest';
import { ConflictError } from '../../lib/controller/errors.ts';
import type { VolumePool } from '../../lib/controller/ports.ts';
import { reconcile } from '../../lib/controller/reconcile.ts';
import { claim, volume } from '../../lib/controller/testing/objects.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../lib/controller/types.ts';
import { VolumeIndex } from '../../lib/controller/volume-index.ts';
import { type Call, InterceptedCluster } from './intercepted-cluster.ts';
import { Scene } from './scene.ts';

const READ = 'get PersistentVolumeClaim';
const WRITES = [
  'update PersistentVolume',
  'updateStatus PersistentVolume',
  'update PersistentVolumeClaim',
  'updateStatus PersistentVolumeClaim',
];
const pv = volume('pv');
const fast = { spec: { storageClassName: 'fast' } };

/** A pool that has these volumes at hand. */
function poolOf(...volumes: readonly PersistentVolume[]): VolumePool {
  return { volumes: () => new VolumeIndex(volumes), drop: () => {}, hold: () => () => {}, store: () => {} };
}

/** A scene with a claim and volumes; `before` each call of its controller. */
function setup(
  one: PersistentVolumeClaim,
  volumes: PersistentVolume[],
  pool: VolumePool = poolOf(...volumes),
  before: (call: Call) => void | Promise<void> = () => {},
) {
  const storageClass = { metadata: { name: 'fast' }, provisioner: 'vendor.com/disk', volumeBindingMode: 'Immediate' };
  const objects = { PersistentVolumeClaim: [one], PersistentVolume: volumes, StorageClass: [storageClass] };
  const calls: string[] = [];
  const note = (call: Call) => {
    calls.push(`${call.verb} ${call.kind}`);
    return before(call);
  };
  const scene = new Scene(objects, [], { pool, over: (inner) => new InterceptedCluster(inner, { before: note }) });
  return { scene, calls };
}

test('with the volumes at hand a bind of four writes costs one read', async () => {
  const { scene, calls } = setup(claim('one'), [pv]);
  await scene.syncClaim('one');
  expect(calls).toEqual([READ, ...WRITES]);
});

describe('the claim is read again where', () => {
  const migrated = claim('one', {
    annotations: { 'volume.kubernetes.io/storage-provisioner': 'kubernetes.io/aws-ebs' },
  });
  test.each<[string, string, PersistentVolumeClaim, PersistentVolume, string?]>([
    ['a hint had a volume read', 'get PersistentVolume', claim('one'), pv, 'pv'],
    ['the claim names its volume', 'get PersistentVolume', claim('one', { spec: { volumeName: 'pv' } }), pv],
    ['its class was read', 'get StorageClass', claim('one', fast), volume('pv', fast)],
    ['an annotation of it was corrected', 'update PersistentVolumeClaim', migrated, pv],
  ])('%s', async (_where, between, one, free, hint) => {
    const { scene, calls } = setup(one, [free]);
    await scene.syncClaim('one', hint);
    expect(calls).toEqual([READ, between, READ, ...WRITES]);
  });

  test('the pool had to be waited for, though it asked by no call of this sync', async () => {
    const { scene, calls } = setup(claim('one'), [pv], {
      ...poolOf(),
      volumes: async () => new VolumeIndex([pv]),
    });
    await scene.syncClaim('one');
    expect(calls).toEqual([READ, READ, ...WRITES]);
  });

  test('it is decided again after a conflict, which is by the newest volumes only', async () => {
    const ages: number[] = [];
    const pool: VolumePool = {
      ...poolOf(),
      volumes: (maxAgeMs) => {
        ages.push(maxAgeMs);
        return ages.length === 1 ? new VolumeIndex([pv]) : Promise.resolve(new VolumeIndex([pv]));
      },
    };
    let conflicts = 1;
    const { scene, calls } = setup(claim('one'), [pv], pool, ({ verb }) => {
      if (verb === 'update' && conflicts-- > 0) throw new ConflictError('changed');
    });
    await scene.syncClaim('one');
    expect(calls).toEqual([READ, 'update PersistentVolume', READ, READ, ...WRITES]);
  });
});

test('a claim that is bound elsewhere between its only read and the write costs nobody a volume (D13)', async () => {
  const other = volume('other');
  let isBoundElsewhere = false;
  const { scene } = setup(claim('one'), [pv, other], poolOf(pv), async ({ verb, name }) => {
    if (verb !== 'update' || name !== 'pv' || isBoundElsewhere) return;
    isBoundElsewhere = true;
    const key = { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'one' } as const;
    await reconcile({ ...scene.ctx, cluster: scene.cluster, pool: poolOf(other) }, { key });
  });
  await scene.syncClaim('one');
  expect(scene.volume('pv').spec.claimRef?.uid).toBe('uid-of-one'); // picked in vain
  await scene.syncVolume('pv');
  expect(scene.volume('pv').spec.claimRef).toBeUndefined();
  expect(scene.volume('pv').status?.phase).toBe('Available');
  expect(scene.claim('one').spec.volumeName).toBe('other');
  expect(scene.operations).toEqual([]);
});
