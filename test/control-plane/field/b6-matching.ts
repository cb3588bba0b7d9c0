/** B6: which volume a claim gets by its size, class, labels and modes. */
import { expect } from 'vitest';
import type { Scenario } from './describe-field.ts';
import type { Place } from './place.ts';
import { boundTo, refTo } from './states.ts';
import { asked, mismatch, noVolume } from './told.ts';

const size = (storage: string) => ({ capacity: { storage } });
const wants = (storage: string) => ({ resources: { requests: { storage } } });

export function matching(scenario: Scenario): void {
  scenario('B6/54 a claim gets the smallest volume that is large enough', async ({ place, controller }) => {
    await available(place, { ten: size('10Gi'), one: size('1Gi'), half: size('500Mi') });

    const user = await place.createClaim('x');

    await place.untilBound('one', 'x');
    await controller.settled();
    expect(await place.volumeState('one')).toEqual({ phase: 'Bound', ref: refTo(user), bbc: true });
    expect(await place.claimState('x')).toEqual(boundTo('one', { bbc: true }));
    for (const name of ['ten', 'half']) expect(await place.volumeState(name)).toEqual({ phase: 'Available' });
  });

  scenario('B6/55 a claim for which all is too small or taken stays Pending', async ({ place, controller }) => {
    await available(place, { small: size('1Gi'), large: size('10Gi') });
    await place.createClaim('first', { spec: wants('5Gi') });
    await place.untilBound('large', 'first');

    const second = await place.createClaim('second', { spec: wants('5Gi') });

    await place.untilTold(second, noVolume);
    await controller.settled();
    expect(await place.claimState('second')).toEqual({ phase: 'Pending' });
    expect(await place.volumeState('small')).toEqual({ phase: 'Available' });
  });

  scenario('B6/55 with a class, a provisioner is asked instead', async ({ place, controller }) => {
    await place.createClass('fsx', 'fsx.csi.example.com');
    await available(place, { small: { ...size('1Gi'), storageClassName: 'fsx' } });

    const user = await place.createClaim('x', { spec: { ...wants('5Gi'), storageClassName: 'fsx' } });

    await place.untilTold(user, asked('fsx.csi.example.com'));
    await controller.settled();
    expect(await place.claimState('x')).toEqual({ phase: 'Pending' });
    expect((await place.claim('x')).metadata.annotations).toEqual(provisionedBy('fsx.csi.example.com'));
    expect(await place.volumeState('small')).toEqual({ phase: 'Available' });
  });

  scenario('B6/57 a selector decides, and a label that comes later does too', async ({ place, controller }) => {
    await place.createVolume('fast', { labels: { speed: 'fast', zone: 'a' } });
    await place.createVolume('slow', { labels: { speed: 'slow', zone: 'b' } });
    await Promise.all(['fast', 'slow'].map((name) => place.untilVolume(name, 'Available')));
    const labelled = { selector: { matchLabels: { speed: 'slow' } } };
    const expressions = [
      { key: 'zone', operator: 'In', values: ['a', 'c'] },
      { key: 'speed', operator: 'NotIn', values: ['slow'] },
      { key: 'broken', operator: 'DoesNotExist' },
      { key: 'speed', operator: 'Exists' },
    ];
    const none = { selector: { matchLabels: { speed: 'fastest' } } };

    const unlucky = await place.createClaim('unlucky', { spec: none });
    await place.createClaim('labelled', { spec: labelled });
    await place.createClaim('expressed', { spec: { selector: { matchExpressions: expressions } } });

    await Promise.all([place.untilBound('slow', 'labelled'), place.untilBound('fast', 'expressed')]);
    await place.untilTold(unlucky, noVolume);
    await controller.settled();
    expect(await place.claimState('labelled')).toEqual(boundTo('slow', { bbc: true }));
    expect(await place.claimState('expressed')).toEqual(boundTo('fast', { bbc: true }));
    expect(await place.claimState('unlucky')).toEqual({ phase: 'Pending' });

    await available(place, { late: {} });
    await place.patchVolume('late', { metadata: { labels: { speed: 'fastest' } } });
    await place.untilBound('late', 'unlucky');
  });

  scenario('B6/59 a selector with a class takes a static volume, or else asks the provisioner', async (stage) => {
    const { place, controller } = stage;
    await place.createClass('dynamic', 'csi.example.com');
    const spec = { storageClassName: 'dynamic', selector: { matchLabels: { tier: 'gold' } } };
    await place.createVolume('gold', { labels: { tier: 'gold' }, spec: { storageClassName: 'dynamic' } });
    await place.createVolume('lead', { labels: { tier: 'lead' }, spec: { storageClassName: 'dynamic' } });
    await Promise.all(['gold', 'lead'].map((name) => place.untilVolume(name, 'Available')));
    await place.createClaim('first', { spec });
    await place.untilBound('gold', 'first');

    const second = await place.createClaim('second', { spec });

    await place.untilTold(second, asked('csi.example.com'));
    await controller.settled();
    expect(await place.claimState('first')).toEqual(boundTo('gold', { bbc: true }));
    expect(await place.claimState('second')).toEqual({ phase: 'Pending' });
    expect((await place.claim('second')).metadata.annotations).toEqual(provisionedBy('csi.example.com'));
    expect(await place.volumeState('lead')).toEqual({ phase: 'Available' });
  });

  scenario('B6/60 a claim that names a volume gets it in spite of its selector', async ({ place, controller }) => {
    await available(place, { plain: {} });

    const user = await place.createClaim('x', {
      spec: { volumeName: 'plain', selector: { matchLabels: { speed: 'fast' } } },
    });

    await place.untilBound('plain', 'x');
    await controller.settled();
    expect(await place.volumeState('plain')).toEqual({ phase: 'Bound', ref: refTo(user), bbc: true });
    expect(await place.claimState('x')).toEqual(boundTo('plain'));
  });

  scenario('B6/62 a claim that names a volume without its access mode stays Pending', async ({ place, controller }) => {
    await available(place, { single: {} });

    const user = await place.createClaim('x', { spec: { volumeName: 'single', accessModes: ['ReadWriteMany'] } });

    await place.untilTold(user, mismatch('single', 'incompatible accessMode'));
    await controller.settled();
    expect(await place.claimState('x')).toEqual({ phase: 'Pending', vol: 'single' });
    expect(await place.volumeState('single')).toEqual({ phase: 'Available' });
  });

  scenario(
    'B6/62 a claim is told why the volume that it names does not fit when that one comes later',
    async (stage) => {
      const { place, controller } = stage;
      const user = await place.createClaim('x', { spec: { volumeName: 'late', accessModes: ['ReadWriteMany'] } });
      await controller.settled();
      expect(await place.eventsOf(user)).toEqual([]);

      await available(place, { late: {} });

      await place.untilTold(user, mismatch('late', 'incompatible accessMode'));
      await controller.settled();
      expect(await place.claimState('x')).toEqual({ phase: 'Pending', vol: 'late' });
      expect(await place.volumeState('late')).toEqual({ phase: 'Available' });
    },
  );

  scenario(
    'B6/64 the volume with the fewest modes is taken, and ReadWriteOncePod is a mode of its own',
    async (stage) => {
      const { place, controller } = stage;
      const all = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'];
      await available(place, {
        // Smaller, so that only the modes speak against it.
        wide: { accessModes: all, ...size('1Gi') },
        tight: { accessModes: ['ReadWriteOnce'], ...size('2Gi') },
        pod: { accessModes: ['ReadWriteOncePod'], ...size('1Gi'), hostPath: undefined, csi: pod },
      });

      await place.createClaim('first');
      await place.untilBound('tight', 'first');
      await place.createClaim('second');
      await place.untilBound('wide', 'second');
      const third = await place.createClaim('third');
      await place.untilTold(third, noVolume);
      await place.createClaim('pod', { spec: { accessModes: ['ReadWriteOncePod'] } });
      await place.untilBound('pod', 'pod');

      await controller.settled();
      expect(await place.claimState('first')).toEqual(boundTo('tight', { capacity: '2Gi', bbc: true }));
      expect(await place.claimState('second')).toEqual(boundTo('wide', { modes: all, bbc: true }));
      expect(await place.claimState('third')).toEqual({ phase: 'Pending' });
      expect(await place.claimState('pod')).toEqual(boundTo('pod', { modes: ['ReadWriteOncePod'], bbc: true }));
    },
  );
}

const pod = { driver: 'csi.example.com', volumeHandle: 'pod' };

/** Volumes by name, with what is special about their spec, as soon as all can be matched. */
async function available(place: Place, volumes: Readonly<Record<string, object>>): Promise<void> {
  await Promise.all(Object.entries(volumes).map(([name, spec]) => place.createVolume(name, { spec })));
  await Promise.all(Object.keys(volumes).map((name) => place.untilVolume(name, 'Available')));
}

function provisionedBy(provisioner: string): Record<string, string> {
  return {
    'volume.beta.kubernetes.io/storage-provisioner': provisioner,
    'volume.kubernetes.io/storage-provisioner': provisioner,
  };
}
