import { expect, test } from 'vitest';
import { volume } from '../../../lib/controller/testing/objects.ts';
import { history, write } from './testing/history.ts';
import { WriteCounts } from './write-counts.ts';

function counted(...writes: readonly ReturnType<typeof write>[]): WriteCounts {
  const counts = new WriteCounts();
  for (const each of writes) counts.learn(each);
  return counts;
}

const stateAt = (at: number) => {
  const [state] = history({ volume: volume('v') }).states;
  return { ...state, at } as Parameters<WriteCounts['isBy']>[1];
};

test('writes are counted by object and user', () => {
  const counts = counted(
    write('ours', 'a', 2, { read: 1 }),
    write('ours', 'a', 3, { read: 2 }),
    write('other', 'a', 4, { read: 3 }),
    write('ours', 'b', 5, { read: 1 }),
  );

  expect(counts.of('a', 'written', ['ours'])).toBe(2);
  expect(counts.of('a', 'written', ['ours'], true)).toBe(1);
  expect(counts.of('a', 'written', ['ours', 'other'])).toBe(3);
  expect(counts.of('c', 'written', ['ours'])).toBe(0);
});

test('a write that came second is refused, and another failure is none of two writers', () => {
  const counts = counted(write('ours', 'a', 2, { read: 1, code: 409 }), write('ours', 'a', 2, { read: 1, code: 403 }));

  expect(counts.of('a', 'refused', ['ours'])).toBe(1);
  expect(counts.of('a', 'written', ['ours'])).toBe(0);
});

test.each([
  ['an update of what is like that already', write('ours', 'a', 2, { read: 2 })],
  ['a second delete of what is held by a finalizer', write('ours', 'a', 2, { verb: 'delete' })],
  ['a patch of what is like that already', write('ours', 'a', 2, { verb: 'patch' })],
])('%s stores nothing, and does not take the state from who wrote it', (_, second) => {
  const counts = counted(write('other', 'a', 2, { read: 1 }), second);

  expect(counts.of('a', 'written', ['ours'])).toBe(0);
  expect(counts.of('a', 'unchanged', ['ours'])).toBe(1);
  expect(counts.isBy('other', stateAt(2))).toBe(true);
  expect(counts.isBy('ours', stateAt(2))).toBe(false);
});

test('whoever asked for a deletion is named for it', () => {
  const counts = counted(write('other', 'uid-of-v', 2, { verb: 'delete' }));
  const [, gone] = history({ volume: volume('v') }, { volume: volume('v'), isDeleted: true }).states;

  expect(counts.isBy('other', gone as NonNullable<typeof gone>)).toBe(true);
  expect(counts.isBy('ours', gone as NonNullable<typeof gone>)).toBe(false);
});
