import { expect, test } from 'vitest';
import { claim, volume } from '../controller/testing/objects.ts';
import type { PersistentVolume } from '../controller/types.ts';
import { FlipDetector, FlipError } from './flip-detector.ts';

const KIND = 'PersistentVolume';
const MINUTE = 60_000;

function inPhase(phase: string, claimUid?: string): PersistentVolume {
  const object = volume('pv-1');
  const claimRef = claimUid === undefined ? {} : { claimRef: { namespace: 'ns', name: 'data', uid: claimUid } };
  return { ...object, spec: { ...object.spec, ...claimRef }, status: { phase } } as PersistentVolume;
}

function detector() {
  const clock = { now: 0 };
  const flips = new FlipDetector({ now: () => clock.now });
  const write = (before: PersistentVolume, after: PersistentVolume) => {
    clock.now += 1_000;
    flips.check(KIND, before, after);
    flips.wrote(before, after);
  };
  return { flips, clock, write };
}

const pending = inPhase('Pending', 'claim-1');
const bound = inPhase('Bound', 'claim-1');

test('a change that was undone three times is not made a fifth time, and the error names it', () => {
  const { write } = detector();
  for (let time = 0; time < 4; time++) write(pending, bound);
  expect(() => write(pending, bound)).toThrow(
    new FlipError(
      'PersistentVolume pv-1: somebody else has undone status.phase 3 times in 10 minutes; it is left as it is for now',
    ),
  );
});

test('what is ten minutes ago is forgiven', () => {
  const { write, clock } = detector();
  for (let time = 0; time < 4; time++) write(pending, bound);
  clock.now += 11 * MINUTE;
  expect(() => write(pending, bound)).not.toThrow();
});

test('what was written longer ago than the window is not kept', () => {
  const { flips, write, clock } = detector();
  const named = (name: string, phase: string) => ({ ...volume(name), status: { phase } }) as PersistentVolume;
  for (let count = 0; count < 100; count++) write(named(`pv-${count}`, 'Pending'), named(`pv-${count}`, 'Bound'));
  expect(flips.size).toBe(100);
  clock.now += 9 * MINUTE;
  write(named('pv-x', 'Pending'), named('pv-x', 'Bound'));
  // The clock goes on by a second with each write: the last sixty are within ten minutes.
  expect(flips.size).toBe(61);
});

test('two steps that somebody else undoes together are a flip too', () => {
  const { write } = detector();
  const [released, failed] = [inPhase('Released', 'claim-1'), inPhase('Failed', 'claim-1')];
  const round = () => {
    write(bound, released);
    write(released, failed);
  };
  for (let time = 0; time < 4; time++) round();
  expect(round).toThrow('somebody else has undone status.phase 3 times');
});

test('a phase that goes round by its own writes is no flip', () => {
  const { write } = detector();
  const released = inPhase('Released', 'claim-1');
  for (let round = 0; round < 20; round++) {
    write(inPhase('Available'), bound);
    write(bound, released);
    write(released, inPhase('Available'));
  }
});

test('a volume that others recycle and this one binds, to another claim each time, is no flip', () => {
  const { write } = detector();
  for (let round = 0; round < 20; round++)
    write(inPhase('Pending', `claim-${round}`), inPhase('Bound', `claim-${round}`));
});

test('each object has its own count, and one that was made again under its name starts anew', () => {
  const { write } = detector();
  const other = (object: PersistentVolume) => ({ ...object, metadata: { ...object.metadata, uid: 'another' } });
  for (let time = 0; time < 4; time++) write(pending, bound);
  expect(() => write(other(pending), other(bound))).not.toThrow();
});

test.each([
  [
    'an annotation',
    { annotations: { 'pv.kubernetes.io/migrated-to': 'ebs.csi.aws.com' } },
    'annotations.pv.kubernetes',
  ],
  ['finalizers', { finalizers: ['kubernetes.io/pv-protection'] }, 'metadata.finalizers'],
])('%s counts like a phase', (_, metadata, field) => {
  const { write } = detector();
  const before = volume('pv-1');
  const after = { ...before, metadata: { ...before.metadata, ...metadata } };
  for (let time = 0; time < 4; time++) write(before, after);
  expect(() => write(before, after)).toThrow(field);
});

test('of a claim the name of its volume counts', () => {
  const { flips } = detector();
  const before = claim('data');
  const after = { ...before, spec: { ...before.spec, volumeName: 'pv-1' } };
  for (let time = 0; time < 4; time++) flips.wrote(before, after);
  expect(() => flips.check('PersistentVolumeClaim', before, after)).toThrow(
    'ns/data: somebody else has undone spec.vol',
  );
});
