import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareQuantities, isQuantity, wholeUnits } from './quantity.ts';

/** Every entry is one value, written in different ways. */
const equal: [string, string][] = [
  ['1Ki', '1024'],
  ['1Mi', '1048576'],
  ['1Gi', '1073741824'],
  ['1Ti', '1024Gi'],
  ['1Pi', '1024Ti'],
  ['1Ei', '1024Pi'],
  ['1k', '1000'],
  ['1M', '1e6'],
  ['1G', '1E9'],
  ['1T', '1000G'],
  ['1P', '1000T'],
  ['1E', '1e18'],
  ['1E3', '1e3'],
  ['12e6', '12M'],
  ['12e+6', '12000000'],
  ['12e-3', '12m'],
  ['1e19', '10e18'],
  ['10e18', '10E'],
  ['20E', '20000P'],
  ['1.5Gi', '1536Mi'],
  ['.5Gi', '512Mi'],
  ['0.5', '500m'],
  ['5.', '5'],
  ['Gi', '0'],
  ['5.Gi', '5Gi'],
  ['+5', '5'],
  ['-5', '-5000m'],
  ['-1.5Ki', '-1536'],
  ['0.3m', '300u'],
  ['1u', '1000n'],
  ['0', '-0'],
  ['0Gi', '0m'],
  ['007', '7'],
];

const bad = ['', ' ', '.', '+', '-', '5 Gi', ' 5', '5gi', '5KI', '5ki', '1.2.3', '--5', '1e', '1e+', '1e3Gi', '0x10'];

describe('compareQuantities (BEHAVIOUR 5.2)', () => {
  test.each(equal)('%s equals %s', (a, b) => {
    expect(compareQuantities(a, b)).toBe(0);
    expect(compareQuantities(b, a)).toBe(0);
  });

  test.each([
    ['1E3', '1E'],
    ['999Mi', '1Gi'],
    ['1G', '1Gi'],
    ['0.3m', '1m'],
    ['-1', '0'],
    ['-2', '-1'],
    ['9223372036854775807', '8Ei'],
    ['16Ei', '20Ei'],
    ['20E', '20Ei'],
    ['1e18', '1000000000000000001'],
    ['1e19', '1e20'],
  ])('%s is less than %s, without any 64-bit limit or rounding', (a, b) => {
    expect(compareQuantities(a, b)).toBeLessThan(0);
    expect(compareQuantities(b, a)).toBeGreaterThan(0);
  });

  test.each(bad.map((text) => [text]))('%j is refused', (text) => {
    expect(isQuantity(text)).toBe(false);
    expect(() => compareQuantities(text, '1')).toThrow('is not a quantity');
    expect(() => compareQuantities('1', text)).toThrow('is not a quantity');
  });

  test('an exponent or a length that only an attacker writes is refused at once', () => {
    for (const text of ['1e99999999', '1e-99999999', `1e${'9'.repeat(40)}`, '9'.repeat(1_000_000)]) {
      expect(isQuantity(text)).toBe(false);
    }
  });

  test('orders whole numbers as numbers', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 70n), 2n ** 70n), fc.bigInt(-(2n ** 70n), 2n ** 70n), (a, b) => {
        expect(Math.sign(compareQuantities(String(a), String(b)))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });
});

describe('wholeUnits (BEHAVIOUR 3.4: whole bytes, rounded up)', () => {
  test.each([
    ['1Gi', 1_073_741_824n],
    ['0', 0n],
    ['1m', 1n],
    ['0.3m', 1n],
    ['1n', 1n],
    ['1500m', 2n],
    ['1.5', 2n],
    ['0.5Ki', 512n],
    ['20E', 20_000_000_000_000_000_000n],
    ['16Ei', 2n ** 64n],
    ['1e19', 10n ** 19n],
  ])('%s is %s', (text, units) => {
    expect(wholeUnits(text)).toBe(units);
  });
});
