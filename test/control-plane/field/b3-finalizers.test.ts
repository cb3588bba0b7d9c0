/** B3: the order of deletions, finalizers, Terminating. With the admission that protects volumes and claims in use. */
import { mkdir, stat } from 'node:fs/promises';
import { expect } from 'vitest';
import {
  EXTERNAL_FINALIZER,
  IN_TREE_FINALIZER,
  MIGRATED_TO,
  PROVISIONED_BY,
} from '../../../lib/controller/annotations.ts';
import type { PersistentVolume } from '../../../lib/controller/types.ts';
import { describeField } from './describe-field.ts';
import { refTo } from './states.ts';
import { lostVolume } from './told.ts';

const protection = 'kubernetes.io/pv-protection';
const deleted = { persistentVolumeReclaimPolicy: 'Delete' };
const csi = { hostPath: undefined, csi: { driver: 'external.example.com', volumeHandle: 'disk-1' } };
const gcePd = { hostPath: undefined, gcePersistentDisk: { pdName: 'disk-1' } };

describeField('B3: finalizers', { plane: { disableAdmission: ['ServiceAccount'] } }, (scenario) => {
  scenario(
    'B3/29 a volume deleted before its claim is Released with it, and goes when its provisioner is done',
    async (s) => {
      const { place, controller } = s;
      const finalizers = [EXTERNAL_FINALIZER];
      await place.createVolume('first', {
        finalizers,
        annotations: { [PROVISIONED_BY]: 'external.example.com' },
        spec: { ...csi, ...deleted },
      });
      const user = await place.createClaim('x');
      await place.untilBound('first', 'x');

      await place.deleteVolume('first');
      await controller.settled();
      const terminating = await place.volume('first');
      expect(terminating.metadata.deletionTimestamp).toBeDefined();
      expect(terminating.metadata.finalizers).toEqual([EXTERNAL_FINALIZER, protection]);
      expect(await place.volumeState('first')).toEqual({ phase: 'Bound', ref: refTo(user), bbc: true });

      await place.release('x', 'first');
      await controller.settled();
      const left = await place.volume('first');
      expect(await place.volumeState('first')).toEqual({ phase: 'Released', ref: refTo(user), bbc: true });
      expect(left.metadata.finalizers).toEqual([EXTERNAL_FINALIZER]);
      expect(await controller.fullResyncWrites()).toEqual([]);

      // What the external provisioner does once its disk is gone.
      await place.patchVolume('first', { metadata: { finalizers: null } });
      await place.untilGone(place.volumePath('first'));
      expect(await place.phasesOf('first')).toEqual(['Pending', 'Available', 'Bound', 'Released']);
    },
  );

  scenario('B3/30 a deleted volume waits with pv-protection while it is Bound, and goes when it is not', async (s) => {
    const { place, controller } = s;
    await place.createVolume('stuck');
    await place.createClaim('x');
    await place.untilBound('stuck', 'x');
    await place.deleteVolume('stuck');
    expect(await controller.fullResyncWrites()).toEqual([]);
    expect(await place.volumeState('stuck')).toMatchObject({ phase: 'Bound' });

    await place.deleteClaim('x');

    await place.untilGone(place.volumePath('stuck'));
    expect((await place.phasesOf('stuck')).slice(-2)).toEqual(['Bound', 'Released']);
    const bound = (await place.historyOf('stuck')).filter(({ status }) => status?.phase === 'Bound');
    for (const { metadata } of bound) expect(metadata.finalizers).toEqual([protection]);
  });

  scenario('B3/32 a claim whose volume is deleted by force is Lost', async ({ place, controller }) => {
    await place.createVolume('torn');
    const user = await place.createClaim('x');
    await place.untilBound('torn', 'x');

    await place.deleteVolume('torn');
    await place.forceDelete(place.volumePath('torn'));

    await place.untilClaim('x', 'Lost');
    await place.untilTold(user, lostVolume);
    await controller.settled();
    expect(await place.claimState('x')).toEqual({ phase: 'Lost', vol: 'torn', bc: true, bbc: true });
  });

  scenario('B3/34 only what an in-tree plugin made and deletes has its finalizer', async ({ place, controller }) => {
    const annotations = { [PROVISIONED_BY]: controller.provisioner };
    const migrated = { [PROVISIONED_BY]: 'kubernetes.io/gce-pd' };
    const external = { [PROVISIONED_BY]: 'external.example.com' };
    const finalizers = [IN_TREE_FINALIZER];
    const retained = {};
    await place.createVolume('in-tree', { annotations, spec: deleted });
    await place.createVolume('retained', { annotations, finalizers, spec: retained });
    await place.createVolume('static', { spec: deleted });
    await place.createVolume('migrated', { annotations: migrated, finalizers, spec: { ...gcePd, ...deleted } });
    await place.createVolume('external', { annotations: external, finalizers, spec: { ...csi, ...deleted } });
    await untilAvailable('in-tree', 'retained', 'static', 'migrated', 'external');

    expect(await finalizersOf('in-tree')).toEqual([IN_TREE_FINALIZER]);
    expect(await finalizersOf('retained')).toEqual([]);
    expect(await finalizersOf('static')).toEqual([]);
    expect(await finalizersOf('migrated')).toEqual([]);
    // Not ours to touch: rule 3 of BEHAVIOUR 9.
    expect(await finalizersOf('external')).toEqual([IN_TREE_FINALIZER]);

    for (const policy of ['Retain', 'Delete', 'Recycle']) {
      await place.patchVolume('in-tree', { spec: { persistentVolumeReclaimPolicy: policy } });
      await controller.settled();
      expect(await finalizersOf('in-tree')).toEqual(policy === 'Delete' ? [IN_TREE_FINALIZER] : []);
    }

    async function untilAvailable(...names: string[]) {
      await Promise.all(names.map((name) => place.untilVolume(name, 'Available')));
      await controller.settled();
    }
    async function finalizersOf(name: string) {
      return withoutProtection(await place.volume(name));
    }
  });

  scenario(
    'B3/35 the finalizer of the external provisioner is its own, migrated or not',
    async ({ place, controller }) => {
      const finalizers = [EXTERNAL_FINALIZER];
      const migrated = { [PROVISIONED_BY]: 'kubernetes.io/gce-pd', [MIGRATED_TO]: 'pd.csi.storage.gke.io' };
      const external = { [PROVISIONED_BY]: 'external.example.com' };
      const inTree = { [PROVISIONED_BY]: controller.provisioner };
      await place.createVolume('migrated', { annotations: migrated, finalizers, spec: { ...gcePd, ...deleted } });
      await place.createVolume('external', { annotations: external, finalizers, spec: { ...csi, ...deleted } });
      await place.createVolume('static', { finalizers, spec: { ...csi, ...deleted } });
      await place.createVolume('in-tree', { annotations: inTree, finalizers, spec: deleted });
      const names = ['migrated', 'external', 'static', 'in-tree'];
      await Promise.all(names.map((name) => place.untilVolume(name, 'Available')));
      await controller.settled();

      for (const name of ['migrated', 'external', 'static']) {
        expect(withoutProtection(await place.volume(name))).toEqual([EXTERNAL_FINALIZER]);
      }
      // Migration was switched off: the in-tree plugin deletes it again.
      expect(withoutProtection(await place.volume('in-tree'))).toEqual([IN_TREE_FINALIZER]);
    },
  );

  scenario(
    'B3/37 a retained volume that a user deletes is gone, and its data is not',
    async ({ place, controller }) => {
      const made = await place.createVolume('kept');
      const path = made.spec.hostPath?.path ?? '';
      await mkdir(path, { recursive: true });
      await place.createClaim('x');
      await place.untilBound('kept', 'x');
      await place.release('x', 'kept');

      await place.deleteVolume('kept');

      await place.untilGone(place.volumePath('kept'));
      await controller.settled();
      expect((await stat(path)).isDirectory()).toBe(true);
    },
  );
});

function withoutProtection({ metadata }: PersistentVolume): string[] {
  return (metadata.finalizers ?? []).filter((finalizer) => finalizer !== protection);
}
