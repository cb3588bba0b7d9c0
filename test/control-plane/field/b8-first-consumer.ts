/** B8: WaitForFirstConsumer, as far as no provisioner is needed (see ../dynamic for that). */
import { expect } from 'vitest';
import { BOUND_BY_CONTROLLER } from '../../../lib/controller/annotations.ts';
import type { Scenario } from './describe-field.ts';
import type { Told } from './events.ts';
import type { Place } from './place.ts';
import { boundTo, claimRefTo, refTo } from './states.ts';

const local = { spec: { storageClassName: 'local' } };

export function firstConsumer(scenario: Scenario): void {
  scenario(
    'B8/79 a claim without a pod stays Pending beside a volume that would fit',
    async ({ place, controller }) => {
      await localClass(place);
      await place.createVolume('free', local);
      await place.untilVolume('free', 'Available');

      const user = await place.createClaim('x', local);

      const message = 'waiting for first consumer to be created before binding';
      await place.untilTold(user, { type: 'Normal', reason: 'WaitForFirstConsumer', message });
      await controller.settled();
      expect(await place.claimState('x')).toEqual({ phase: 'Pending' });
      expect(await place.volumeState('free')).toEqual({ phase: 'Available' });
    },
  );

  for (const [pods, words] of [
    [['web'], 'pod web'],
    [['api', 'web'], 'pods api,web'],
  ] as const) {
    scenario(
      `B8/79 a claim of ${pods.length} unscheduled pod(s) says whom it waits for`,
      async ({ place, controller }) => {
        await localClass(place);
        for (const pod of pods) await place.createPod(pod, 'x');

        const user = await place.createClaim('x', local);

        await place.untilTold(user, waitsFor(words));
        await controller.settled();
        expect(await place.claimState('x')).toEqual({ phase: 'Pending' });
      },
    );
  }

  scenario('B8/79 a pod that comes later is told of with the next look at the claim', async ({ place, controller }) => {
    await localClass(place);
    const user = await place.createClaim('x', local);
    await controller.settled();
    await place.createPod('web', 'x');

    expect(await controller.fullResyncWrites()).toEqual([]);

    await place.untilTold(user, waitsFor('pod web'));
  });

  scenario('B8/80 a reserved or named volume is bound at once, without any pod', async ({ place, controller }) => {
    await localClass(place);
    const claimRef = { namespace: place.namespace, name: 'x' };
    await place.createVolume('reserved', { spec: { ...local.spec, claimRef } });
    await place.createVolume('named', local);
    await Promise.all(['reserved', 'named'].map((name) => place.untilVolume(name, 'Available')));

    const heir = await place.createClaim('x', local);
    const wishful = await place.createClaim('y', { spec: { ...local.spec, volumeName: 'named' } });

    await Promise.all([place.untilBound('reserved', 'x'), place.untilBound('named', 'y')]);
    await controller.settled();
    expect(await place.volumeState('reserved')).toEqual({ phase: 'Bound', ref: refTo(heir) });
    expect(await place.claimState('x')).toEqual(boundTo('reserved', { bbc: true }));
    expect(await place.volumeState('named')).toEqual({ phase: 'Bound', ref: refTo(wishful), bbc: true });
    expect(await place.claimState('y')).toEqual(boundTo('named'));
  });

  for (const marked of [false, true]) {
    const how = marked ? 'with its mark' : 'without a mark';
    scenario(`B8/82 what the scheduler began ${how} is finished`, async ({ place, controller }) => {
      await localClass(place);
      await place.createVolume('chosen', local);
      await place.createVolume('other', local);
      await Promise.all(['chosen', 'other'].map((name) => place.untilVolume(name, 'Available')));
      const user = await place.createClaim('x', local);
      await controller.settled();

      const annotations = marked ? { [BOUND_BY_CONTROLLER]: 'yes' } : {};
      await place.patchVolume('chosen', { metadata: { annotations }, spec: { claimRef: claimRefTo(user) } });

      await place.untilBound('chosen', 'x');
      await controller.settled();
      const mark = marked ? { bbc: true as const } : {};
      expect(await place.volumeState('chosen')).toEqual({ phase: 'Bound', ref: refTo(user), ...mark });
      expect(await place.claimState('x')).toEqual(boundTo('chosen', { bbc: true }));
      expect(await place.volumeState('other')).toEqual({ phase: 'Available' });
      expect(await place.phasesOf('chosen')).toEqual(['Pending', 'Available', 'Bound']);
    });
  }
}

function localClass(place: Place) {
  return place.createClass('local', 'kubernetes.io/no-provisioner', { volumeBindingMode: 'WaitForFirstConsumer' });
}

function waitsFor(pods: string): Told {
  return { type: 'Normal', reason: 'WaitForPodScheduled', message: `waiting for ${pods} to be scheduled` };
}
