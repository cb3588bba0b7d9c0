/** Whatever the controller writes of a volume it tells the pool, so that the next claim does not choose by an old state. */
import { describe, expect, test } from 'vitest';
import { PROVISIONED_BY, RECYCLER_POD } from '../../lib/controller/annotations.ts';
import type { VolumePlugin } from '../../lib/controller/plugins.ts';
import {
  boundPair,
  claim,
  orphan,
  refTo,
  reservationFor,
  storageClass,
  volume,
} from '../../lib/controller/testing/objects.ts';
import type { Kind, Kinds, PersistentVolume } from '../../lib/controller/types.ts';
import { VolumeIndex } from '../../lib/controller/volume-index.ts';
import { Scene } from './scene.ts';

const plugin: VolumePlugin = {
  name: 'kubernetes.io/mock',
  supportsMountOptions: true,
  supports: () => true,
  recycle: async () => 'done',
  newProvisioner:
    ({ volumeName }) =>
    async () =>
      volume(volumeName),
};

/** Versions of the volumes that were written by the sync, and of those that the pool was told. */
async function sync(objects: { [K in Kind]?: Kinds[K][] }, what: (scene: Scene) => Promise<void>) {
  const told: string[] = [];
  const store = (stored: PersistentVolume) => void told.push(stored.metadata.resourceVersion ?? '');
  const scene: Scene = new Scene(objects, [plugin], {
    pool: {
      volumes: async () => new VolumeIndex(scene.cluster.all('PersistentVolume')),
      drop: () => {},
      hold: () => () => {},
      store,
    },
  });
  await what(scene);
  const written = scene.cluster.writes.filter(({ kind }) => kind === 'PersistentVolume');
  return { told, written: written.map(({ object }) => object.metadata.resourceVersion) };
}

const ofVolume = (scene: Scene) => scene.syncVolume('pv');
const ofClaim = (scene: Scene) => scene.syncClaim('one');
const { claim: bound, volume: partner } = boundPair();
const elsewhere = { ...bound, spec: { ...bound.spec, volumeName: 'other' } };

describe('the pool is told', () => {
  test.each<[string, number, { [K in Kind]?: Kinds[K][] }, (scene: Scene) => Promise<void>]>([
    ['a bind', 2, { PersistentVolume: [volume('pv')], PersistentVolumeClaim: [claim('one')] }, ofClaim],
    [
      'a bind to a reserved volume',
      2,
      {
        PersistentVolume: [volume('pv', { spec: { claimRef: reservationFor(claim('one')) } })],
        PersistentVolumeClaim: [claim('one', { spec: { volumeName: 'pv' } })],
      },
      ofClaim,
    ],
    ['a new phase', 1, { PersistentVolume: [volume('pv', { status: { phase: 'Pending' } })] }, ofVolume],
    ['a release', 1, { PersistentVolume: [orphan('pv', { status: { phase: 'Bound' } })] }, ofVolume],
    [
      'an unbind',
      2,
      {
        PersistentVolume: [
          {
            ...partner,
            metadata: { ...partner.metadata, name: 'pv' },
            spec: { ...partner.spec, claimRef: refTo(bound) },
          },
        ],
        PersistentVolumeClaim: [elsewhere],
      },
      ofVolume,
    ],
    [
      'a recycling',
      2,
      { PersistentVolume: [orphan('pv', { spec: { persistentVolumeReclaimPolicy: 'Recycle' } })] },
      ofVolume,
    ],
    [
      'the end of a stray recycling',
      1,
      { PersistentVolume: [volume('pv', { annotations: { [RECYCLER_POD]: 'pod/claim' } })] },
      ofVolume,
    ],
    [
      'a corrected volume',
      1,
      { PersistentVolume: [volume('pv', { annotations: { [PROVISIONED_BY]: 'kubernetes.io/aws-ebs' } })] },
      ofVolume,
    ],
    [
      'a provisioned volume',
      1,
      {
        PersistentVolumeClaim: [claim('one', { spec: { storageClassName: 'ours' } })],
        StorageClass: [storageClass('ours', { provisioner: plugin.name })],
      },
      ofClaim,
    ],
  ])('%s', async (_, writes, objects, what) => {
    const { told, written } = await sync(objects, what);
    expect(written).toHaveLength(writes);
    // What comes before is the volume as the sync read it.
    expect(told.slice(-writes)).toEqual(written);
    expect(told.length - writes).toBeLessThanOrEqual(1);
  });
});
