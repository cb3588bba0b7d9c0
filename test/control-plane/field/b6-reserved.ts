/** B6: volumes that are reserved, races for one, and phases in which a volume is not for everybody. */
import { expect } from 'vitest';
import type { PersistentVolumeClaim } from '../../../lib/controller/types.ts';
import type { Scenario } from './describe-field.ts';
import { boundTo, claimRefTo, refTo } from './states.ts';
import { mismatch, noVolume, taken } from './told.ts';

const rounds = Array.from({ length: 8 }, (_, i) => i);

export function reserved(scenario: Scenario): void {
  scenario('B6/65 a reservation by the volume holds across classes, a wish of the claim does not', async (stage) => {
    const { place, controller } = stage;
    const { namespace } = place;
    await place.createVolume('reserved', { spec: { storageClassName: 'slow', claimRef: { namespace, name: 'x' } } });
    await place.createVolume('free', { spec: { storageClassName: 'slow' } });
    await Promise.all(['reserved', 'free'].map((name) => place.untilVolume(name, 'Available')));

    const heir = await place.createClaim('x', { spec: { storageClassName: 'fast' } });
    const wishful = await place.createClaim('y', { spec: { storageClassName: 'fast', volumeName: 'free' } });

    await place.untilBound('reserved', 'x');
    await place.untilTold(wishful, mismatch('free', 'storageClassName does not match'));
    await controller.settled();
    expect(await place.volumeState('reserved')).toEqual({ phase: 'Bound', ref: refTo(heir) });
    expect(await place.claimState('x')).toEqual(boundTo('reserved', { bbc: true }));
    expect(await place.volumeState('free')).toEqual({ phase: 'Available' });
    expect(await place.claimState('y')).toEqual({ phase: 'Pending', vol: 'free' });
  });

  scenario('B6/67 of claims that race for one volume exactly one is Bound', async ({ place, controller }) => {
    await Promise.all(
      rounds.map(async (i) => {
        const spec = { storageClassName: `race-${i}` };
        const [a, b] = await Promise.all([
          place.createClaim(`a-${i}`, { spec }),
          place.createClaim(`b-${i}`, { spec }),
          place.createVolume(`prize-${i}`, { spec }),
        ]);
        const { spec: won } = await place.untilVolume(`prize-${i}`, 'Bound');
        const [winner, loser] = won.claimRef?.uid === a.metadata.uid ? [a, b] : [b, a];
        await place.untilClaim(winner.metadata.name, 'Bound');
        expect(won.claimRef?.uid).toBe(winner.metadata.uid);
        races.push({ winner, loser, prize: `prize-${i}` });
      }),
    );

    await controller.settled();
    for (const { winner, loser, prize } of races.splice(0)) {
      expect(await place.volumeState(prize)).toEqual({ phase: 'Bound', ref: refTo(winner), bbc: true });
      expect(await place.claimState(winner.metadata.name)).toEqual(boundTo(prize, { bbc: true }));
      expect(await place.claimState(loser.metadata.name)).toEqual({ phase: 'Pending' });
    }
  });

  scenario('B6/67 the claim that a volume is reserved for wins every race', async ({ place, controller }) => {
    const { namespace } = place;
    await Promise.all(
      rounds.map(async (i) => {
        const claimRef = { namespace, name: `heir-${i}` };
        const spec = { storageClassName: `race-${i}` };
        const [, , heir, named] = await Promise.all([
          place.createVolume(`prize-${i}`, { spec: { ...spec, claimRef } }),
          place.createClaim(`thief-${i}`, { spec }),
          place.createClaim(`heir-${i}`, { spec }),
          place.createClaim(`named-${i}`, { spec: { ...spec, volumeName: `prize-${i}` } }),
        ]);
        await place.untilBound(`prize-${i}`, `heir-${i}`);
        await place.untilTold(named, taken(`prize-${i}`));
        heirs.push(heir);
      }),
    );

    await controller.settled();
    for (const heir of heirs.splice(0)) {
      const i = heir.metadata.name.replace('heir-', '');
      expect(await place.volumeState(`prize-${i}`)).toEqual({ phase: 'Bound', ref: refTo(heir) });
      expect(await place.claimState(`heir-${i}`)).toEqual(boundTo(`prize-${i}`, { bbc: true }));
      expect(await place.claimState(`thief-${i}`)).toEqual({ phase: 'Pending' });
      expect(await place.claimState(`named-${i}`)).toEqual({ phase: 'Pending', vol: `prize-${i}` });
    }
  });

  scenario(
    'B6/69 a volume that is reserved in another namespace is for that one only',
    async ({ place, controller }) => {
      const other = `${place.namespace}-b`;
      await place.request('POST', '/api/v1/namespaces', { metadata: { name: other } });
      await place.createVolume('moved', { spec: { claimRef: { namespace: other, name: 'x' } } });
      await place.untilVolume('moved', 'Available');
      const namesake = await place.createClaim('x');
      await place.untilTold(namesake, noVolume);
      await controller.settled();
      expect(await place.volumeState('moved')).toEqual({ phase: 'Available', ref: `${other}/x` });

      const heir = await place.createClaim('x', {}, other);

      await place.untilClaim('x', 'Bound', other);
      await controller.settled();
      expect(await place.volumeState('moved')).toEqual({ phase: 'Bound', ref: refTo(heir) });
      expect(await place.claimState('x', other)).toEqual(boundTo('moved', { bbc: true }));
      expect(await place.claimState('x')).toEqual({ phase: 'Pending' });
    },
  );

  scenario(
    'B6/70 a volume waits for the claim of a StatefulSet, which takes it before a smaller one',
    async (stage) => {
      const { place, controller } = stage;
      const ref = `${place.namespace}/data-0`;
      const claimRef = { namespace: place.namespace, name: 'data-0' };
      await place.createVolume('kept', { spec: { capacity: { storage: '10Gi' }, claimRef } });
      await place.createVolume('smaller');
      await Promise.all(['kept', 'smaller'].map((name) => place.untilVolume(name, 'Available')));
      expect(await controller.fullResyncWrites()).toEqual([]);
      expect(await place.volumeState('kept')).toEqual({ phase: 'Available', ref });

      const heir = await place.createClaim('data-0');

      await place.untilBound('kept', 'data-0');
      await controller.settled();
      expect(await place.volumeState('kept')).toEqual({ phase: 'Bound', ref: refTo(heir) });
      expect(await place.claimState('data-0')).toEqual(boundTo('kept', { capacity: '10Gi', bbc: true }));
      expect(await place.volumeState('smaller')).toEqual({ phase: 'Available' });
    },
  );

  scenario('B6/72 a Released or Failed volume is for nobody but the claim it is reserved for', async (stage) => {
    const { place, controller } = stage;
    for (const name of ['released', 'failed', 'healed']) {
      await place.createVolume(name, { spec: { storageClassName: name } });
      await place.createClaim(`old-${name}`, { spec: { storageClassName: name } });
      await place.untilBound(name, `old-${name}`);
      await place.release(`old-${name}`, name);
    }
    for (const name of ['failed', 'healed']) {
      await place.patchStatus(place.volumePath(name), { phase: 'Failed', message: 'out of order' });
    }
    const claims: PersistentVolumeClaim[] = [];
    for (const name of ['released', 'failed', 'healed']) {
      claims.push(await place.createClaim(`new-${name}`, { spec: { storageClassName: name } }));
    }
    await controller.settled();
    expect(await controller.fullResyncWrites()).toEqual([]);
    for (const { metadata } of claims) expect(await place.claimState(metadata.name)).toEqual({ phase: 'Pending' });
    expect((await place.volumeState('released')).phase).toBe('Released');
    expect((await place.volumeState('failed')).phase).toBe('Failed');

    const healed = claims[2] as PersistentVolumeClaim;
    await place.patchVolume('healed', { spec: { claimRef: { ...claimRefTo(healed), resourceVersion: null } } });

    await place.untilBound('healed', 'new-healed');
    await controller.settled();
    expect(await place.volumeState('healed')).toEqual({ phase: 'Bound', ref: refTo(healed), bbc: true });
    expect(await place.claimState('new-healed')).toEqual(boundTo('healed', { bbc: true }));
  });

  scenario('B6/72 a new volume is matched once it is Available, not before', async ({ place, controller }) => {
    // The API server makes every new volume Pending, so a volume without a phase cannot be created.
    const waiting = await place.createClaim('x');
    await place.untilTold(waiting, noVolume);

    expect((await place.createVolume('new')).status?.phase).toBe('Pending');

    await place.untilBound('new', 'x');
    await controller.settled();
    const early = (await place.historyOf('new')).filter(({ status }) => status?.phase === 'Pending');
    expect(early.map(({ spec }) => spec.claimRef)).toEqual(early.map(() => undefined));
    expect(await place.phasesOf('new')).toEqual(['Pending', 'Available', 'Bound']);
  });
}

const races: { winner: PersistentVolumeClaim; loser: PersistentVolumeClaim; prize: string }[] = [];
const heirs: PersistentVolumeClaim[] = [];
