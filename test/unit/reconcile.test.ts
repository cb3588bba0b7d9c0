import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ClusterError, ConflictError, NotFoundError } from '../../lib/controller/errors.ts';
import type { Cause } from '../../lib/controller/ports.ts';
import { type DeletedObject, reconcile } from '../../lib/controller/reconcile.ts';
import { boundPair, claim, volume } from '../../lib/controller/testing/objects.ts';
import type { SyncKey } from '../../lib/controller/types.ts';
import { VolumeIndex } from '../../lib/controller/volume-index.ts';
import { failing, Scene } from './scene.ts';

const pvKey: SyncKey = { kind: 'PersistentVolume', name: 'pv' };
const claimKey: SyncKey = { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'one' };

/** What is enqueued for these deletions, with its cause. */
async function enqueuedFor(key: SyncKey, deleted: DeletedObject[], scene = new Scene({})) {
  const enqueued: [SyncKey, Cause][] = [];
  const enqueue = async (to: SyncKey, cause: Cause) => {
    enqueued.push([to, cause]);
  };
  await reconcile({ ...scene.ctx, enqueue }, { key, deleted });
  return enqueued;
}

describe('deleted objects (BEHAVIOUR 2.2)', () => {
  test('a deleted volume wakes the claim of its claimRef, for that cause', async () => {
    const claimRef = { namespace: 'ns', name: 'one', uid: 'u' };
    expect(await enqueuedFor(pvKey, [{ uid: 'uid-of-pv', claimRef }])).toEqual([
      [claimKey, { uid: 'uid-of-pv', resourceVersion: 'deleted' }],
    ]);
    expect(await enqueuedFor(pvKey, [{ uid: 'uid-of-pv' }])).toEqual([]);
  });

  test('a deleted claim wakes its volume', async () => {
    expect(await enqueuedFor(claimKey, [{ uid: 'uid-of-one', volumeName: 'pv' }])).toEqual([
      [pvKey, { uid: 'uid-of-one', resourceVersion: 'deleted' }],
    ]);
    expect(await enqueuedFor(claimKey, [{ uid: 'uid-of-one', volumeName: '' }])).toEqual([]);
  });

  test('an object that was created again is synced after that, and every deletion counts', async () => {
    const { claim: one, volume: pv } = boundPair({ status: { phase: 'Available' } });
    const scene = new Scene({ PersistentVolume: [pv], PersistentVolumeClaim: [one] });
    const deleted = [
      { uid: 'a', volumeName: 'pv-a' },
      { uid: 'b', volumeName: 'pv-b' },
    ];
    const enqueued = await enqueuedFor(claimKey, deleted, scene);
    expect(enqueued.map(([key]) => key.name)).toEqual(['pv-a', 'pv-b']);
    expect(scene.volume('pv-of-one').status?.phase).toBe('Bound');
  });

  test('a key without an object is done', async () => {
    const scene = new Scene({});
    await scene.syncVolume('pv');
    await scene.syncClaim('one');
    expect([...scene.writes, ...scene.events, ...scene.enqueued]).toEqual([]);
  });
});

describe('conflicts (DESIGN D4)', () => {
  test('the object is read and decided anew, with the newest volumes', async () => {
    const scene = new Scene({ PersistentVolume: [volume('pv')], PersistentVolumeClaim: [claim('one')] });
    const ages: number[] = [];
    const ctx = {
      ...scene.ctx,
      settings: { ...scene.ctx.settings, poolMaxAgeMs: 5_000 },
      pool: {
        ...scene.ctx.pool,
        volumes: async (maxAgeMs: number) => {
          ages.push(maxAgeMs);
          return new VolumeIndex(scene.cluster.all('PersistentVolume'));
        },
      },
    };
    failing(scene, 'update', 'persistentvolumes', new ConflictError('changed', { code: 409 }), 1);
    await reconcile(ctx, { key: claimKey });
    expect(ages).toEqual([5_000, 0]);
    expect(scene.claim('one').spec.volumeName).toBe('pv');
  });

  test.each([
    [0, [12.5, 25, 37.5]],
    [1, [37.5, 75, 112.5]],
  ])('it waits longer each time, and not as long as others do (a draw of %d)', async (draw, waits) => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(draw);
    onTestFinished(() => random.mockRestore());
    const scene = new Scene({ PersistentVolume: [volume('pv', { status: { phase: 'Pending' } })] });
    failing(scene, 'update', 'persistentvolumes', new ConflictError('changed', { code: 409 }));
    await expect(scene.syncVolume('pv')).rejects.toThrow('changed');
    expect(scene.sleeps).toEqual(waits);
  });

  test.each([new ClusterError('forbidden', { code: 403 }), new Error('anything')])(
    '%s is thrown at once: the queue tries again',
    async (error) => {
      const scene = new Scene({ PersistentVolume: [volume('pv', { status: { phase: 'Pending' } })] });
      failing(scene, 'update', 'persistentvolumes', error);
      await expect(scene.syncVolume('pv')).rejects.toThrow(error);
      expect(scene.sleeps).toEqual([]);
    },
  );

  test('an object that is gone at the write is read again, and the key is done', async () => {
    const scene = new Scene({ PersistentVolume: [volume('pv', { status: { phase: 'Pending' } })] });
    scene.cluster.before = (verb) => {
      if (verb !== 'update') return;
      scene.cluster.remove('PersistentVolume', { name: 'pv' });
      throw new NotFoundError('not found', { code: 404 });
    };
    await scene.syncVolume('pv');
    expect(scene.sleeps).toHaveLength(1);
  });

  test('the pool learns every volume that is read', async () => {
    const scene = new Scene({ PersistentVolume: [volume('pv')] });
    const stored: string[] = [];
    const pool = {
      ...scene.ctx.pool,
      store: (pv: { metadata: { name: string } }) => void stored.push(pv.metadata.name),
    };
    await reconcile({ ...scene.ctx, pool }, { key: pvKey });
    expect(stored).toEqual(['pv']);
  });
});
