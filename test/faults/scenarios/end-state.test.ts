/** Ends of two runs are equal when the same became of the same objects, and differ when anything else did. */
import { expect, test } from 'vitest';
import { claim, refTo, volume } from '../../../lib/controller/testing/objects.ts';
import type { State } from '../observer/state.ts';
import { differences } from '../rounds.ts';
import { endOf } from './end-state.ts';

interface End {
  readonly phase?: string;
  readonly winner?: string;
  readonly label?: string;
}

/** A run in which one of two rivals has won. */
function run(name: string, { phase = 'Bound', winner = '1', label = 'a' }: End = {}): string[] {
  const storageClassName = `${name}-race`;
  const rivals = ['1', '2'].map((which) =>
    claim(`${name}-race-rival-${which}`, {
      metadata: { namespace: name, uid: `${name}-uid-${which}`, resourceVersion: `${name}${which}` },
      spec: { storageClassName, ...(which === winner && { volumeName: `${name}-race-only` }) },
      status: { phase: which === winner ? 'Bound' : 'Pending' },
    }),
  );
  const [won] = rivals.filter(({ spec }) => spec.volumeName);
  const only = volume(`${name}-race-only`, {
    metadata: { uid: `${name}-uid-0`, labels: { label } },
    spec: { storageClassName, ...(won && { claimRef: refTo(won) }) },
    status: { phase },
  });
  const gone = volume(`${name}-race-gone`, { spec: { storageClassName } });
  const states = [
    ...rivals.map((object) => ({ kind: 'claim', type: 'ADDED', object })),
    { kind: 'volume', type: 'ADDED', object: only },
    { kind: 'volume', type: 'ADDED', object: gone },
    { kind: 'volume', type: 'DELETED', object: gone },
  ];
  return endOf(states as unknown as State[], name, storageClassName);
}

test('the run’s name, uids and versions do not count, nor which rival has won', () => {
  expect(run('r1')).toHaveLength(3);
  expect(run('r22')).toEqual(run('r1'));
  expect(run('r3', { winner: '2' })).toEqual(run('r1'));
});

test.each<[string, End]>([
  ['another phase', { phase: 'Released' }],
  ['another label', { label: 'b' }],
  ['nobody who won', { winner: 'nobody' }],
])('%s is another end', (_, end) => {
  expect(differences('race', run('r1', end), run('r2'))).toMatchObject([{ invariant: 'I4' }]);
  expect(differences('race', run('r1', end), run('r2', end))).toEqual([]);
});
