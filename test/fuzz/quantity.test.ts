/** Quantities against a second reading of the grammar: slow, by hand, with a fraction of two whole numbers. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareQuantities, isQuantity, wholeUnits } from '../../lib/controller/quantity.ts';
import { anyText, damaged, MEBIBYTE } from './hostile.ts';
import { outcomeOf } from './outcome.ts';
import { inTime, runs } from './runs.ts';

type Fraction = readonly [numerator: bigint, denominator: bigint];

const SUFFIXES: Readonly<Record<string, Fraction>> = {
  '': [1n, 1n],
  n: [1n, 1_000_000_000n],
  u: [1n, 1_000_000n],
  m: [1n, 1_000n],
  k: [1_000n, 1n],
  M: [1_000_000n, 1n],
  G: [1_000_000_000n, 1n],
  T: [1_000_000_000_000n, 1n],
  P: [1_000_000_000_000_000n, 1n],
  E: [1_000_000_000_000_000_000n, 1n],
  Ki: [1_024n, 1n],
  Mi: [1_048_576n, 1n],
  Gi: [1_073_741_824n, 1n],
  Ti: [1_099_511_627_776n, 1n],
  Pi: [1_125_899_906_842_624n, 1n],
  Ei: [1_152_921_504_606_846_976n, 1n],
};

/** The value, character by character. @returns undefined for what is no quantity. */
function fractionIn(text: string): Fraction | undefined {
  let at = 0;
  let negative = false;
  if (text[at] === '+' || text[at] === '-') negative = text[at++] === '-';
  let numerator = 0n;
  let denominator = 1n;
  let seenDot = false;
  let seenAny = false;
  for (; at < text.length; at++) {
    const character = text[at] as string;
    if (character === '.' && !seenDot) seenDot = true;
    else if (character >= '0' && character <= '9') {
      numerator = numerator * 10n + BigInt(character);
      if (seenDot) denominator *= 10n;
      seenAny = true;
    } else break;
  }
  const rest = text.slice(at);
  if (!seenAny && rest === '') return undefined;
  const known = Object.hasOwn(SUFFIXES, rest) ? SUFFIXES[rest] : powerOfTen(rest);
  const [scale, unit] = known ?? [0n, 0n];
  if (unit === 0n) return undefined;
  return [(negative ? -numerator : numerator) * scale, denominator * unit];
}

/** `e3`, `E-3`. */
function powerOfTen(suffix: string): Fraction | undefined {
  const digits = suffix.slice(1).replace(/^[+-]/, '');
  if (!'eE'.includes(suffix[0] ?? ' ') || digits === '' || [...digits].some((d) => d < '0' || d > '9'))
    return undefined;
  const power = 10n ** BigInt(digits);
  return suffix[1] === '-' ? [1n, power] : [power, 1n];
}

const digits = (max: number) => fc.array(fc.constantFrom(...'0123456789'), { maxLength: max }).map((d) => d.join(''));
const written = fc
  .tuple(
    fc.constantFrom('', '', '', '+', '-'),
    digits(25),
    fc.oneof(
      fc.constant(''),
      digits(12).map((fraction) => `.${fraction}`),
    ),
    fc.oneof(
      fc.constantFrom(...Object.keys(SUFFIXES)),
      fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.nat({ max: 99 })).map((p) => p.join('')),
    ),
  )
  .map((parts) => parts.join(''));
const quantity = written.filter((text) => fractionIn(text) !== undefined);

describe('quantities', () => {
  test('are read by the same grammar as the oracle’s', () => {
    const text = fc.oneof(written, written.chain(damaged), anyText);
    fc.assert(
      fc.property(text, (candidate) => {
        fc.pre(candidate.length <= 128);
        expect(isQuantity(candidate)).toBe(fractionIn(candidate) !== undefined);
      }),
      runs(),
    );
  });

  test('are compared as the oracle compares them', () => {
    const near = quantity.chain((text) => fc.tuple(fc.constant(text), fc.oneof(quantity, respelt(text))));
    fc.assert(
      fc.property(near, ([a, b]) => {
        const [one, other] = [fractionIn(a), fractionIn(b)] as [Fraction, Fraction];
        const difference = one[0] * other[1] - other[0] * one[1];
        expect(Math.sign(compareQuantities(a, b))).toBe(difference < 0n ? -1 : difference > 0n ? 1 : 0);
        expect(compareQuantities(a, b) + compareQuantities(b, a)).toBe(0);
        expect(compareQuantities(a, a)).toBe(0);
      }),
      runs(),
    );
  });

  test('have the oracle’s whole units, and as such come back as they went', () => {
    fc.assert(
      fc.property(quantity, (text) => {
        const [numerator, denominator] = fractionIn(text) as Fraction;
        const units = wholeUnits(text);
        // The smallest whole number that is not below a positive value; a negative one loses its fraction.
        expect(units * denominator >= numerator).toBe(true);
        expect((units - 1n) * denominator < numerator).toBe(true);
        expect(wholeUnits(String(units))).toBe(units);
      }),
      runs(),
    );
  });

  test('anything else is an Error that quotes little of it', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, written.chain(damaged)), (text) => {
        const outcome = outcomeOf(() => compareQuantities(text, '1'), Error);
        if ('error' in outcome) expect(outcome.error.message).toMatch(/is not a quantity/);
      }),
      runs(),
    );
  });

  test.each([
    ['a megabyte of digits', '9'.repeat(MEBIBYTE)],
    ['a megabyte of zeros after the dot', `1.${'0'.repeat(MEBIBYTE)}`],
    ['a huge exponent', '1e999999999'],
    ['a tiny exponent', '1e-999999999'],
    ['an exponent of a megabyte', `1e${'9'.repeat(MEBIBYTE)}`],
    ['the largest length with the largest exponent', `${'9'.repeat(120)}e999`],
    ['a megabyte of signs', '+'.repeat(MEBIBYTE)],
  ])('%s takes no time', async (_, text) => {
    const said = await inTime(() => outcomeOf(() => compareQuantities(text, text), Error));
    if ('error' in said) expect(said.error.message.length).toBeLessThan(300);
  });
});

/** The same value in other words, or nearly: a digit more, another suffix. */
function respelt(text: string): fc.Arbitrary<string> {
  return fc
    .constantFrom(`+${text.replace(/^\+/, '')}`, `0${text}`, text.replace(/Gi$/, 'Mi'), text.replace('.', '.0'))
    .filter((other) => fractionIn(other) !== undefined);
}
