/** B1: released, used again, bound again. */
import { expect } from 'vitest';
import type { Scenario } from './describe-field.ts';
import { boundTo, refTo } from './states.ts';
import { noVolume } from './told.ts';

export function released(scenario: Scenario): void {
  for (const [how, pause] of [
    ['after the release', true],
    ['at once', false],
  ] as const) {
    scenario(`B1/2 a claim that is recreated ${how} does not get its predecessor's volume`, async (stage) => {
      const { place, controller } = stage;
      await place.createVolume('kept');
      const old = await place.createClaim('x');
      await place.untilBound('kept', 'x');

      await place.deleteClaim('x');
      if (pause) await place.untilVolume('kept', 'Released');
      else await place.untilGone(place.claimPath('x'));
      const recreated = await place.createClaim('x');

      await place.untilTold(recreated, noVolume);
      await place.untilVolume('kept', 'Released');
      await controller.settled();
      expect(await place.volumeState('kept')).toEqual({ phase: 'Released', ref: refTo(old), bbc: true });
      expect(await place.claimState('x')).toEqual({ phase: 'Pending' });
      expect((await place.phasesOf('kept')).slice(-2)).toEqual(['Bound', 'Released']);
    });
  }

  for (const named of [false, true]) {
    const title = named ? 'a claim that names it' : 'a claim that names no volume';
    scenario(
      `B1/4 a Released volume without the uid is Available, and then ${title} of that name has it`,
      async (stage) => {
        const { place, controller } = stage;
        const { namespace } = place;
        await place.createVolume('reserved', { spec: { claimRef: { namespace, name: 'x' } } });
        await place.createClaim('x');
        await place.untilBound('reserved', 'x');
        await place.release('x', 'reserved');

        await place.patchVolume('reserved', { spec: { claimRef: { uid: null, resourceVersion: null } } });
        await place.untilVolume('reserved', 'Available');
        await controller.settled();
        expect(await place.volumeState('reserved')).toEqual({ phase: 'Available', ref: `${namespace}/x` });

        const second = await place.createClaim('x', named ? { spec: { volumeName: 'reserved' } } : {});
        await place.untilBound('reserved', 'x');
        await controller.settled();
        expect(await place.volumeState('reserved')).toEqual({ phase: 'Bound', ref: refTo(second) });
        expect(await place.claimState('x')).toEqual(boundTo('reserved', named ? {} : { bbc: true }));
      },
    );
  }

  scenario('B1/5 a Released volume without claimRef is Available, and its old message is gone', async (stage) => {
    const { place, controller } = stage;
    await place.createVolume('freed');
    const old = await place.createClaim('x');
    await place.untilBound('freed', 'x');
    await place.release('x', 'freed');
    await place.patchStatus(place.volumePath('freed'), { message: 'of an older time' });
    await controller.settled();
    const before = { phase: 'Released', ref: refTo(old), message: 'of an older time', bbc: true };
    expect(await place.volumeState('freed')).toEqual(before);

    await place.patchVolume('freed', { spec: { claimRef: null } });

    await place.untilVolume('freed', 'Available');
    await controller.settled();
    expect(await place.volumeState('freed')).toEqual({ phase: 'Available', bbc: true });
  });

  scenario('B1/7 a volume without claimRef goes to whoever waits, in another namespace too', async (stage) => {
    const { place, controller } = stage;
    const other = `${place.namespace}-b`;
    await place.request('POST', '/api/v1/namespaces', { metadata: { name: other } });
    await place.createVolume('migrating');
    await place.createClaim('x');
    await place.untilBound('migrating', 'x');
    const waiting = await place.createClaim('z', {}, other);
    await place.untilTold(waiting, noVolume);
    await place.release('x', 'migrating');

    await place.patchVolume('migrating', { spec: { claimRef: null } });

    await place.untilClaim('z', 'Bound', other);
    await controller.settled();
    expect(await place.volumeState('migrating')).toEqual({ phase: 'Bound', ref: refTo(waiting), bbc: true });
    expect(await place.claimState('z', other)).toEqual(boundTo('migrating', { bbc: true }));
  });

  scenario('B1/9 a claim that names a volume gets it, though a smaller one is free', async (stage) => {
    const { place, controller } = stage;
    await place.createVolume('small');
    await place.createVolume('big', { spec: { capacity: { storage: '10Gi' } } });
    await Promise.all(['small', 'big'].map((name) => place.untilVolume(name, 'Available')));

    const named = await place.createClaim('x', { spec: { volumeName: 'big' } });

    await place.untilBound('big', 'x');
    await controller.settled();
    expect(await place.volumeState('big')).toEqual({ phase: 'Bound', ref: refTo(named), bbc: true });
    expect(await place.claimState('x')).toEqual(boundTo('big', { capacity: '10Gi' }));
    expect(await place.volumeState('small')).toEqual({ phase: 'Available' });
  });

  scenario('B1/15 a retained CSI volume is attached again by a new object with the old handle', async (stage) => {
    const { place, controller } = stage;
    const { namespace } = place;
    const csi = { driver: 'linodebs.csi.example.com', volumeHandle: '12345-pvc' };
    const spec = { hostPath: undefined, csi, storageClassName: 'block' };
    await place.createVolume('first', { spec });
    await place.createClaim('x', { spec: { storageClassName: 'block' } });
    await place.untilBound('first', 'x');
    await place.release('x', 'first');
    await place.forceDelete(place.volumePath('first'));

    await place.createVolume('again', { spec: { ...spec, claimRef: { namespace, name: 'x' } } });
    await place.untilVolume('again', 'Available');
    const second = await place.createClaim('x', { spec: { storageClassName: 'block', volumeName: 'again' } });

    await place.untilBound('again', 'x');
    await controller.settled();
    expect(await place.volumeState('again')).toEqual({ phase: 'Bound', ref: refTo(second) });
    expect(await place.claimState('x')).toEqual(boundTo('again'));
  });
}
