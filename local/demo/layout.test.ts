import { expect, test } from 'vitest';
import { short, table, wrap, wrapUpTo } from './layout.ts';

test('wrap keeps to the width and cuts what does not fit', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('incomprehensible', 6)).toEqual(['incom…']);
  expect(wrap('', 6)).toEqual(['']);
});

test('wrapUpTo ends in an ellipsis where something is left out', () => {
  expect(wrapUpTo(2, 'one two three four', 7)).toEqual(['one two', 'three …']);
  expect(wrapUpTo(2, 'one two', 7)).toEqual(['one two']);
});

test('short leaves the first part of a uid', () => {
  expect(short('volume pvc-0f3a1b2c-1111-2222-3333-444455556666 is left')).toBe('volume pvc-0f3a1b2c… is left');
  expect(short('pvc-mine')).toBe('pvc-mine');
});

test('table aligns text to the left and numbers to the right', () => {
  expect(
    table(
      ['what', 'n', 'result'],
      [
        ['long name', '7', 'ok'],
        ['b', '123', 'wrong'],
      ],
    ),
  ).toEqual(['what         n  result', '─────────  ───  ──────', 'long name    7  ok', 'b          123  wrong']);
});
