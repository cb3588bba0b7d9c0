import { expect, it } from 'vitest';
import { replaced } from './standing.ts';

it('a copy has other texts and the same bytes around them', () => {
  const bytes = Buffer.concat([Buffer.from([0x6b, 0xff, 0x05]), Buffer.from('one-1 one-1'), Buffer.from([0x80])]);
  const copy = replaced(bytes, [['one-1', 'two-2']]);
  expect(copy).toEqual(
    Buffer.concat([Buffer.from([0x6b, 0xff, 0x05]), Buffer.from('two-2 two-2'), Buffer.from([0x80])]),
  );
});

it('a text of another length would make the lengths in the bytes untrue', () => {
  expect(() => replaced(Buffer.from('abc'), [['abc', 'abcd']])).toThrow('not of one length');
});
