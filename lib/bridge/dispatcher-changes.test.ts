/** What the dispatcher tells of the changes that others made: the audit trail's half of the watch. */
import { beforeEach, expect, it } from 'vitest';
import type { PersistentVolume, StorageClass } from '../controller/types.ts';
import { Dispatcher, type DispatcherOptions } from './dispatcher.ts';
import { Registry } from './registry.ts';
import { claim, storageClass, volume } from './testing/objects.ts';

type Told = [
  what: string,
  before: string | undefined,
  after: string | undefined,
  at: number,
  volumeUid: string | undefined,
];

let told: Told[];
let dispatcher: Dispatcher;

function dispatcherOf(changed: DispatcherOptions['changed']): Dispatcher {
  const options = {
    registry: new Registry(),
    publisher: { room: async () => {} },
    clock: { now: () => 7, after: () => () => {} },
    evaluator: { forget: () => {}, sendDeleted: () => undefined },
    echo: { look: () => undefined },
    wake: { volumeChanged: () => [], claimChanged: () => [] },
    volumeOfPod: () => undefined,
    changed,
  };
  return new Dispatcher(options as unknown as DispatcherOptions);
}

beforeEach(() => {
  told = [];
  dispatcher = dispatcherOf(({ type, kind, before, after, at }, volumeUid) => {
    const version = (object: typeof before) => object?.metadata.resourceVersion;
    told.push([`${type} ${kind}`, version(before), version(after), at, volumeUid]);
  });
});

/** Every object has it: only that of a volume may be told. */
const UID = 'uid-of-pv';
const at = <T extends { metadata: object }>(version: string, object: T): T => ({
  ...object,
  metadata: { ...object.metadata, uid: UID, resourceVersion: version },
});
const pv = (version: string) => at(version, volume('pv'));
const one = (version: string, volumeName?: string) =>
  at(version, claim('one', volumeName === undefined ? {} : { volumeName }));

async function listed(volumes: PersistentVolume[] = [], claims: ReturnType<typeof one>[] = []): Promise<void> {
  await Promise.all([
    dispatcher.handler('PersistentVolume').onList(volumes, '10'),
    dispatcher.handler('PersistentVolumeClaim').onList(claims, '10'),
    dispatcher.handler('StorageClass').onList([at('1', storageClass('slow')) as StorageClass], '10'),
  ]);
}

it('a volume: what was held, what came, when, and its uid', async () => {
  await listed([pv('1')]);
  await dispatcher.handler('PersistentVolume').onEvent('MODIFIED', pv('11'));
  await dispatcher.handler('PersistentVolume').onEvent('DELETED', pv('12'));
  expect(told).toEqual([
    ['MODIFIED PersistentVolume', '1', '11', 7, UID],
    ['DELETED PersistentVolume', '11', '12', 7, UID],
  ]);
});

it('a claim: with the uid of the volume that it names, where that is held', async () => {
  await listed([pv('1')], [one('2')]);
  await dispatcher.handler('PersistentVolumeClaim').onEvent('MODIFIED', one('11', 'pv'));
  await dispatcher.handler('PersistentVolumeClaim').onEvent('MODIFIED', one('12', 'elsewhere'));
  await dispatcher.handler('PersistentVolumeClaim').onEvent('MODIFIED', one('13'));
  expect(told.map(([what, , after, , volumeUid]) => [what, after, volumeUid])).toEqual([
    ['MODIFIED PersistentVolumeClaim', '11', UID],
    ['MODIFIED PersistentVolumeClaim', '12', undefined],
    ['MODIFIED PersistentVolumeClaim', '13', undefined],
  ]);
});

it('nothing of what was not held, is older than what is, or has no state', async () => {
  await listed([pv('5')]);
  await dispatcher.handler('PersistentVolumeClaim').onEvent('ADDED', one('11'));
  await dispatcher.handler('PersistentVolumeClaim').onEvent('DELETED', at('12', claim('two')));
  await dispatcher.handler('PersistentVolume').onEvent('MODIFIED', pv('4'));
  await dispatcher.handler('StorageClass').onEvent('MODIFIED', at('13', storageClass('slow')) as StorageClass);
  expect(told).toEqual([]);
});

it('nothing at all to nobody', async () => {
  dispatcher = dispatcherOf(undefined);
  await listed([pv('1')]);
  await dispatcher.handler('PersistentVolume').onEvent('MODIFIED', pv('11'));
  expect(told).toEqual([]);
});
