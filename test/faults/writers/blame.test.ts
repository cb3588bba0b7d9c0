import { expect, test } from 'vitest';
import { boundPair, claim, refTo } from '../../../lib/controller/testing/objects.ts';
import { blameIn } from './blame.ts';
import { history, type Step } from './testing/history.ts';

const pair = boundPair();
const bound: readonly Step[] = [{ claim: pair.claim }, { volume: pair.volume }];
const blamed = (...steps: readonly Step[]) => {
  const { states, writerOf } = history(...steps);
  return blameIn(states, writerOf).map(({ violation, writer }) => `${violation.invariant} ${writer}`);
};
const released = { ...pair.volume, status: { phase: 'Released' } };

test.each(['ours', 'built-in'] as const)('who releases the volume of a claim that exists: %s', (writer) => {
  expect(blamed(...bound, { volume: released, writer })).toEqual([`I1 ${writer}`]);
});

test('what a user writes is the user’s', () => {
  expect(blamed(...bound, { volume: released })).toEqual([]);
});

const second = claim('two', { spec: { volumeName: 'pv-of-one' }, status: { phase: 'Bound' } });
const free = { ...pair.volume, spec: { ...pair.volume.spec, claimRef: undefined } } as unknown as typeof pair.volume;
const taken = { ...pair.volume, spec: { ...pair.volume.spec, claimRef: refTo(second) } };

test('two claims of one volume are the doing of who binds the second', () => {
  expect(blamed(...bound, { claim: second, writer: 'ours' })).toEqual(['I2 ours']);
  expect(blamed(...bound, { claim: second, writer: 'built-in' })).toEqual(['I2 built-in']);
});

test('unless a user has taken the volume from the first', () => {
  const steps: readonly Step[] = [
    { volume: free },
    { volume: taken, writer: 'ours' },
    { claim: second, writer: 'ours' },
  ];

  expect(blamed(...bound, ...steps)).toEqual(['I2 user']);
});

test('and not when it was a controller that took it', () => {
  const steps: readonly Step[] = [
    { volume: free, writer: 'built-in' },
    { volume: taken, writer: 'ours' },
    { claim: second, writer: 'ours' },
  ];

  expect(blamed(...bound, ...steps)).toContain('I2 built-in');
});
