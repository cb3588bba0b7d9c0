/**
 * Kubernetes quantities, exactly: a decimal mantissa times a power of 2 or 10, compared as whole numbers without any
 * 64-bit limit. The built-in controller overflows above 2^63-1 in places; this does not (BEHAVIOUR 3.4, 5.2).
 */

/** value = digits × 10^exponent × 2^binaryExponent, where `digits` carries the sign. */
interface Quantity {
  readonly digits: bigint;
  readonly exponent: number;
  readonly binaryExponent: number;
}

const PATTERN = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$/;
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
/** Beyond this an exponent is no storage size but an attack on memory. */
const MAX_EXPONENT = 1_000;
const MAX_LENGTH = 128;

/**
 * @param text such as `10Gi`, `1.5G`, `0.5`, `12e6`; a suffix alone is zero of it, as for a real API server.
 * @throws Error naming the text when it is no quantity.
 */
function parseQuantity(text: string): Quantity {
  const match = text.length <= MAX_LENGTH ? PATTERN.exec(text) : null;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match ?? [];
  if (match === null || text === '' || /^[+-]?\.?$/.test(text))
    throw new Error(`"${text.slice(0, MAX_LENGTH)}" is not a quantity`);
  const digits = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction || (whole === '' ? '0' : '')}`);
  const scientific = /^[eE][+-]?[0-9]/.test(suffix) ? Number(suffix.slice(1)) : undefined;
  const exponent = (scientific ?? DECIMAL[suffix] ?? 0) - fraction.length;
  if (Math.abs(exponent) > MAX_EXPONENT) throw new Error(`"${text}" is not a quantity: its exponent is out of range`);
  return { digits, exponent, binaryExponent: BINARY[suffix] ?? 0 };
}

/** Numerator and denominator of the exact value. */
function fractionOf(quantity: Quantity): [bigint, bigint] {
  const scaled = quantity.digits << BigInt(quantity.binaryExponent);
  return quantity.exponent >= 0
    ? [scaled * 10n ** BigInt(quantity.exponent), 1n]
    : [scaled, 10n ** BigInt(-quantity.exponent)];
}

/**
 * @returns negative, zero or positive as `a` is smaller than, equal to or greater than `b`.
 * @throws Error when either is no quantity.
 */
export function compareQuantities(a: string, b: string): number {
  const [numeratorA, denominatorA] = fractionOf(parseQuantity(a));
  const [numeratorB, denominatorB] = fractionOf(parseQuantity(b));
  const left = numeratorA * denominatorB;
  const right = numeratorB * denominatorA;
  return left < right ? -1 : left > right ? 1 : 0;
}

/**
 * The quantity in whole units, rounded up (away from zero only for positive fractions, as upstream's `Value()`).
 * @throws Error when it is no quantity.
 */
export function wholeUnits(text: string): bigint {
  const [numerator, denominator] = fractionOf(parseQuantity(text));
  const quotient = numerator / denominator;
  return numerator > 0n && numerator % denominator !== 0n ? quotient + 1n : quotient;
}

/** Whether the text is a quantity that `parseQuantity` reads. */
export function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}
