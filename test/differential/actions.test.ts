/** The actions of a seed: the same each time, and none whose outcome is a matter of chance. */
import { expect, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim } from '../../lib/controller/types.ts';
import { type Action, describeAction } from './action.ts';
import { contestOf } from './contests.ts';
import { after } from './foresight.ts';
import { scriptOf } from './generate.ts';
import type { Snapshot } from './snapshot.ts';

const NOTHING: Snapshot = { volumes: [], claims: [], classes: [], pods: [] };

/** As on a cluster whose controllers all sleep. */
function actionsOf(seed: number): Action[] {
  const script = scriptOf(seed, 12);
  const actions: Action[] = [];
  let state = NOTHING;
  for (let action = script(state); action !== undefined; action = script(state)) {
    actions.push(action);
    state = after(state, action);
  }
  return actions;
}

const seeds = Array.from({ length: 100 }, (_, seed) => seed);

test('a seed gives the same actions again, and another seed gives others', () => {
  const lists = seeds.map((seed) => actionsOf(seed).map(describeAction).join('\n'));
  expect(seeds.map((seed) => actionsOf(seed).map(describeAction).join('\n'))).toEqual(lists);
  expect(new Set(lists).size).toBe(seeds.length);
});

test('every kind of object is created, patched and deleted by some seed', () => {
  const done = new Set(seeds.flatMap((seed) => actionsOf(seed).map((action) => `${action.do} ${action.kind}`)));
  const verbs = ['create', 'patch', 'patch status', 'delete'] as const;
  const both = ['PersistentVolume', 'PersistentVolumeClaim'].flatMap((kind) => verbs.map((verb) => `${verb} ${kind}`));
  const others = ['create StorageClass', 'patch StorageClass', 'delete StorageClass', 'create Pod', 'delete Pod'];
  expect([...done].sort()).toEqual([...both, ...others, 'delete Namespace'].sort());
});

const size = (storage: string) => ({ storage });
const volume = (name: string, storage: string, spec: object = {}) =>
  ({
    metadata: { name },
    spec: { capacity: size(storage), accessModes: ['ReadWriteOnce'], ...spec },
  }) as PersistentVolume;
const claim = (name: string, storage: string, spec: object = {}) =>
  ({
    metadata: { namespace: '~n1', name, uid: `{~n1/${name}#1}` },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: size(storage) }, ...spec },
  }) as PersistentVolumeClaim;
const create = (object: PersistentVolume): Action => ({
  do: 'create',
  kind: 'PersistentVolume',
  name: object.metadata.name,
  body: { metadata: object.metadata, spec: object.spec },
});
const waiting = { ...NOTHING, claims: [claim('~c1', '1Gi'), claim('~c2', '2Gi')] };

test('a volume that two waiting claims could get is not created', () => {
  expect(contestOf(waiting, create(volume('~v1', '2Gi')))).toBe('~v1 could go to ~c1 or ~c2');
  expect(contestOf(waiting, create(volume('~v1', '1500M')))).toBeUndefined();
  const reserved = { claimRef: { namespace: '~n1', name: '~c2' } };
  expect(contestOf(waiting, create(volume('~v1', '2Gi', reserved)))).toBeUndefined();
});

test('nor is one that is as good as another', () => {
  const state = { ...NOTHING, claims: [claim('~c1', '1Gi')], volumes: [volume('~v1', '2Gi')] };
  expect(contestOf(state, create(volume('~v2', '2048Mi')))).toBe('~c1 could get ~v1 or an equal one');
  expect(contestOf(state, create(volume('~v2', '3Gi')))).toBeUndefined();
});

test('a claim whose volume would be recycled for two others is not deleted', () => {
  const bound = claim('~c3', '2Gi', { volumeName: '~v1' });
  const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
  const claims = [...waiting.claims, { ...bound, metadata: { ...bound.metadata, annotations } }];
  const claimRef = { namespace: '~n1', name: '~c3', uid: '{~n1/~c3#1}' };
  const remove: Action = { do: 'delete', kind: 'PersistentVolumeClaim', namespace: '~n1', name: '~c3' };
  const recycled = volume('~v1', '2Gi', { claimRef, persistentVolumeReclaimPolicy: 'Recycle' });
  expect(contestOf({ ...NOTHING, claims, volumes: [recycled] }, remove)).toBe('~v1 could go to ~c1 or ~c2');
  const retained = volume('~v1', '2Gi', { claimRef, persistentVolumeReclaimPolicy: 'Retain' });
  expect(contestOf({ ...NOTHING, claims, volumes: [retained] }, remove)).toBeUndefined();
});

test('a volume is not freed that a Lost claim would take back and another one asks for by name', () => {
  const lost = claim('~c3', '2Gi', { volumeName: '~v1' });
  const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
  const asking = claim('~c4', '1Gi', { volumeName: '~v1' });
  const claims = [{ ...lost, metadata: { ...lost.metadata, annotations } }, asking];
  const taken = volume('~v1', '2Gi', { claimRef: { namespace: '~n1', name: '~c5' } });
  const free: Action = { do: 'patch', kind: 'PersistentVolume', name: '~v1', body: { spec: { claimRef: null } } };
  expect(contestOf({ ...NOTHING, claims, volumes: [taken] }, free)).toBe('~v1 could go to ~c3 or ~c4');
  expect(contestOf({ ...NOTHING, claims: [asking], volumes: [taken] }, free)).toBeUndefined();
});
