/** B1: claims that lose their volume, and get it back. */
import { expect } from 'vitest';
import { BIND_COMPLETED } from '../../../lib/controller/annotations.ts';
import type { Scenario } from './describe-field.ts';
import { boundTo, claimRefTo, refTo } from './states.ts';
import { lostVolume, misbound, noVolume } from './told.ts';

export function lost(scenario: Scenario): void {
  for (const [what, byUid] of [
    ['free', false],
    ['reserved for it', true],
  ] as const) {
    scenario(`B1/10 a restored claim is Lost until its volume comes back ${what}`, async (stage) => {
      const { place, controller } = stage;
      const restored = await place.createClaim('x', {
        annotations: { [BIND_COMPLETED]: 'yes' },
        spec: { volumeName: 'backed-up' },
      });
      await place.untilClaim('x', 'Lost');
      await place.untilTold(restored, lostVolume);
      expect(await controller.fullResyncWrites()).toEqual([]);
      expect(await place.claimState('x')).toEqual({ phase: 'Lost', vol: 'backed-up', bc: true });

      await place.createVolume('backed-up', byUid ? { spec: { claimRef: claimRefTo(restored) } } : {});

      await place.untilBound('backed-up', 'x');
      await controller.settled();
      const chosen = byUid ? {} : { bbc: true as const };
      expect(await place.volumeState('backed-up')).toEqual({ phase: 'Bound', ref: refTo(restored), ...chosen });
      expect(await place.claimState('x')).toEqual(boundTo('backed-up'));
      expect(await place.claimPhasesOf('x')).toEqual(['Pending', 'Lost', 'Bound']);
    });
  }

  scenario('B1/10 a claim that is bound to nothing is Lost', async ({ place, controller }) => {
    const restored = await place.createClaim('x', { annotations: { [BIND_COMPLETED]: 'yes' } });

    await place.untilClaim('x', 'Lost');
    await controller.settled();
    expect(await place.claimState('x')).toEqual({ phase: 'Lost', bc: true });
    const message = 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!';
    await place.untilTold(restored, { type: 'Warning', reason: 'ClaimLost', message });
  });

  scenario('B1/12 a claim whose volume was pointed at another claim is Lost, and the other is Bound', async (stage) => {
    const { place, controller } = stage;
    await place.createVolume('shared');
    const old = await place.createClaim('old');
    await place.untilBound('shared', 'old');
    const next = await place.createClaim('new');
    await place.untilTold(next, noVolume);

    await place.patchVolume('shared', { spec: { claimRef: { ...claimRefTo(next), resourceVersion: null } } });

    await Promise.all([place.untilClaim('old', 'Lost'), place.untilClaim('new', 'Bound')]);
    await place.untilTold(old, misbound);
    await controller.settled();
    expect(await place.volumeState('shared')).toEqual({ phase: 'Bound', ref: refTo(next), bbc: true });
    expect(await place.claimState('old')).toEqual({ phase: 'Lost', vol: 'shared', bc: true, bbc: true });
    expect(await place.claimState('new')).toEqual(boundTo('shared', { bbc: true }));
    expect((await place.phasesOf('shared')).slice(1)).toEqual(['Available', 'Bound']);
  });

  scenario(
    'B1/14 a manifest that wipes the uid makes the claim Lost, and the uid makes both Bound again',
    async (stage) => {
      const { place, controller } = stage;
      const { namespace } = place;
      await place.createVolume('applied', { spec: { claimRef: { namespace, name: 'x' } } });
      const applied = await place.createClaim('x', { spec: { volumeName: 'applied' } });
      await place.untilBound('applied', 'x');
      // The other half of the report cannot be created: the API server keeps the name of a bound claim's volume.
      const wiped = await place.client.request('PATCH', place.claimPath('x'), { spec: { volumeName: null } });
      expect(wiped.status).toBe(422);

      await place.patchVolume('applied', { spec: { claimRef: { uid: null, resourceVersion: null } } });

      await place.untilClaim('x', 'Lost');
      await place.untilVolume('applied', 'Available');
      await place.untilTold(applied, misbound);
      expect(await controller.fullResyncWrites()).toEqual([]);
      expect(await place.volumeState('applied')).toEqual({ phase: 'Available', ref: `${namespace}/x` });
      expect(await place.claimState('x')).toEqual({ phase: 'Lost', vol: 'applied', bc: true });

      await place.patchVolume('applied', { spec: { claimRef: { uid: applied.metadata.uid } } });

      await place.untilBound('applied', 'x');
      await controller.settled();
      expect(await place.volumeState('applied')).toEqual({ phase: 'Bound', ref: refTo(applied) });
      expect(await place.claimState('x')).toEqual(boundTo('applied'));
    },
  );
}
