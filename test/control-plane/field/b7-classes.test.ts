/** B7: storage classes. Without the admission that hands out the default class, so that the controller has to. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { DEFAULT_CLASS } from '../../../lib/controller/annotations.ts';
import type { StorageClass } from '../../../lib/controller/types.ts';
import { describeField } from './describe-field.ts';
import { boundTo, refTo } from './states.ts';
import { noVolume } from './told.ts';

const isDefault = { [DEFAULT_CLASS]: 'true' };
const unset = { spec: { storageClassName: undefined } };
const disableAdmission = ['ServiceAccount', 'StorageObjectInUseProtection', 'DefaultStorageClass'];

describeField('B7: storage classes', { plane: { disableAdmission } }, (scenario) => {
  scenario(
    'B7/74 of several default classes the newest counts, and of equally old ones the first by name',
    async (stage) => {
      const { place, controller } = stage;
      const { client } = place;
      await place.createClass('a-old', 'csi.example.com', {}, isDefault);
      await sleep(1_100); // creation times have whole seconds
      await Promise.all(['z', 'm', 'k'].map((name) => place.createClass(name, 'csi.example.com', {}, isDefault)));
      await place.createClass('b-plain', 'csi.example.com');
      const classes = await Promise.all(
        ['z', 'm', 'k'].map((name) =>
          client.request<StorageClass>('GET', `/apis/storage.k8s.io/v1/storageclasses/${name}`),
        ),
      );
      const times = classes.map(({ body }) => ({
        name: body.metadata.name,
        at: body.metadata.creationTimestamp ?? '',
      }));
      const newest = times.reduce((a, b) => (b.at > a.at || (b.at === a.at && b.name < a.name) ? b : a));

      await place.createClaim('x', unset);
      await place.createClaim('empty');

      await controller.settled();
      expect((await place.claim('x')).spec.storageClassName).toBe(newest.name);
      expect(await place.claimState('x')).toEqual({ phase: 'Pending' });
      expect((await place.claim('empty')).spec.storageClassName).toBe('');
    },
  );

  scenario(
    'B7/75 a claim without a class gets the class that becomes the default later; an empty class stays',
    async (s) => {
      const { place, controller } = s;
      const later = await place.createClaim('later', unset);
      const empty = await place.createClaim('empty');
      await Promise.all([place.untilTold(later, noVolume), place.untilTold(empty, noVolume)]);
      await place.createClass('gp3', 'ebs.csi.example.com');
      await controller.settled();
      expect((await place.claim('later')).spec.storageClassName).toBeUndefined();

      await place.request('PATCH', '/apis/storage.k8s.io/v1/storageclasses/gp3', {
        metadata: { annotations: isDefault },
      });

      await controller.settled();
      expect((await place.claim('later')).spec.storageClassName).toBe('gp3');
      expect((await place.claim('empty')).spec.storageClassName).toBe('');
      expect(await place.claimState('empty')).toEqual({ phase: 'Pending' });
      await place.createVolume('static');
      await place.untilBound('static', 'empty');
    },
  );

  scenario('B7/75 no class and the empty class are one, for volumes and for claims', async ({ place, controller }) => {
    await place.createClass('gp3', 'ebs.csi.example.com', {}, isDefault);
    await place.createVolume('no-class', { spec: { storageClassName: undefined } });
    await place.untilVolume('no-class', 'Available');
    // A free volume without a class goes before the default class.
    const first = await place.createClaim('first', unset);
    await place.untilBound('no-class', 'first');
    await place.createVolume('empty-class', { spec: { storageClassName: '' } });
    const second = await place.createClaim('second');
    await place.untilBound('empty-class', 'second');

    await controller.settled();
    expect(await place.volumeState('no-class')).toEqual({ phase: 'Bound', ref: refTo(first), bbc: true });
    expect(await place.claimState('first')).toEqual(boundTo('no-class', { bbc: true }));
    expect((await place.claim('first')).spec.storageClassName).toBeUndefined();
    expect(await place.volumeState('empty-class')).toEqual({ phase: 'Bound', ref: refTo(second), bbc: true });
    expect(await place.claimState('second')).toEqual(boundTo('empty-class', { bbc: true }));
  });
});
