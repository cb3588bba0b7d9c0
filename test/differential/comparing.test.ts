/** What is compared, what is told of it, and how a list of actions is cut down. */
import { expect, test } from 'vitest';
import type { PersistentVolumeClaim } from '../../lib/controller/types.ts';
import type { ApiClient } from '../control-plane/harness.ts';
import type { Action } from './action.ts';
import { differencesBetween, eventDifferences, render } from './compare.ts';
import { Names, NOBODY } from './names.ts';
import { explain } from './on-purpose.ts';
import { replay, shrink } from './shrink.ts';
import { snapshotOf } from './snapshot.ts';
import { Tally } from './tally.ts';

const UID = '6f1d3c52-0b0e-4a53-9d4c-3f6f3f6a1a01';

/** A control plane that is two lists. */
function planeWith(claims: readonly object[], volumes: readonly object[]): ApiClient {
  const items: Readonly<Record<string, readonly object[]>> = {
    '/api/v1/persistentvolumeclaims': claims,
    '/api/v1/persistentvolumes': volumes,
  };
  const request = async (_method: string, path: string) => ({ status: 200, body: { items: items[path] ?? [] } });
  return { request: request as ApiClient['request'], close: () => {} };
}

function planeOf(prefix: string, uid: string, version: string, phase = 'Bound'): ApiClient {
  const times = { resourceVersion: version, creationTimestamp: `2026-01-01T00:00:0${version}Z` };
  const claim = { metadata: { namespace: `${prefix}-n1`, name: `${prefix}-c1`, uid, ...times }, spec: {} };
  const claimRef = { namespace: `${prefix}-n1`, name: `${prefix}-c1`, uid, resourceVersion: version };
  const metadata = { name: `pvc-${uid}`, uid: UID.replace('6', version), ...times };
  const stranger = { metadata: { name: 'elsewhere', uid: NOBODY }, spec: {} };
  return planeWith([claim], [stranger, { metadata, spec: { claimRef }, status: { phase } }]);
}

const plain = await snapshotOf(planeOf('d1', UID, '1'), new Names('d1'));

test('uids, versions, times and prefixes do not count', async () => {
  const other = await snapshotOf(planeOf('d22', UID.replace('6', '7'), '2'), new Names('d22'));
  expect(differencesBetween(plain, other)).toEqual([]);
  expect(plain.volumes).toMatchObject([{ metadata: { name: 'pvc-{~n1/~c1#1}' } }]);
});

test('all else does, and is shown by line', async () => {
  const other = await snapshotOf(planeOf('d1', UID, '1', 'Released'), new Names('d1'));
  const found = differencesBetween(plain, other);
  expect(found.map(render)).toEqual([
    'PersistentVolume pvc-{~n1/~c1#1}:\n  - status.phase: "Bound"\n  + status.phase: "Released"',
  ]);
  const missing = differencesBetween(plain, { ...other, volumes: [] });
  expect(missing.map(render).join()).toContain('+ (not there)');
});

test('a claim that was deleted and made again is another one', () => {
  const names = new Names('d1');
  names.claimAppeared('~n1/~c1', UID);
  names.claimAppeared('~n1/~c1', UID.replace('6', '7'));
  expect(names.fromPlane(`d1-v1 ${UID.replace('6', '7')} ${UID.replace('6', '8')}`)).toBe('~v1 {~n1/~c1#2} {uid}');
  expect(names.toPlane('~v1 {~n1/~c1#1}')).toBe(`d1-v1 ${UID}`);
});

const told = (...said: string[]) => ({ said: new Set(said), times: said.length });

test('what only one of them says is a difference, but not how often', () => {
  const theirs = new Map([['PersistentVolume ~v1', { ...told('Normal A: a'), times: 9 }]]);
  expect(eventDifferences(theirs, new Map([['PersistentVolume ~v1', told('Normal A: a')]]))).toEqual([]);
  const [found] = eventDifferences(theirs, new Map([['PersistentVolume ~v1', told('Normal B: b')]]));
  expect(found && render(found)).toBe('events of PersistentVolume ~v1:\n  - Normal A: a\n  + Normal B: b');
});

test('a difference that nobody has explained fails the run', () => {
  const differences = differencesBetween(plain, { ...plain, volumes: [] });
  const tally = new Tally();
  tally.add({ actions: [], differences, explained: explain(differences, {}), late: 0, seen: new Set() });
  expect(tally.isClean).toBe(false);
  expect(tally.lines()[0]).toBe('1 plays, 0 actions, 1 unexplained differences');
});

test('a list is cut down to what is needed', async () => {
  const actions = [1, 2, 3, 4, 5, 6].map((name): Action => ({ do: 'delete', kind: 'Pod', name: String(name) }));
  const isBad = async (some: readonly Action[]) =>
    ['2', '5'].every((name) => some.some((action) => action.name === name));
  expect((await shrink(actions, isBad)).map(({ name }) => name)).toEqual(['2', '5']);
});

test('an action whose outcome has become a matter of chance is not played', () => {
  const create: Action = { do: 'create', kind: 'PersistentVolume', name: '~v1', body: { spec: {} } };
  const { script, isDetermined } = replay([create, { ...create, name: '~v2' }]);
  expect(script({ ...plain, volumes: [] })).toBe(create);
  const claim = { metadata: { namespace: '~n1', name: '~c1' }, spec: { resources: { requests: { storage: '0' } } } };
  const state = {
    ...plain,
    claims: [claim as PersistentVolumeClaim],
    volumes: [{ metadata: { name: '~v1' }, spec: {} }],
  };
  expect(() => script(state)).toThrow('not determined: ~c1 could get ~v1 or an equal one');
  expect(isDetermined()).toBe(false);
});
