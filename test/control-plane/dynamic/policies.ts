/** Reclaim policies of provisioned volumes, and their changes. */
import { expect } from 'vitest';
import { refTo } from '../field/states.ts';
import { externalClass, provisioned, type Section } from './scene.ts';

const whole = ['Pending', 'Bound', 'Released'];
const retain = { spec: { persistentVolumeReclaimPolicy: 'Retain' } };

export const policies: Section = (scenario, provisioner) => {
  scenario(
    'B10/90 a volume whose policy becomes Retain keeps its disk, until the policy is Delete again',
    async (stage) => {
      const { place, controller } = stage;
      await externalClass(place);
      const { claim, name } = await provisioned(place, 'x');
      await place.patchVolume(name, retain);

      await place.release('x', name);
      expect(await controller.fullResyncWrites()).toEqual([]);
      expect(await place.volumeState(name)).toEqual({ phase: 'Released', ref: refTo(claim) });
      expect(await provisioner().disks()).toContain(name);

      await place.patchVolume(name, { spec: { persistentVolumeReclaimPolicy: 'Delete' } });
      await place.untilGone(place.volumePath(name));
      expect(await provisioner().disks()).not.toContain(name);
      expect(await place.phasesOf(name)).toEqual(whole);
    },
  );

  scenario('B10/90 a volume whose policy becomes Delete while it is Bound goes with its claim', async ({ place }) => {
    await externalClass(place, { reclaimPolicy: 'Retain' });
    const { name } = await provisioned(place, 'x');
    await place.patchVolume(name, { spec: { persistentVolumeReclaimPolicy: 'Delete' } });

    await place.deleteClaim('x');

    await place.untilGone(place.volumePath(name));
    expect(await provisioner().disks()).not.toContain(name);
    expect(await place.phasesOf(name)).toEqual(whole);
  });

  scenario(
    'B3/37 a retained volume that a user deletes is gone, and its disk is not',
    async ({ place, controller }) => {
      await externalClass(place, { reclaimPolicy: 'Retain' });
      const { name } = await provisioned(place, 'x');
      await place.release('x', name);

      await place.deleteVolume(name);

      await place.untilGone(place.volumePath(name));
      await controller.settled();
      expect(await provisioner().disks()).toContain(name);
    },
  );
};
