import { expect, test } from 'vitest';
import { boundPair, claim, refTo, volume } from '../../../lib/controller/testing/objects.ts';
import { BUILT_IN } from '../stage.ts';
import { history, write } from './testing/history.ts';
import { histogram, isOverBound, turnsOf } from './turns.ts';
import { WriteCounts } from './write-counts.ts';

function countsOf(writes: Readonly<Record<string, Readonly<Record<string, number>>>>): WriteCounts {
  const counts = new WriteCounts();
  let version = 1;
  for (const [user, objects] of Object.entries(writes)) {
    for (const [uid, times] of Object.entries(objects)) {
      for (let time = 0; time < times; time++) counts.learn(write(user, uid, ++version, { read: 1 }));
    }
  }
  return counts;
}

const pair = boundPair();

test('what is done to a claim is a cause for its volume, and back', () => {
  const { states } = history({ claim: pair.claim }, { volume: pair.volume }, { volume: volume('alone') });
  const counts = countsOf({
    admin: { 'uid-of-one': 2, 'uid-of-pv-of-one': 3, 'uid-of-alone': 1 },
    'volume-worker': { 'uid-of-pv-of-one': 4 },
    [BUILT_IN]: { 'uid-of-pv-of-one': 5, 'uid-of-alone': 1 },
  });

  const found = new Map(turnsOf(states, counts).map((turns) => [turns.name, turns]));
  expect(found.get('one')).toMatchObject({ kind: 'claim', causes: 5, ours: 0, builtIn: 0 });
  expect(found.get('pv-of-one')).toMatchObject({ kind: 'volume', causes: 5, ours: 4, builtIn: 5 });
  expect(found.get('alone')).toMatchObject({ causes: 1, ours: 0, builtIn: 1 });
});

test('former partners count', () => {
  const other = claim('two');
  const taken = { ...pair.volume, spec: { ...pair.volume.spec, claimRef: refTo(other) } };
  const { states } = history({ claim: other }, { claim: pair.claim }, { volume: taken }, { volume: pair.volume });

  const turns = turnsOf(states, countsOf({ admin: { 'uid-of-one': 1, 'uid-of-two': 1, 'uid-of-pv-of-one': 1 } }));
  expect(turns.find(({ name }) => name === 'pv-of-one')?.causes).toBe(3);
});

test('writes that go on without a cause are over the bound', () => {
  const { states } = history({ volume: volume('fought-over') });
  const fight = (times: number) =>
    turnsOf(states, countsOf({ admin: { 'uid-of-fought-over': 1 }, [BUILT_IN]: { 'uid-of-fought-over': times } }));

  const [{ bound } = { bound: 0 }] = fight(0);
  expect(bound).toBeGreaterThan(0);
  expect(fight(bound).filter(isOverBound)).toEqual([]);
  expect(fight(bound + 1).filter(isOverBound)).toHaveLength(1);
});

test('the histogram says how many objects were written how often', () => {
  const of = (ours: number, builtIn: number) =>
    ({ kind: 'volume', name: 'v', causes: 1, ours, builtIn, bound: 10 }) as const;

  expect(histogram([of(1, 0), of(1, 2), of(5, 0)]).split('\n')).toEqual([
    '  ours     most 5, mean 2.33; times: objects  1×:2 5×:1',
    '  built-in most 2, mean 0.67; times: objects  0×:2 2×:1',
    '  both     most 5, mean 3.00; times: objects  1×:1 3×:1 5×:1',
    '  nearest  50 % of its bound',
  ]);
});
