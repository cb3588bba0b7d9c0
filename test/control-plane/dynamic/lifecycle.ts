/** From a claim to a disk and back. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import {
  annotationOf,
  DEFAULT_CLASS,
  EXTERNAL_FINALIZER,
  PROVISIONED_BY,
  SELECTED_NODE,
} from '../../../lib/controller/annotations.ts';
import { boundTo, refTo } from '../field/states.ts';
import { asked, noVolume } from '../field/told.ts';
import { eventually, volumesPath } from '../objects.ts';
import { externalClass, ofClass, provisioned, provisionerName, type Section, volumeNameFor } from './scene.ts';

const whole = ['Pending', 'Bound', 'Released'];

export const lifecycle: Section = (scenario, provisioner) => {
  scenario('a claim gets a disk, and takes it along when it is deleted', async ({ place, controller }) => {
    await externalClass(place);

    const { claim, volume, name } = await provisioned(place, 'x');

    await place.untilTold(claim, asked(provisionerName));
    await controller.settled();
    expect(await place.volumeState(name)).toEqual({ phase: 'Bound', ref: refTo(claim) });
    expect(await place.claimState('x')).toEqual(boundTo(name, { bbc: true }));
    expect(annotationOf(volume, PROVISIONED_BY)).toBe(provisionerName);
    expect(volume.metadata.finalizers).toContain(EXTERNAL_FINALIZER);
    expect(await provisioner().disks()).toContain(name);

    await place.deleteClaim('x');

    await place.untilGone(place.volumePath(name));
    expect(await provisioner().disks()).not.toContain(name);
    expect(await place.phasesOf(name)).toEqual(whole);
    expect(await place.eventsOf(volume)).toEqual([]);
  });

  scenario('20 claims at once get a disk each, and leave none behind', async ({ place, controller }) => {
    await externalClass(place);
    const claimNames = Array.from({ length: 20 }, (_, i) => `x-${i}`);

    const pairs = await Promise.all(claimNames.map((claimName) => provisioned(place, claimName)));

    await controller.settled();
    for (const { claim, name } of pairs) {
      expect(await place.volumeState(name)).toEqual({ phase: 'Bound', ref: refTo(claim) });
      expect(await place.claimState(claim.metadata.name)).toEqual(boundTo(name, { bbc: true }));
    }
    const names = pairs.map(({ name }) => name).sort();
    expect((await provisioner().disks()).filter((disk) => names.includes(disk))).toEqual(names);
    expect(await controller.fullResyncWrites()).toEqual([]);

    await Promise.all(claimNames.map((claimName) => place.deleteClaim(claimName)));
    await Promise.all(names.map((name) => place.untilGone(place.volumePath(name))));
    expect((await provisioner().disks()).filter((disk) => names.includes(disk))).toEqual([]);
    for (const name of names) expect(await place.phasesOf(name)).toEqual(whole);
  });

  scenario('a claim that waits for its first consumer gets a disk when a node is selected', async (stage) => {
    const { place, controller } = stage;
    await externalClass(place, { volumeBindingMode: 'WaitForFirstConsumer' });
    await place.client.request('POST', '/api/v1/nodes', { metadata: { name: 'node-1' } });
    const claim = await place.createClaim('x', ofClass);
    const name = volumeNameFor(claim);
    const message = 'waiting for first consumer to be created before binding';
    await place.untilTold(claim, { type: 'Normal', reason: 'WaitForFirstConsumer', message });
    expect(await controller.fullResyncWrites()).toEqual([]);
    expect(await place.claimState('x')).toEqual({ phase: 'Pending' });
    expect(await provisioner().disks()).not.toContain(name);

    // As the scheduler does, which is not here.
    await place.patchClaim('x', { metadata: { annotations: { [SELECTED_NODE]: 'node-1' } } });

    await place.untilBound(name, 'x');
    await controller.settled();
    await place.untilTold(claim, asked(provisionerName));
    expect(await place.volumeState(name)).toEqual({ phase: 'Bound', ref: refTo(claim) });
    expect(await place.claimState('x')).toEqual(boundTo(name, { bbc: true }));
    expect(annotationOf(await place.claim('x'), SELECTED_NODE)).toBe('node-1');
    await place.deleteClaim('x');
    await place.untilGone(place.volumePath(name));
    expect(await provisioner().disks()).not.toContain(name);
  });

  scenario('claims that are deleted while they are provisioned for leave nothing behind', async (stage) => {
    const { place, controller } = stage;
    await externalClass(place);
    const claims = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const claim = await place.createClaim(`x-${i}`, ofClass);
        await sleep(i * 8);
        await place.deleteClaim(`x-${i}`);
        return claim;
      }),
    );

    await eventually('no volumes', async () => {
      const { items } = await place.request<{ items: unknown[] }>('GET', volumesPath);
      return items.length === 0;
    });
    await controller.settled();
    const names = claims.map(volumeNameFor);
    await eventually('no disks', async () => !(await provisioner().disks()).some((disk) => names.includes(disk)));
    const { items } = await place.request<{ items: unknown[] }>('GET', volumesPath);
    expect(items).toEqual([]);
  });

  scenario('a claim that is recreated gets a new disk, and the old one goes', async ({ place, controller }) => {
    await externalClass(place);
    const old = await provisioned(place, 'x');

    await place.deleteClaim('x');
    await place.untilGone(place.claimPath('x'));
    const young = await provisioned(place, 'x');

    await place.untilGone(place.volumePath(old.name));
    await controller.settled();
    expect(young.name).not.toBe(old.name);
    expect(await place.volumeState(young.name)).toEqual({ phase: 'Bound', ref: refTo(young.claim) });
    expect(await place.claimState('x')).toEqual(boundTo(young.name, { bbc: true }));
    expect(await provisioner().disks()).toContain(young.name);
    expect(await provisioner().disks()).not.toContain(old.name);
    expect(await place.phasesOf(old.name)).toEqual(whole);
  });

  scenario(
    'B7/75 a claim without a class gets the default one at admission; the empty class gets no disk',
    async (s) => {
      const { place, controller } = s;
      await externalClass(place, {}, { [DEFAULT_CLASS]: 'true' });
      const empty = await place.createClaim('empty');
      const unset = await place.createClaim('unset', { spec: { storageClassName: undefined } });
      expect(unset.spec.storageClassName).toBe('external');

      await place.untilBound(volumeNameFor(unset), 'unset');
      await place.untilTold(empty, noVolume);
      await controller.settled();
      expect(await place.claimState('unset')).toEqual(boundTo(volumeNameFor(unset), { bbc: true }));
      expect(await place.claimState('empty')).toEqual({ phase: 'Pending' });
      expect(await provisioner().disks()).not.toContain(volumeNameFor(empty));
    },
  );
};
