import { expect, test } from 'vitest';
import { boundPair, claim, refTo } from '../../../lib/controller/testing/objects.ts';
import { contradictionsAtRest } from './contradictions.ts';
import { history, type Step } from './testing/history.ts';

const pair = boundPair();
const bound: readonly Step[] = [{ claim: pair.claim }, { volume: pair.volume }];
const invariantsIn = (...steps: readonly Step[]) =>
  contradictionsAtRest(history(...steps).states).map(({ invariant }) => invariant);
const inPhase = (phase: string) => ({ ...pair.volume, status: { ...pair.volume.status, phase } });

test('a pair that is bound is as it must be', () => {
  expect(invariantsIn(...bound)).toEqual([]);
});

test.each([
  ['which is Released', inPhase('Released'), ['I1']],
  ['which is free', { ...inPhase('Available'), spec: { ...pair.volume.spec, claimRef: undefined } }, ['I2']],
  [
    'which is of another claim',
    { ...pair.volume, spec: { ...pair.volume.spec, claimRef: refTo(claim('two')) } },
    ['I2', 'I1'],
  ],
])('a claim that rests bound to a volume %s', (_, volume, expected) => {
  expect(invariantsIn(...bound, { volume: volume as typeof pair.volume })).toEqual(expected);
});

test('a claim whose volume does not exist', () => {
  expect(invariantsIn(...bound, { volume: pair.volume, isDeleted: true })).toEqual(['I2']);
  expect(invariantsIn({ claim: { ...pair.claim, status: { phase: 'Lost' } } })).toEqual([]);
});

test('a volume that rests Bound to a claim that does not exist', () => {
  expect(invariantsIn(...bound, { claim: pair.claim, isDeleted: true })).toEqual(['I1']);
  expect(invariantsIn(...bound, { claim: pair.claim, isDeleted: true }, { volume: inPhase('Released') })).toEqual([]);
});

test('a claim that we have said no rule leads out of stays as it is', () => {
  const { states } = history({ claim: pair.claim }, { volume: inPhase('Available') });

  expect(contradictionsAtRest(states, new Set(['one']))).toEqual([]);
  expect(contradictionsAtRest(states, new Set(['two']))).toHaveLength(1);
});
