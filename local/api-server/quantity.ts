import type { Json } from './json.ts';

/**
 * Quantities, in nanos as bigint. The server has its own parser on purpose: a fault in the controller's one would
 * otherwise hide behind the same fault here.
 */
// Digits may be missing where there is a suffix: the real server reads `Gi` as zero.
const pattern = /^([+-]?)(\d+\.?\d*|\.\d+|(?=[^\d.]))([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;
const nano = 1_000_000_000n;
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];

/** What the server answers for a quantity that it cannot read. */
export const quantityFormatMessage =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

export interface Quantity {
  readonly nanos: bigint;
  readonly form: 'binary' | 'decimal' | 'exponent';
}

/** Reads a quantity, `undefined` where the text is none. JSON numbers are accepted, as the real server does. */
export function parseQuantity(value: unknown): Quantity | undefined {
  const parts = typeof value === 'string' || typeof value === 'number' ? pattern.exec(String(value)) : null;
  if (parts === null) return undefined;
  const [, sign = '', digits = '', suffix = ''] = parts;
  const [whole = '', fraction = ''] = digits.split('.');
  const { numerator, denominator, form } = scaleOf(suffix);
  const divisor = 10n ** BigInt(fraction.length) * denominator;
  const scaled = BigInt(whole + fraction || '0') * numerator * nano;
  const nanos = (scaled + divisor - 1n) / divisor; // rounds up, so that nothing becomes zero
  return { nanos: sign === '-' ? -nanos : nanos, form };
}

function scaleOf(suffix: string): { numerator: bigint; denominator: bigint; form: Quantity['form'] } {
  const binary = binarySuffixes.indexOf(suffix);
  if (binary > 0) return { numerator: 1024n ** BigInt(binary), denominator: 1n, form: 'binary' };
  const isExponent = /^[eE]./.test(suffix);
  const power = isExponent ? Number(suffix.slice(1)) : 3 * (decimalSuffixes.indexOf(suffix) - 3);
  const magnitude = 10n ** BigInt(Math.min(Math.abs(power), 100));
  return {
    numerator: power < 0 ? 1n : magnitude,
    denominator: power < 0 ? magnitude : 1n,
    form: isExponent ? 'exponent' : 'decimal',
  };
}

/** The one form in which the server gives a quantity back: `1024Mi` becomes `1Gi`, `0.5` becomes `500m`. */
export function canonicalQuantity(value: unknown): Json {
  const quantity = parseQuantity(value);
  if (quantity === undefined) return value as Json;
  const { nanos, form } = quantity;
  const magnitude = nanos < 0n ? -nanos : nanos;
  const sign = nanos < 0n ? '-' : '';
  if (form === 'binary' && magnitude >= 1024n * nano && magnitude % nano === 0n) {
    const [mantissa, index] = reduce(magnitude / nano, 1024n, binarySuffixes.length - 1);
    return `${sign}${mantissa}${binarySuffixes[index]}`;
  }
  if (magnitude === 0n) return '0';
  const [mantissa, index] = reduce(magnitude, 1000n, decimalSuffixes.length - 1);
  const power = 3 * (index - 3);
  if (form === 'exponent') return `${sign}${mantissa}${power === 0 ? '' : `e${power}`}`;
  return `${sign}${mantissa}${decimalSuffixes[index]}`;
}

/** Divides by `base` while that leaves no remainder; returns what is left and how often it was divided. */
function reduce(value: bigint, base: bigint, most: number): [bigint, number] {
  let index = 0;
  let rest = value;
  while (index < most && rest % base === 0n) {
    rest /= base;
    index++;
  }
  return [rest, index];
}
