import { expect, inject, test } from 'vitest';
import { functionKeys } from './stack/functions.ts';

const [first, second] = inject('zips');

test('two builds, of two stages, make the same zips, byte for byte', () => {
  expect(Object.keys(first).sort()).toEqual([...functionKeys].sort());
  expect(second).toEqual(first);
});

test.each(functionKeys)('the zip of %s holds its bundle and nothing else', (key) => {
  const name = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

  expect(second[key]?.files).toEqual([`dist/${name}/index.mjs`]);
});
