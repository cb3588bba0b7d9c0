import { describe, expect, test } from 'vitest';
import { isNamespaceName, isObjectName, isPossibleKey } from './names.ts';

describe('names', () => {
  test.each(['a', 'pv-1', 'pvc-0b1c', 'a.b-c.d', '0', 'x'.repeat(253), `${'x'.repeat(200)}.y`])(
    'takes %s as an object name',
    (name) => expect(isObjectName(name)).toBe(true),
  );

  test.each([
    '',
    '.',
    '..',
    '../x',
    'a/b',
    'A',
    'a_b',
    '-a',
    'a-',
    'a.',
    '.a',
    'a..b',
    'a\n',
    'ä',
    'x'.repeat(254),
    'a%2fb',
  ])('refuses %j as an object name', (name) => expect(isObjectName(name)).toBe(false));

  test('limits a namespace to one label of 63 characters', () => {
    expect(isNamespaceName('x'.repeat(63))).toBe(true);
    expect(isNamespaceName('x'.repeat(64))).toBe(false);
    expect(isNamespaceName('a.b')).toBe(false);
    expect(isNamespaceName('')).toBe(false);
  });

  test('refuses a hostile name in no time', () => {
    const start = performance.now();
    expect(isObjectName(`${'a-'.repeat(500_000)}!`)).toBe(false);
    expect(isObjectName(`${'a-'.repeat(120)}!`)).toBe(false);
    expect(performance.now() - start).toBeLessThan(50);
  });

  test('wants a namespace for a claim and none for a volume', () => {
    expect(isPossibleKey({ kind: 'PersistentVolume', name: 'v' })).toBe(true);
    expect(isPossibleKey({ kind: 'PersistentVolume', namespace: 'd', name: 'v' })).toBe(false);
    expect(isPossibleKey({ kind: 'PersistentVolumeClaim', namespace: 'd', name: 'c' })).toBe(true);
    expect(isPossibleKey({ kind: 'PersistentVolumeClaim', name: 'c' })).toBe(false);
    expect(isPossibleKey({ kind: 'PersistentVolumeClaim', namespace: 'd', name: '../c' })).toBe(false);
  });
});
