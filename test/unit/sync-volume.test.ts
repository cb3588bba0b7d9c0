import { describe, expect, test } from 'vitest';
import { BOUND_BY_CONTROLLER, MIGRATED_TO, PROVISIONED_BY } from '../../lib/controller/annotations.ts';
import { boundPair, claim, orphan, refTo, reservationFor, volume } from '../../lib/controller/testing/objects.ts';
import { failing, Scene } from './scene.ts';

const mark = { [BOUND_BY_CONTROLLER]: 'yes' };

describe('syncVolume: phases (BEHAVIOUR 4)', () => {
  test('a volume without a claimRef becomes Available, and its old message goes (4.1)', async () => {
    const scene = new Scene({ PersistentVolume: [volume('pv', { status: { phase: 'Failed', message: 'old' } })] });
    await scene.syncVolume('pv');
    expect(scene.volume('pv').status).toEqual({ phase: 'Available' });
    expect(scene.events).toEqual([]);
  });

  test('a volume reserved by name only becomes Available, though that claim exists (4.2)', async () => {
    const one = claim('one');
    const pv = volume('pv', { spec: { claimRef: reservationFor(one) }, status: { phase: 'Pending' } });
    const scene = new Scene({ PersistentVolume: [pv], PersistentVolumeClaim: [one] });
    await scene.syncVolume('pv');
    expect(scene.volume('pv').status?.phase).toBe('Available');
    expect(scene.enqueued).toEqual([]);
  });

  test('an unchanged phase is not written, even with another message', async () => {
    const scene = new Scene({ PersistentVolume: [volume('pv', { status: { message: 'left by someone' } })] });
    await scene.syncVolume('pv');
    expect(scene.writes).toEqual([]);
  });

  test('what else its status says stays when the phase changes', async () => {
    const scene = new Scene({ PersistentVolume: [volume('pv', { status: { phase: 'Pending', reason: 'kept' } })] });
    await scene.syncVolume('pv');
    expect(scene.volume('pv').status).toEqual({ phase: 'Available', reason: 'kept' });
  });

  test('a volume whose claim is gone becomes Released without a message, and is retained (4.5)', async () => {
    const { volume: pv } = boundPair({ status: { message: 'old' } });
    const scene = new Scene({ PersistentVolume: [pv] });
    await scene.syncVolume('pv-of-one');
    expect(scene.volume('pv-of-one').status).toEqual({ phase: 'Released' });
    expect(scene.writes).toEqual(['updateStatus PersistentVolume pv-of-one']);
    expect(scene.events).toEqual([]);
  });

  test('a claim that was recreated under the same name is another claim (4.4)', async () => {
    const { claim: old, volume: pv } = boundPair();
    const recreated = { ...old, metadata: { ...old.metadata, uid: 'new' } };
    const scene = new Scene({ PersistentVolume: [pv], PersistentVolumeClaim: [recreated] });
    await scene.syncVolume('pv-of-one');
    expect(scene.volume('pv-of-one').status?.phase).toBe('Released');
    expect(scene.claim('one')).toEqual(recreated);
  });

  test('Failed stays visible while the claim is gone', async () => {
    const scene = new Scene({ PersistentVolume: [orphan('pv', { status: { phase: 'Failed', message: 'why' } })] });
    await scene.syncVolume('pv');
    expect(scene.writes).toEqual([]);
  });

  test('a volume and a claim that name each other: Bound, from any phase, and the message goes (4.7)', async () => {
    for (const phase of ['Pending', 'Available', 'Released', 'Failed']) {
      const pair = boundPair({
        spec: { persistentVolumeReclaimPolicy: 'Delete' },
        status: { phase, message: 'old' },
      });
      pair.volume.spec.claimRef = refTo(pair.claim);
      const scene = new Scene({ PersistentVolume: [pair.volume], PersistentVolumeClaim: [pair.claim] });
      await scene.syncVolume('pv-of-one');
      expect(scene.volume('pv-of-one').status).toEqual({ phase: 'Bound' });
      expect(scene.operations).toEqual([]);
    }
  });

  test('the claim is read after the volume, by a read of its own, and an error of it changes nothing (D3)', async () => {
    const { volume: pv } = boundPair();
    const scene = new Scene({ PersistentVolume: [pv] });
    failing(scene, 'get', 'persistentvolumeclaims', new Error('no answer'));
    await expect(scene.syncVolume('pv-of-one')).rejects.toThrow('no answer');
    expect(scene.writes).toEqual([]);
  });
});

describe('syncVolume: a claim that has no volume yet (BEHAVIOUR 4.6)', () => {
  test.each([[mark], [{}]])(
    'with marks %j the claim is enqueued with the volume as a hint, nothing is written',
    async (annotations) => {
      const one = claim('one');
      const pv = volume('pv', { annotations, spec: { claimRef: refTo(one) } });
      const scene = new Scene({ PersistentVolume: [pv], PersistentVolumeClaim: [one] });
      await scene.syncVolume('pv');
      expect(scene.writes).toEqual([]);
      expect(scene.enqueued).toEqual([
        { key: { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'one' }, hint: 'pv' },
      ]);
    },
  );

  test('the claim is enqueued for this version of the volume, so that a later one is another message', async () => {
    const one = claim('one');
    const pv = volume('pv', { metadata: { resourceVersion: '17' }, spec: { claimRef: refTo(one) } });
    const causes: unknown[] = [];
    const scene = new Scene({ PersistentVolume: [pv], PersistentVolumeClaim: [one] }, [], {
      enqueue: async (_key, cause) => void causes.push(cause),
    });
    await scene.syncVolume('pv');
    expect(causes).toEqual([{ uid: 'uid-of-pv', resourceVersion: '17' }]);
  });

  test('another volumeMode is told on the volume, then on the claim, and nothing is enqueued', async () => {
    const one = claim('one', { spec: { volumeMode: 'Block' } });
    const scene = new Scene({
      PersistentVolume: [volume('pv', { spec: { claimRef: refTo(one) } })],
      PersistentVolumeClaim: [one],
    });
    await scene.syncVolume('pv');
    expect(scene.cluster.events.map(({ kind }) => kind)).toEqual(['PersistentVolume', 'PersistentVolumeClaim']);
    expect(scene.events).toEqual([
      'Warning VolumeMismatch: Cannot bind PersistentVolume to requested PersistentVolumeClaim "one" due to incompatible volumeMode.',
      'Warning VolumeMismatch: Cannot bind PersistentVolume "pv" to requested PersistentVolumeClaim due to incompatible volumeMode.',
    ]);
    expect(scene.enqueued).toEqual([]);
    expect(scene.writes).toEqual([]);
  });
});

describe('syncVolume: a claim that is bound elsewhere (BEHAVIOUR 4.8, DESIGN D13)', () => {
  const elsewhere = claim('one', { spec: { volumeName: 'other' }, status: { phase: 'Bound' } });

  function sceneOf(name: string, annotations: Record<string, string>, persistentVolumeReclaimPolicy = 'Delete') {
    const pv = volume(name, {
      annotations,
      spec: { claimRef: refTo(elsewhere), persistentVolumeReclaimPolicy, csi: { driver: 'd', volumeHandle: 'h' } },
      status: { phase: 'Bound' },
    });
    return new Scene({ PersistentVolume: [pv], PersistentVolumeClaim: [elsewhere] });
  }

  test('a chosen volume is unbound: claimRef and mark go, Available', async () => {
    const scene = sceneOf('pv', mark, 'Retain');
    await scene.syncVolume('pv');
    expect(scene.volume('pv').spec.claimRef).toBeUndefined();
    expect(scene.volume('pv').metadata.annotations).toBeUndefined();
    expect(scene.volume('pv').status).toEqual({ phase: 'Available' });
  });

  test('a reserved volume keeps its reservation by name and loses the uid', async () => {
    const scene = sceneOf('pv', {}, 'Retain');
    await scene.syncVolume('pv');
    expect(scene.volume('pv').spec.claimRef).toEqual(reservationFor(elsewhere));
    expect(scene.volume('pv').status?.phase).toBe('Available');
  });

  test('a volume that an external provisioner made for the claim is Released', async () => {
    const scene = sceneOf('pv', { [PROVISIONED_BY]: 'vendor.com/disk' });
    await scene.syncVolume('pv');
    expect(scene.volume('pv').status?.phase).toBe('Released');
    expect(scene.volume('pv').spec.claimRef).toEqual(refTo(elsewhere));
  });

  test('a provisioned volume that was free and picked is unbound, not Released', async () => {
    const scene = sceneOf('pv', { ...mark, [PROVISIONED_BY]: 'vendor.com/disk' });
    await scene.syncVolume('pv');
    expect(scene.volume('pv').status?.phase).toBe('Available');
    expect(scene.volume('pv').spec.claimRef).toBeUndefined();
    expect(scene.operations).toEqual([]);
  });

  test('a volume that is older than the claim was not provisioned for it, mark or no mark: unbound', async () => {
    const old = volume('pv', {
      annotations: { [PROVISIONED_BY]: 'vendor.com/disk' },
      spec: { claimRef: refTo(elsewhere), persistentVolumeReclaimPolicy: 'Delete' },
      status: { phase: 'Bound' },
    });
    old.metadata.creationTimestamp = '2026-01-01T00:00:00Z';
    const young = structuredClone(elsewhere);
    young.metadata.creationTimestamp = '2026-01-01T00:00:01Z';
    const scene = new Scene({ PersistentVolume: [old], PersistentVolumeClaim: [young] });
    await scene.syncVolume('pv');
    expect(scene.volume('pv').spec.claimRef).toEqual(reservationFor(elsewhere));
    expect(scene.volume('pv').status?.phase).toBe('Available');
  });

  test('an in-tree volume has the mark either way: its name says for which claim it was provisioned', async () => {
    const annotations = { ...mark, [PROVISIONED_BY]: 'kubernetes.io/mock' };
    const own = sceneOf('pvc-uid-of-one', annotations);
    await own.syncVolume('pvc-uid-of-one').catch(() => {});
    expect(own.operations).toEqual(['delete-pvc-uid-of-one[uid-of-pvc-uid-of-one]']);
    const picked = sceneOf('pvc-uid-of-two', annotations);
    await picked.syncVolume('pvc-uid-of-two');
    expect(picked.operations).toEqual([]);
    expect(picked.volume('pvc-uid-of-two').status?.phase).toBe('Available');
  });

  test('an external volume with the mark and a name after the claim was still picked', async () => {
    const scene = sceneOf('pvc-uid-of-one', { ...mark, [PROVISIONED_BY]: 'vendor.com/disk' });
    await scene.syncVolume('pvc-uid-of-one');
    expect(scene.volume('pvc-uid-of-one').status?.phase).toBe('Available');
  });

  test.each(['Retain', 'Recycle'])('with policy %s a provisioned volume is unbound', async (policy) => {
    const scene = sceneOf('pv', { [PROVISIONED_BY]: 'vendor.com/disk' }, policy);
    await scene.syncVolume('pv');
    expect(scene.volume('pv').status?.phase).toBe('Available');
    expect(scene.operations).toEqual([]);
  });

  test('Failed stays Failed, and the reclaim goes on', async () => {
    const scene = sceneOf('pv', { [PROVISIONED_BY]: 'vendor.com/disk' });
    scene.cluster.put('PersistentVolume', { ...scene.volume('pv'), status: { phase: 'Failed' } });
    await scene.syncVolume('pv');
    expect(scene.volume('pv').status?.phase).toBe('Failed');
    expect(scene.operations).toEqual(['delete-pv[uid-of-pv]']);
  });
});

describe('syncVolume: its first step (BEHAVIOUR 9)', () => {
  test('annotation and finalizers are one update, and the sync goes on with what was stored', async () => {
    const pv = volume('pv', {
      annotations: { [PROVISIONED_BY]: 'kubernetes.io/mock', [MIGRATED_TO]: 'old' },
      metadata: { finalizers: ['external-provisioner.volume.kubernetes.io/finalizer'] },
      spec: { persistentVolumeReclaimPolicy: 'Delete' },
      status: { phase: 'Pending' },
    });
    const scene = new Scene({ PersistentVolume: [pv] });
    await scene.syncVolume('pv');
    expect(scene.writes).toEqual(['update PersistentVolume pv', 'updateStatus PersistentVolume pv']);
    expect(scene.volume('pv').metadata.annotations).toEqual({ [PROVISIONED_BY]: 'kubernetes.io/mock' });
    expect(scene.volume('pv').metadata.finalizers).toEqual(['kubernetes.io/pv-controller']);
  });

  test('an error of it is told in upstream’s words and ends the sync', async () => {
    const pv = volume('pv', { annotations: { [PROVISIONED_BY]: 'a', [MIGRATED_TO]: 'old' }, status: { phase: '' } });
    const scene = new Scene({ PersistentVolume: [pv] });
    failing(scene, 'update', 'persistentvolumes', new Error('no answer'));
    await expect(scene.syncVolume('pv')).rejects.toThrow(
      "persistent Volume Controller can't anneal migration annotations or finalizer: no answer",
    );
    expect(scene.writes).toEqual([]);
  });
});
