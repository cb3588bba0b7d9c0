/** A storage system that fails, and volumes that are deleted in an order that nobody expected. */
import { expect } from 'vitest';
import { PROVISIONED_BY } from '../../../lib/controller/annotations.ts';
import { boundTo, refTo } from '../field/states.ts';
import { asked } from '../field/told.ts';
import {
  externalClass,
  ofClass,
  provisioned,
  provisionerName,
  type Section,
  untilFailed,
  volumeNameFor,
} from './scene.ts';

const whole = ['Pending', 'Bound', 'Released'];

export const failures: Section = (scenario, provisioner) => {
  scenario('a claim stays Pending while no disk can be made, and is Bound when one can', async (stage) => {
    const { place, controller } = stage;
    await externalClass(place);
    await provisioner().setFailProvision('the array is full');
    const claim = await place.createClaim('x', ofClass);
    const name = volumeNameFor(claim);

    await untilFailed(provisioner(), 'provision', name);
    await place.untilTold(claim, asked(provisionerName));
    expect(await controller.fullResyncWrites()).toEqual([]);
    expect(await place.claimState('x')).toEqual({ phase: 'Pending' });

    await provisioner().setFailProvision(false);
    await place.untilBound(name, 'x');
    await controller.settled();
    expect(await place.volumeState(name)).toEqual({ phase: 'Bound', ref: refTo(claim) });
    expect(await place.claimState('x')).toEqual(boundTo(name, { bbc: true }));
  });

  scenario('a claim that is deleted while no disk can be made leaves nothing behind', async ({ place, controller }) => {
    await externalClass(place);
    await provisioner().setFailProvision(true);
    const claim = await place.createClaim('x', ofClass);
    await untilFailed(provisioner(), 'provision', volumeNameFor(claim));

    await place.deleteClaim('x');
    await place.untilGone(place.claimPath('x'));
    await provisioner().setFailProvision(false);

    await controller.settled();
    expect((await place.client.request('GET', place.volumePath(volumeNameFor(claim)))).status).toBe(404);
    expect(await provisioner().disks()).not.toContain(volumeNameFor(claim));
  });

  scenario('B4/40 a volume whose disk cannot be deleted stays Released, never Failed, until it can', async (stage) => {
    const { place, controller } = stage;
    await externalClass(place);
    const { claim, volume, name } = await provisioned(place, 'x');
    await provisioner().setFailDelete('the array is on fire');

    await place.release('x', name);
    await untilFailed(provisioner(), 'delete', name);
    expect(await controller.fullResyncWrites()).toEqual([]);
    expect(await place.volumeState(name)).toEqual({ phase: 'Released', ref: refTo(claim) });
    expect(await provisioner().disks()).toContain(name);
    expect(await place.eventsOf(volume)).toEqual([]);

    await provisioner().setFailDelete(false);
    await place.untilGone(place.volumePath(name));
    expect(await provisioner().disks()).not.toContain(name);
    expect(await place.phasesOf(name)).toEqual(whole);
  });

  scenario('B3/29 a volume that is deleted before its claim waits for it, and takes its disk along', async (stage) => {
    const { place, controller } = stage;
    await externalClass(place);
    const { claim, name } = await provisioned(place, 'x');

    await place.deleteVolume(name);
    expect(await controller.fullResyncWrites()).toEqual([]);
    expect((await place.volume(name)).metadata.deletionTimestamp).toBeDefined();
    expect(await place.volumeState(name)).toEqual({ phase: 'Bound', ref: refTo(claim) });
    expect(await place.claimState('x')).toEqual(boundTo(name, { bbc: true }));
    expect(await provisioner().disks()).toContain(name);

    await place.deleteClaim('x');

    await place.untilGone(place.volumePath(name));
    expect(await provisioner().disks()).not.toContain(name);
    expect(await place.phasesOf(name)).toEqual(whole);
  });

  for (const [what, annotations] of [
    ['made by hand', {}],
    ['that another provisioner made', { [PROVISIONED_BY]: 'other.example.com' }],
  ] as const) {
    scenario(`B4/42 a CSI volume ${what} ends Released, never Failed, and nobody touches it`, async (stage) => {
      const { place, controller } = stage;
      const csi = { driver: 'other.example.com', volumeHandle: 'by-hand' };
      const spec = { hostPath: undefined, csi, persistentVolumeReclaimPolicy: 'Delete' };
      const volume = await place.createVolume('static', { annotations, spec });
      const claim = await place.createClaim('x');
      await place.untilBound('static', 'x');

      await place.release('x', 'static');

      expect(await controller.fullResyncWrites()).toEqual([]);
      expect(await place.volumeState('static')).toEqual({ phase: 'Released', ref: refTo(claim), bbc: true });
      expect(await place.phasesOf('static')).toEqual(['Pending', 'Available', 'Bound', 'Released']);
      expect(await place.eventsOf(volume)).toEqual([]);
      expect((await provisioner().calls()).filter((call) => call.volume === 'static')).toEqual([]);
    });
  }
};
