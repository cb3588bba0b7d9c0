/** B10: capacity, time stamps, and a reclaim policy that changes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { PRE_RESIZE_CAPACITY } from '../../../lib/controller/annotations.ts';
import type { Scenario } from './describe-field.ts';
import { boundTo, refTo } from './states.ts';

const ten = { capacity: { storage: '10Gi' } };

export function changes(scenario: Scenario): void {
  scenario('B10/87 a claim shows the capacity of its volume, and what a resize makes of it stays', async (stage) => {
    const { place, controller } = stage;
    await place.createVolume('large', { spec: ten });
    await place.createClaim('x');
    await place.untilBound('large', 'x');
    await controller.settled();
    expect(await place.claimState('x')).toEqual(boundTo('large', { capacity: '10Gi', bbc: true }));

    await place.patchVolume('large', { spec: { capacity: { storage: '20Gi' } } });
    await place.patchStatus(place.claimPath('x'), { capacity: { storage: '15Gi' } });

    expect(await controller.fullResyncWrites()).toEqual([]);
    expect(await place.claimState('x')).toEqual(boundTo('large', { capacity: '15Gi', bbc: true }));
  });

  scenario('B10/87 a volume that is being resized shows the size it had before', async ({ place, controller }) => {
    await place.createVolume('growing', { annotations: { [PRE_RESIZE_CAPACITY]: '1Gi' }, spec: ten });
    await place.createClaim('x');
    await place.untilBound('growing', 'x');

    await controller.settled();
    expect(await place.claimState('x')).toEqual(boundTo('growing', { capacity: '1Gi', bbc: true }));
  });

  scenario('B10/89 the time of the last phase change moves with the phase only', async ({ place, controller }) => {
    const time = async () => (await place.volume('timed')).status?.lastPhaseTransitionTime;
    await place.createVolume('timed');
    await place.createClaim('x');
    await place.untilBound('timed', 'x');
    await controller.settled();
    const bound = await time();
    expect(bound).toBeDefined();

    await sleep(1_100); // it has whole seconds
    await place.patchVolume('timed', { metadata: { labels: { touched: 'yes' } } });
    expect(await controller.fullResyncWrites()).toEqual([]);
    expect(await time()).toBe(bound);

    await place.release('x', 'timed');
    const released = await time();
    expect(Date.parse(`${released}`)).toBeGreaterThan(Date.parse(`${bound}`));
    await sleep(1_100);
    expect(await controller.fullResyncWrites()).toEqual([]);
    expect(await time()).toBe(released);
  });

  scenario('B10/90 a volume whose policy became Retain before its release is kept', async ({ place, controller }) => {
    await place.createVolume('saved', { spec: { persistentVolumeReclaimPolicy: 'Delete' } });
    const user = await place.createClaim('x');
    await place.untilBound('saved', 'x');
    await place.patchVolume('saved', { spec: { persistentVolumeReclaimPolicy: 'Retain' } });

    await place.release('x', 'saved');

    expect(await controller.fullResyncWrites()).toEqual([]);
    expect(await place.volumeState('saved')).toEqual({ phase: 'Released', ref: refTo(user), bbc: true });
    expect(await place.phasesOf('saved')).toEqual(['Pending', 'Available', 'Bound', 'Released']);
  });

  scenario('B10/90 a Released volume whose policy becomes Delete is deleted', async ({ place }) => {
    await place.createVolume('done');
    await place.createClaim('x');
    await place.untilBound('done', 'x');
    await place.release('x', 'done');

    await place.patchVolume('done', { spec: { persistentVolumeReclaimPolicy: 'Delete' } });

    await place.untilGone(place.volumePath('done'));
    expect(await place.phasesOf('done')).toEqual(['Pending', 'Available', 'Bound', 'Released']);
  });
}
