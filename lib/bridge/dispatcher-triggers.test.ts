/** Which keys the dispatcher has looked at for a change, and in whose name. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { PersistentVolume, Pod, SyncKey } from '../controller/types.ts';
import { keyOf } from '../queue/message.ts';
import { Dispatcher, type DispatcherOptions } from './dispatcher.ts';
import type { Trigger } from './occasion.ts';
import { Registry } from './registry.ts';
import { claim, storageClass, volume } from './testing/objects.ts';

let registry: Registry;
let dispatcher: Dispatcher;
let looks: [key: string, trigger: Trigger][];
let told: string[];
/** What the looks at these keys wait for. */
let acceptances: Map<string, Promise<void>>;

beforeEach(() => {
  registry = new Registry();
  looks = [];
  told = [];
  acceptances = new Map();
  const options = {
    registry,
    publisher: { room: async () => {} },
    clock: { now: () => 0, after: () => () => {} },
    evaluator: {
      forget: () => {},
      sendDeleted: (_kind: string, { metadata }: PersistentVolume) => void told.push(`deleted ${metadata.uid}`),
    },
    echo: {
      look: (key: SyncKey, trigger: Trigger) => {
        looks.push([keyOf(key), trigger]);
        return acceptances.get(keyOf(key));
      },
    },
    wake: {
      volumeChanged: ({ after }: { after?: PersistentVolume }) => {
        told.push(`wake ${after?.metadata.name}`);
        return [];
      },
      claimChanged: () => [],
    },
    volumeOfPod: ({ metadata }: Pod) => (metadata.name === 'recycler' ? 'pv' : undefined),
  };
  dispatcher = new Dispatcher(options as unknown as DispatcherOptions);
});

const at = <T extends { metadata: object }>(version: string, object: T, uid = `uid-of-${version}`): T => ({
  ...object,
  metadata: { ...object.metadata, uid, resourceVersion: version },
});
const pv = (version: string, spec = {}, uid = 'pv-uid') => at(version, volume('pv', spec), uid);
const one = (version: string, spec = {}, uid = 'one-uid') => at(version, claim('one', spec), uid);

const volumes = () => dispatcher.handler('PersistentVolume');
const claims = () => dispatcher.handler('PersistentVolumeClaim');
const classes = () => dispatcher.handler('StorageClass');
const pods = () => dispatcher.handler('Pod');
const PV = 'PersistentVolume/pv';
const ONE = 'PersistentVolumeClaim/ns/one';

/** Gives all lists, with these objects, and forgets the looks that come of it. */
async function listed(heldVolumes: PersistentVolume[] = [], heldClaims = [] as ReturnType<typeof one>[]) {
  const works = [volumes().onList(heldVolumes, '10'), claims().onList(heldClaims, '11'), classes().onList([], '9')];
  await Promise.all(works);
  const first = looks;
  looks = [];
  told = [];
  return first;
}

describe('before all lists are there', () => {
  it('nothing is looked at; then everything is, in the name of the newest list, and of all of them', async () => {
    let isDone = false;
    void volumes()
      .onList([pv('3')], '10')
      .then(() => {
        isDone = true;
      });
    void claims().onEvent('ADDED', one('12'));
    void pods().onEvent('MODIFIED', at('13', { metadata: { name: 'recycler' } }));
    void pods().onList([], '13');
    expect([dispatcher.isReady, looks]).toEqual([false, []]);
    void claims().onList([one('12')], '14');
    await new Promise(setImmediate);
    expect([isDone, looks]).toEqual([false, []]);
    await classes().onList([], '9');
    await dispatcher.ready;
    expect([dispatcher.isReady, isDone, dispatcher.looks]).toEqual([true, true, 0]);
    const trigger = { version: '14', listVersion: '10,14,9' };
    expect(looks).toEqual([
      [PV, trigger],
      [ONE, trigger],
    ]);
  });

  it('a list of pods has no volume looked at, and neither it nor an event is done with', async () => {
    const recycled = at('3', volume('pv', { persistentVolumeReclaimPolicy: 'Recycle' }, 'Released'), 'pv-uid');
    void volumes().onList([recycled], '10');
    const done: string[] = [];
    void pods()
      .onList([], '13')
      .then(() => done.push('pods'));
    void volumes()
      .onEvent('MODIFIED', { ...recycled, metadata: { ...recycled.metadata, resourceVersion: '14' } })
      .then(() => done.push('event'));
    await new Promise(setImmediate);
    expect([looks, done]).toEqual([[], []]);
    await Promise.all([claims().onList([], '14'), classes().onList([], '9')]);
    await new Promise(setImmediate);
    expect(done.sort()).toEqual(['event', 'pods']);
  });

  it('the deletion of an object is told all the same', async () => {
    void volumes().onList([pv('3')], '10');
    void volumes().onEvent('DELETED', pv('12'));
    expect([told, looks]).toEqual([['deleted pv-uid'], []]);
    await Promise.all([claims().onList([], '14'), classes().onList([], '9')]);
    expect(looks).toEqual([]);
  });

  it('so is that of one that another list shows to be replaced, though all lists are not there yet', async () => {
    void volumes().onList([pv('3', {}, 'old-uid')], '10');
    void volumes().onList([pv('12', {}, 'new-uid')], '13');
    expect([told, looks]).toEqual([['deleted old-uid'], []]);
    await Promise.all([claims().onList([], '14'), classes().onList([], '9')]);
    expect(looks.map(([key]) => key)).toEqual([PV]);
  });
});

describe('an event', () => {
  it('of a new volume has it looked at, urgently and in any case, and so the claim that names it', async () => {
    await listed([], [one('5', { volumeName: 'pv' })]);
    await volumes().onEvent('ADDED', pv('20'));
    const cause = { uid: 'pv-uid', resourceVersion: '20' };
    expect(looks).toEqual([
      [PV, { version: '20', reason: 'added', force: true, urgent: true }],
      [ONE, { version: '20', cause, urgent: true, force: true }],
    ]);
    expect(told).toEqual(['wake pv']);
  });

  it('of a new claim has the volume that it names looked at, urgently, and only as it needs', async () => {
    await listed([pv('3')]);
    await claims().onEvent('ADDED', one('20', { volumeName: 'pv' }));
    expect(looks).toEqual([
      [ONE, { version: '20', reason: 'added', force: true, urgent: true }],
      [PV, { version: '20', cause: { uid: 'one-uid', resourceVersion: '20' }, urgent: true }],
    ]);
    expect(told).toEqual([]);
  });

  it('in any case, when a waiting claim is changed to ask for something else', async () => {
    await listed([], [one('3')]);
    await claims().onEvent('MODIFIED', one('20', {}));
    await claims().onEvent('MODIFIED', one('21', { volumeName: 'gone' }));
    expect(looks).toEqual([
      [ONE, { version: '20', reason: 'modified' }],
      [ONE, { version: '21', reason: 'modified', force: true }],
    ]);
  });

  it('of a change has it and its partner looked at as they need', async () => {
    await listed([pv('3')], [one('5', { volumeName: 'pv' })]);
    await volumes().onEvent('MODIFIED', pv('20', { storageClassName: 'fast' }));
    expect(looks).toEqual([
      [PV, { version: '20', reason: 'modified' }],
      [ONE, { version: '20', cause: { uid: 'pv-uid', resourceVersion: '20' } }],
    ]);
  });

  it.each([
    ['both', [PV, ONE]],
    ['its own', [PV]],
    ['the other one', [ONE]],
  ])('is done when every message that it led to is accepted: %s', async (_which, keys) => {
    await listed([pv('3')], [one('5', { volumeName: 'pv' })]);
    const accept = keys.map((key) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      acceptances.set(key, promise);
      return resolve;
    });
    let isDone = false;
    void volumes()
      .onEvent('MODIFIED', pv('12'))
      .then(() => {
        isDone = true;
      });
    for (const resolve of accept) {
      await new Promise(setImmediate);
      expect(isDone).toBe(false);
      resolve();
    }
    await new Promise(setImmediate);
    expect(isDone).toBe(true);
  });

  it('fails when a message that it led to is given up', async () => {
    await listed([pv('3')], [one('5', { volumeName: 'pv' })]);
    acceptances.set(PV, Promise.resolve());
    acceptances.set(ONE, Promise.reject(new Error('given up')));
    await expect(volumes().onEvent('MODIFIED', pv('12'))).rejects.toThrow('given up');
  });

  it('of an object that a list had shown already is no new one', async () => {
    await listed([pv('3')]);
    await volumes().onEvent('ADDED', pv('4'));
    expect(looks).toEqual([[PV, { version: '4', reason: 'added' }]]);
  });

  it('of another object of the name tells of the old one too', async () => {
    await listed([pv('3')]);
    await volumes().onEvent('MODIFIED', pv('20', {}, 'new-uid'));
    expect(told).toContain('deleted pv-uid');
    expect(looks).toContainEqual([PV, { version: '20', reason: 'modified' }]);
  });

  it('that is older than what is held is passed over', async () => {
    await listed([pv('8')]);
    await volumes().onEvent('MODIFIED', pv('7'));
    expect([looks, told]).toEqual([[], []]);
  });

  it('of a deletion tells it and has those looked at that it leaves behind', async () => {
    await listed([pv('3')], [one('5', { volumeName: 'pv' })]);
    await volumes().onEvent('DELETED', pv('20'));
    expect(told).toEqual(['deleted pv-uid', 'wake undefined']);
    expect(looks).toEqual([[ONE, { version: '20', cause: { uid: 'pv-uid', resourceVersion: 'deleted' } }]]);
  });

  it('of a class has its unbound claims looked at, also when it goes', async () => {
    await listed([], [one('5', { storageClassName: 'fast' })]);
    const fast = (version: string) => at(version, storageClass('fast'), 'fast-uid');
    await classes().onEvent('ADDED', fast('20'));
    await classes().onEvent('DELETED', fast('21'));
    expect(looks).toEqual([
      [ONE, { version: '20', cause: { uid: 'fast-uid', resourceVersion: '20' }, urgent: true, force: true }],
      [ONE, { version: '21', cause: { uid: 'fast-uid', resourceVersion: '21' }, urgent: true, force: true }],
    ]);
    expect(told).toEqual([]);
  });
});

describe('a later list', () => {
  it('of volumes has the changed ones looked at with their partners, and then all', async () => {
    await listed([pv('3')], [one('5', { volumeName: 'pv' })]);
    await volumes().onList([pv('20')], '30');
    const trigger = { version: '30', listVersion: '30,11,9' };
    expect(looks).toEqual([
      [PV, trigger],
      [ONE, trigger],
      [PV, trigger],
    ]);
  });

  it('tells of what is gone, and of what another object has replaced', async () => {
    const old = at('3', volume('old'), 'old-uid');
    await listed([pv('3'), old]);
    await volumes().onList([pv('20', {}, 'new-uid')], '30');
    expect(told.filter((what) => what.startsWith('deleted'))).toEqual(['deleted old-uid', 'deleted pv-uid']);
  });

  it('of classes has the claims of the changed ones looked at, and nothing else', async () => {
    await listed([pv('3')], [one('5', { storageClassName: 'fast' }), at('6', claim('two'))]);
    await classes().onList([at('20', storageClass('fast'))], '30');
    expect(looks).toEqual([[ONE, { version: '30', listVersion: '10,11,30', urgent: true }]]);
  });
});

describe('a recycler pod', () => {
  const recycled = (name: string, phase: string): PersistentVolume => {
    const object = at('3', volume(name, { persistentVolumeReclaimPolicy: 'Recycle' }, phase));
    return object;
  };

  it('has its volume looked at, urgently and in any case', async () => {
    await listed([pv('3')]);
    await pods().onEvent('MODIFIED', at('20', { metadata: { name: 'recycler' } }, 'pod-uid'));
    await pods().onEvent('MODIFIED', at('21', { metadata: { name: 'other' } }));
    const cause = { uid: 'pod-uid', resourceVersion: '20' };
    expect(looks).toEqual([[PV, { version: '20', cause, force: true, urgent: true }]]);
  });

  it('may have ended unseen: a list has the volumes looked at that wait for one', async () => {
    await listed([recycled('a', 'Released'), recycled('b', 'Available')]);
    await pods().onList([], '30');
    expect(looks).toEqual([['PersistentVolume/a', { version: '30', listVersion: '30' }]]);
  });
});
