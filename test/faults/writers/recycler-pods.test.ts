import { expect, test } from 'vitest';
import { boundPair, claim, refTo } from '../../../lib/controller/testing/objects.ts';
import type { PersistentVolume } from '../../../lib/controller/types.ts';
import { type ScrubbingPod, scrubsIn, scrubsOfBound } from './recycler-pods.ts';
import { history } from './testing/history.ts';

const pair = boundPair();
const path = pair.volume.spec.hostPath?.path ?? '';
const released = { ...pair.volume, status: { phase: 'Released' } };
const { claimRef: _, ...spec } = pair.volume.spec;
const free: PersistentVolume = { ...pair.volume, spec, status: { phase: 'Available' } };
const taken = { ...pair.volume, spec: { ...pair.volume.spec, claimRef: refTo(claim('two')) } };
/** At 0, 1, 2 and 3. */
const { states } = history({ volume: pair.volume }, { volume: released }, { volume: free }, { volume: taken });

test.each([
  ['ends before the volume is free', 1, 2, []],
  ['goes on when another claim has the volume', 1, 4, ['pv-of-one']],
  ['begins when another claim has the volume long since', 3, 9, []],
])('a scrub that %s', (_what, from, until, expected) => {
  expect(scrubsOfBound([{ namespace: 'default', path, from, until }], states).map(({ volume }) => volume)).toEqual(
    expected,
  );
});

test('a scrub of another volume is none of this one', () => {
  expect(scrubsOfBound([{ namespace: 'default', path: '/tmp/other', from: 1, until: 4 }], states)).toEqual([]);
});

const pod = (resourceVersion: string, phase: string): ScrubbingPod => ({
  metadata: { namespace: 'default', name: 'recycler-for-one', uid: 'uid-of-pod', resourceVersion },
  spec: { volumes: [{ hostPath: { path } }] },
  status: { phase },
});

test('a pod has scrubbed from when it was made until it succeeded', () => {
  const events = [
    { type: 'ADDED', object: pod('5', 'Pending') },
    { type: 'MODIFIED', object: pod('7', 'Succeeded') },
    { type: 'DELETED', object: pod('9', 'Succeeded') },
  ] as const;

  expect(scrubsIn(events)).toEqual([{ namespace: 'default', path, from: 5, until: 7 }]);
});

test('a pod that was deleted before has not', () => {
  const events = [
    { type: 'ADDED', object: pod('5', 'Pending') },
    { type: 'DELETED', object: pod('6', 'Pending') },
  ] as const;

  expect(scrubsIn(events)).toEqual([]);
});
