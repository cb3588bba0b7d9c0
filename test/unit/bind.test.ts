import { describe, expect, test } from 'vitest';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, PROVISIONED_BY } from '../../lib/controller/annotations.ts';
import { AmbiguousError, ConflictError } from '../../lib/controller/errors.ts';
import { reconcile } from '../../lib/controller/reconcile.ts';
import { boundPair, claim, refTo, reservationFor, volume } from '../../lib/controller/testing/objects.ts';
import { InterceptedCluster, type Interception } from './intercepted-cluster.ts';
import { failing, Scene } from './scene.ts';

const FOUR = [
  'update PersistentVolume pv',
  'updateStatus PersistentVolume pv',
  'update PersistentVolumeClaim one',
  'updateStatus PersistentVolumeClaim one',
];

/** A second worker on a claim, in the middle of what the first one does. */
async function otherWorker(scene: Scene, name: string): Promise<void> {
  const key = { kind: 'PersistentVolumeClaim', namespace: 'ns', name } as const;
  await reconcile({ ...scene.ctx, cluster: scene.cluster }, { key });
}

function intercepted(objects: ConstructorParameters<typeof Scene>[0], interception: Interception) {
  let over: InterceptedCluster | undefined;
  const scene = new Scene(objects, [], {
    over: (inner) => {
      over = new InterceptedCluster(inner, interception);
      return over;
    },
  });
  return { scene, calls: () => over?.calls ?? [] };
}

describe('bind (BEHAVIOUR 6.1)', () => {
  test('makes four writes in order, with both marks where the controller chose', async () => {
    const one = claim('one');
    const scene = new Scene({ PersistentVolumeClaim: [one], PersistentVolume: [volume('pv')] });
    await scene.syncClaim('one');
    expect(scene.writes).toEqual(FOUR);
    expect(scene.volume('pv').spec.claimRef).toEqual({ ...refTo(one), resourceVersion: '1' });
    expect(scene.volume('pv').metadata.annotations).toEqual({ [BOUND_BY_CONTROLLER]: 'yes' });
    expect(scene.volume('pv').status).toEqual({ phase: 'Bound' });
    expect(scene.claim('one').spec.volumeName).toBe('pv');
    expect(scene.claim('one').metadata.annotations).toEqual({ [BOUND_BY_CONTROLLER]: 'yes', [BIND_COMPLETED]: 'yes' });
    expect(scene.claim('one').status).toEqual({
      phase: 'Bound',
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
    });
    expect(scene.events).toEqual([]);
  });

  test('a reserved volume gets the uid and no mark, the claim gets one', async () => {
    const one = claim('one');
    const scene = new Scene({
      PersistentVolumeClaim: [one],
      PersistentVolume: [volume('pv', { spec: { claimRef: reservationFor(one) } })],
    });
    await scene.syncClaim('one');
    expect(scene.volume('pv').metadata.annotations).toBeUndefined();
    expect(scene.volume('pv').spec.claimRef?.uid).toBe('uid-of-one');
    expect(scene.claim('one').metadata.annotations).toHaveProperty(BOUND_BY_CONTROLLER);
  });

  test('a claim that names its volume gets no mark, the volume gets one', async () => {
    const one = claim('one', { spec: { volumeName: 'pv' } });
    const scene = new Scene({ PersistentVolumeClaim: [one], PersistentVolume: [volume('pv')] });
    await scene.syncClaim('one');
    expect(scene.volume('pv').metadata.annotations).toEqual({ [BOUND_BY_CONTROLLER]: 'yes' });
    expect(scene.claim('one').metadata.annotations).toEqual({ [BIND_COMPLETED]: 'yes' });
  });

  test('a mark that is there keeps its value', async () => {
    const one = claim('one', { annotations: { [BOUND_BY_CONTROLLER]: 'old', [BIND_COMPLETED]: '' } });
    one.spec.volumeName = 'pv';
    const pv = volume('pv', { annotations: { [BOUND_BY_CONTROLLER]: 'old' } });
    const scene = new Scene({ PersistentVolumeClaim: [one], PersistentVolume: [pv] });
    await scene.syncClaim('one');
    expect(scene.volume('pv').metadata.annotations).toEqual({ [BOUND_BY_CONTROLLER]: 'old' });
    expect(scene.claim('one').metadata.annotations).toEqual({ [BOUND_BY_CONTROLLER]: 'old', [BIND_COMPLETED]: '' });
  });

  test('a claim that lost its volumeName keeps its mark as it is', async () => {
    const one = claim('one', { annotations: { [BOUND_BY_CONTROLLER]: 'old' } });
    const scene = new Scene({ PersistentVolumeClaim: [one], PersistentVolume: [volume('pv')] });
    await scene.syncClaim('one');
    expect(scene.claim('one').metadata.annotations).toEqual({ [BOUND_BY_CONTROLLER]: 'old', [BIND_COMPLETED]: 'yes' });
  });

  test.each([
    ['the claimRef', 0],
    ['the volume’s phase', 1],
    ['the claim’s spec', 2],
    ['the claim’s status', 3],
  ])('only %s is written where only that is missing', async (_what, index) => {
    const { claim: one, volume: pv } = boundPair();
    pv.metadata.name = 'pv';
    one.spec.volumeName = 'pv';
    if (index === 0) delete pv.spec.claimRef;
    if (index === 1) pv.status = { phase: 'Available' };
    if (index === 2) delete one.metadata.annotations?.[BIND_COMPLETED];
    if (index === 3) one.status = { phase: 'Pending' };
    const scene = new Scene({ PersistentVolumeClaim: [one], PersistentVolume: [pv] });
    await scene.syncClaim('one');
    expect(scene.writes).toEqual([FOUR[index]]);
  });

  test('the first error stops the sequence, nothing is rolled back', async () => {
    const scene = new Scene({ PersistentVolumeClaim: [claim('one')], PersistentVolume: [volume('pv')] });
    failing(scene, 'update', 'persistentvolumeclaims', new Error('no answer'));
    await expect(scene.syncClaim('one')).rejects.toThrow('no answer');
    expect(scene.writes).toEqual(FOUR.slice(0, 2));
  });

  test('a volume that could not be written is dropped from the pool, one that was is stored', async () => {
    const scene = new Scene({ PersistentVolumeClaim: [claim('one')], PersistentVolume: [volume('pv')] });
    const pool: string[] = [];
    scene.ctx.pool.drop = (name) => pool.push(`drop ${name}`);
    scene.ctx.pool.store = ({ metadata, status }) => pool.push(`store ${metadata.name} ${status?.phase}`);
    failing(scene, 'update', 'persistentvolumes', new Error('no answer'), 1);
    await expect(scene.syncClaim('one')).rejects.toThrow('no answer');
    expect(pool).toEqual(['drop pv']);
    await scene.syncClaim('one');
    expect(pool).toEqual(['drop pv', 'store pv Available', 'store pv Bound']);
  });
});

describe('the claim is read again right before the first write (DESIGN D4)', () => {
  const objects = () => ({ PersistentVolumeClaim: [claim('one')], PersistentVolume: [volume('pv')] });

  test('after a wait for the pool the four writes cost two reads of the claim and none of the volume', async () => {
    const { scene, calls } = intercepted(objects(), {});
    await scene.syncClaim('one');
    expect(calls().map(({ verb, kind }) => `${verb} ${kind}`)).toEqual([
      'get PersistentVolumeClaim',
      'get PersistentVolumeClaim',
      ...FOUR.map((write) => write.split(' ').slice(0, 2).join(' ')),
    ]);
  });

  test.each<[string, (scene: Scene) => void]>([
    ['deleted', (scene) => scene.cluster.remove('PersistentVolumeClaim', { namespace: 'ns', name: 'one' })],
    [
      'recreated',
      (scene) =>
        scene.cluster.put(
          'PersistentVolumeClaim',
          claim('one', { metadata: { uid: 'new' }, spec: { volumeName: 'x' } }),
        ),
    ],
    [
      'changed',
      (scene) =>
        scene.cluster.put(
          'PersistentVolumeClaim',
          claim('one', { metadata: { resourceVersion: '2' }, spec: { volumeName: 'missing' } }),
        ),
    ],
  ])('a claim that was %s meanwhile takes no volume', async (_what, change) => {
    const { scene } = intercepted(objects(), {
      before: ({ number }) => {
        if (number === 2) change(scene);
      },
    });
    await scene.syncClaim('one');
    expect(scene.volume('pv')).toEqual(volume('pv'));
  });

  test('a claim whose second read fails takes no volume', async () => {
    const { scene } = intercepted(objects(), {
      before: ({ number }) => {
        if (number === 2) throw new AmbiguousError('no answer');
      },
    });
    await expect(scene.syncClaim('one')).rejects.toThrow('no answer');
    expect(scene.writes).toEqual([]);
  });
});

describe('two workers', () => {
  test('of two claims that race for one volume exactly one gets it; the other decides again', async () => {
    const objects = { PersistentVolumeClaim: [claim('one'), claim('two')], PersistentVolume: [volume('pv')] };
    const { scene } = intercepted(objects, {
      before: async ({ verb, kind }) => {
        if (verb !== 'update' || kind !== 'PersistentVolume' || scene.claim('two').spec.volumeName) return;
        await otherWorker(scene, 'two');
      },
    });
    await scene.syncClaim('one');
    expect(scene.volume('pv').spec.claimRef?.name).toBe('two');
    expect(scene.claim('two').status?.phase).toBe('Bound');
    expect(scene.claim('one').status?.phase).toBe('Pending');
    expect(scene.claim('one').spec.volumeName).toBeUndefined();
  });

  test('a worker that stood between pick and write while another bound the claim destroys nothing (D13)', async () => {
    const provisioned = (name: string) =>
      volume(name, {
        annotations: { [PROVISIONED_BY]: 'vendor.com/disk' },
        spec: { persistentVolumeReclaimPolicy: 'Delete', csi: { driver: 'd', volumeHandle: name } },
      });
    const objects = { PersistentVolumeClaim: [claim('one')], PersistentVolume: [provisioned('slow')] };
    const { scene } = intercepted(objects, {
      before: async ({ verb, kind, name }) => {
        if (verb !== 'update' || kind !== 'PersistentVolume' || name !== 'slow') return;
        // The other worker sees a volume that this one did not, and binds the claim to it.
        scene.cluster.remove('PersistentVolume', { name: 'slow' });
        scene.cluster.put('PersistentVolume', provisioned('quick'));
        await otherWorker(scene, 'one');
        scene.cluster.put('PersistentVolume', provisioned('slow'));
      },
    });
    await scene.syncClaim('one');
    expect(scene.claim('one').spec.volumeName).toBe('quick');
    expect(scene.volume('slow').spec.claimRef?.uid).toBe('uid-of-one'); // picked in vain
    await scene.syncVolume('slow');
    expect(scene.volume('slow').spec.claimRef).toBeUndefined();
    expect(scene.volume('slow').status?.phase).toBe('Available');
    expect(scene.volume('quick').status?.phase).toBe('Bound');
    expect(scene.operations).toEqual([]);
  });

  test('conflicts without end are given back to the queue after a few attempts', async () => {
    const scene = new Scene({ PersistentVolumeClaim: [claim('one')], PersistentVolume: [volume('pv')] });
    failing(scene, 'update', 'persistentvolumes', new ConflictError('changed', { code: 409 }));
    await expect(scene.syncClaim('one')).rejects.toThrow('changed');
    expect(scene.sleeps).toHaveLength(3);
  });
});
