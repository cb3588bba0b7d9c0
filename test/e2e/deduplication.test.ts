/**
 * Every form of deduplication id within five minutes of its first use (DESIGN D2): what the queue remembers of an earlier
 * message must not swallow a later one that somebody needs. No sweep and no resync helps in these tests.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fullResync } from '../../lib/worker/full-resync.ts';
import { resourceOf } from '../../local/api-server/resources.ts';
import type { Intercept } from '../../local/api-server/server.ts';
import { boundPair, volume } from './objects.ts';
import { redrive } from './queue-tools.ts';
import { eventually, startWorld, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const callsOf = (key: string) => world.done.filter((call) => call.key === key);
const reasonsOf = (key: string) => callsOf(key).flatMap(({ messages }) => messages.map(({ reason }) => reason));

test('a claim that was looked at a moment ago is woken when its volume appears', async () => {
  const { metadata } = await world.objects.createClaim('woken', { storageClassName: '' });
  const { uid = '', resourceVersion = '' } = metadata;
  const message = {
    v: 1,
    kind: 'PersistentVolumeClaim',
    namespace: 'default',
    name: 'woken',
    reason: 'added',
  } as const;
  await world.system.runtime.producer.send([{ message, occasion: { form: 'change', uid, resourceVersion } }]);
  await world.system.settled();
  expect(callsOf('PersistentVolumeClaim/default/woken').length).toBe(1);

  await world.objects.createVolume('wakes');
  await world.system.settled();

  expect(await world.objects.pair('woken', 'wakes')).toBe(boundPair('woken', 'wakes'));
  const [first] = callsOf('PersistentVolumeClaim/default/woken')[1]?.messages ?? [];
  // The claim was the same as at the first look: only the cause tells the two messages apart.
  expect(first).toMatchObject({ uid, resourceVersion, reason: 'enqueued', hint: { volumeName: 'wakes' } });
});

test('a claim that is woken for one volume after the other is woken for each', async () => {
  await world.objects.createClaim('again', { storageClassName: 'again', resources: { requests: { storage: '2Gi' } } });
  await world.system.settled();
  for (let round = 0; round < 2; round++) {
    const name = `again-${round}`;
    await world.objects.createVolume(name, { storageClassName: 'again', capacity: { storage: '2Gi' } });
    await world.system.settled();
    const { volumeName } = (await world.objects.claim('again')).spec;
    expect(volumeName).toBe(name);
    await world.objects.deleteClaim('again');
    await world.system.settled();
    expect(world.phases.get(name)?.at(-1)).toBe('Released');
    await world.objects.createClaim('again', {
      storageClassName: 'again',
      resources: { requests: { storage: '2Gi' } },
    });
    await world.system.settled();
    expect((await world.objects.claim('again')).status?.phase).toBe('Pending');
  }
});

test('a deleted claim reaches its volume, and so does its successor of the same name a moment later', async () => {
  for (const volumeName of ['first', 'second']) {
    await world.objects.createVolume(volumeName, { storageClassName: 'successors' });
    await world.objects.createClaim('successor', { storageClassName: 'successors' });
    await world.system.settled();
    expect(await world.objects.pair('successor', volumeName)).toBe(boundPair('successor', volumeName));

    await world.objects.deleteClaim('successor');
    await world.system.settled();
    expect(world.phases.get(volumeName)).toEqual(['Pending', 'Available', 'Bound', 'Released']);
  }
});

test('a deleted volume reaches its claim', async () => {
  await world.objects.createVolume('gone', { storageClassName: 'gone' });
  await world.objects.createClaim('left-behind', { storageClassName: 'gone' });
  await world.system.settled();
  await world.system.runtime.cluster.delete('PersistentVolume', await world.objects.volume('gone'));
  await world.system.settled();

  expect((await world.objects.claim('left-behind')).status?.phase).toBe('Lost');
});

test('a redrive reaches its key each time, though nothing has changed', async () => {
  await world.objects.createVolume('redriven');
  await world.system.settled();
  const before = callsOf('PersistentVolume/redriven').length;
  for (let round = 1; round <= 3; round++) {
    await redrive(world.system, { kind: 'PersistentVolume', name: 'redriven' });
    await world.system.settled();
    expect(callsOf('PersistentVolume/redriven').length).toBe(before + round);
  }
  expect(reasonsOf('PersistentVolume/redriven').slice(before)).toEqual(['redrive', 'redrive', 'redrive']);
});

test('a scheduled resync reaches every key, the next one too, and one that is delivered twice only once', async () => {
  await world.objects.createVolume('resynced');
  await world.system.settled();
  const { cluster, producer } = world.system.runtime;
  const counted = async (epoch: string) => {
    const before = callsOf('PersistentVolume/resynced').length;
    await fullResync(cluster, producer, epoch);
    await world.system.settled();
    return callsOf('PersistentVolume/resynced').length - before;
  };

  expect(await counted('event-1')).toBe(1);
  expect(await counted('event-2')).toBe(1);
  expect(await counted('event-2')).toBe(0);
});

/** Breaks the watches and has everything that happens meanwhile forgotten, so that only lists can tell of it. */
async function unwatched(meanwhile: () => void, afterwards?: Intercept): Promise<void> {
  const lists = () => world.server.requests.count('list', 'persistentvolumes');
  const before = lists();
  world.server.intercept = ({ api }) => (api?.verb === 'watch' ? 'cut' : undefined);
  world.server.cutConnections();
  meanwhile();
  world.server.compactHistory();
  world.server.intercept = afterwards;
  await eventually('a relist', () => lists() > before);
}

test('a relist reaches a claim that was looked at before, for the volume that appeared while nobody watched', async () => {
  await world.objects.createClaim('unseen', { storageClassName: 'unseen' });
  await redrive(world.system, { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'unseen' });
  await world.system.settled();
  await unwatched(() => {
    const resource = resourceOf('persistentvolumes');
    const created = world.server.operations.create({ resource }, volume('unseen', { storageClassName: 'unseen' }));
    const available = { ...created, status: { phase: 'Available' } };
    world.server.operations.update({ resource, name: 'unseen' }, available, { subresource: 'status' });
  });
  const isBound = async () => (await world.objects.claim('unseen')).status?.phase === 'Bound';
  await eventually('a bound claim', isBound);
  await world.system.settled();

  expect(await world.objects.pair('unseen', 'unseen')).toBe(boundPair('unseen', 'unseen'));
  expect(world.phases.get('unseen')).toEqual(['Pending', 'Available', 'Bound']);
});

test('a second relist reaches a claim that the first one reached, though the claim has not changed since', async () => {
  const { server, objects, system } = world;
  const resource = resourceOf('persistentvolumes');
  const appear = () => {
    const created = server.operations.create({ resource }, volume('named', { storageClassName: 'named' }));
    const available = { ...created, status: { phase: 'Available' } };
    server.operations.update({ resource, name: 'named' }, available, { subresource: 'status' });
  };
  // A claim that names its volume is not woken for others: here only the relist speaks.
  await objects.createClaim('names-it', { storageClassName: 'named', volumeName: 'named' });
  await system.settled();
  const before = await objects.claim('names-it');
  const looks = callsOf('PersistentVolumeClaim/default/names-it').length;
  await unwatched(appear, ({ api }) => {
    // The volume is gone again when the worker gets there.
    if (api?.verb === 'get' && api.name === 'names-it' && server.store.get('persistentvolumes', { name: 'named' })) {
      server.operations.delete({ resource, name: 'named' });
    }
    return undefined;
  });
  await eventually('a look', () => callsOf('PersistentVolumeClaim/default/names-it').length > looks);
  await system.settled();
  expect(await objects.claim('names-it')).toEqual(before);

  await unwatched(appear);
  await eventually('a bound claim', async () => (await objects.claim('names-it')).status?.phase === 'Bound');
  expect(await objects.pair('names-it', 'named')).toBe(boundPair('names-it', 'named'));
});

test('a relist tells a volume of the deletion of its claim that nobody watched', async () => {
  await world.objects.createVolume('orphan', { storageClassName: 'orphan' });
  await world.objects.createClaim('orphan', { storageClassName: 'orphan' });
  await world.system.settled();
  await unwatched(() => {
    const resource = resourceOf('persistentvolumeclaims');
    world.server.operations.delete({ resource, namespace: 'default', name: 'orphan' });
  });
  await eventually('Released', () => world.phases.get('orphan')?.at(-1) === 'Released');

  expect(world.phases.get('orphan')).toEqual(['Pending', 'Available', 'Bound', 'Released']);
});

test('a relist of a settled cluster sends nothing', async () => {
  await world.system.settled();
  const before = world.done.length;
  await unwatched(() => {
    const resource = resourceOf('storageclasses');
    world.server.operations.create({ resource }, { metadata: { name: 'unrelated' }, provisioner: 'csi.example.com' });
  });
  await world.system.settled();

  expect(world.done.length).toBe(before);
});
