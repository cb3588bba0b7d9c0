/** Inputs that somebody might send on purpose, or a broken program by accident. */
import fc from 'fast-check';

export const KIBIBYTE = 1024;
export const MEBIBYTE = 1024 * KIBIBYTE;

/** Names that lead somewhere else, look like another one, or are no names at all. */
export const HOSTILE_NAMES: readonly string[] = [
  '',
  '.',
  '..',
  '../secrets/x',
  '../../namespaces/kube-system/secrets/x',
  'pv/../../secrets/x',
  'pv/status',
  '/etc/passwd',
  '%2e%2e%2fsecrets',
  '%252e%252e%252f',
  'pv%00',
  'pv?watch=true',
  'pv#x',
  'pv;x=y',
  'pv\\..\\x',
  'pv\u0000',
  'pv\r\nHost: evil',
  ' pv',
  'pv ',
  'PV',
  'pv_1',
  '-pv',
  'pv-',
  'a..b',
  // Look-alikes: a Cyrillic а, a full-width p, a division slash, one-dot leaders, a soft hyphen, a letter from a ligature.
  'pv-\u0430',
  '\uff50v',
  'pv\u2215x',
  '\u2024\u2024/x',
  'p\u00adv',
  '\ufb01le',
  'pv\u0301',
  '\u202evp',
  '\ud800',
  '__proto__',
  '{{7*7}}',
  'x'.repeat(254),
];

const piece = fc.oneof(
  fc.constantFrom(...HOSTILE_NAMES),
  fc.constantFrom('/', '..', '%2e', '%2f', '.', '-', 'pv', 'default', '\u0000', '\n', '\ud83d'),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

/** Text of any kind; often a hostile name, or several in one. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
);

/** Keys that mean something to JavaScript, beside those of the format. */
const ODD_KEYS = ['__proto__', 'constructor', 'toString', 'valueOf', 'toJSON', 'length', ''];

/** JSON of any shape, with keys that the format has and that JavaScript has. */
export function anyJson(keys: readonly string[] = []): fc.Arbitrary<unknown> {
  const leaf = fc.oneof(
    anyText,
    fc.constantFrom<unknown>(null, true, false, 0, -1, 1e308, 410, 404, 1.5, '', 'Status', 'v1', '410'),
  );
  const key = fc.constantFrom(...keys, ...ODD_KEYS);
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map(objectOf),
    ),
  }));
  return value;
}

/** As JSON.parse makes it: `__proto__` is a key like any other. */
function objectOf(entries: readonly (readonly [string, unknown])[]): unknown {
  const members = entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return JSON.parse(`{${members.join(',')}}`);
}

type Step = string | number;

/** A valid document with up to three of its parts, at any depth, replaced, taken away or added to. */
export function mutationsOf(valid: unknown, keys: readonly string[] = []): fc.Arbitrary<unknown> {
  const change = fc.tuple(fc.nat(), fc.oneof(fc.constant(undefined), anyJson(keys)));
  return fc.array(change, { maxLength: 3 }).map((changes) => {
    let document = structuredClone(valid);
    for (const [where, value] of changes) {
      const paths = pathsIn(document);
      document = withPart(document, paths[where % paths.length] ?? [], value);
    }
    return document;
  });
}

function pathsIn(value: unknown, at: readonly Step[] = []): (readonly Step[])[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, part]) => pathsIn(part, [...at, key]))];
}

function withPart(document: unknown, [first, ...rest]: readonly Step[], value: unknown): unknown {
  if (first === undefined) return value ?? null;
  const copy = (Array.isArray(document) ? [...document] : { ...(document as object) }) as Record<string, unknown>;
  if (rest.length === 0 && value === undefined) delete copy[first];
  else copy[first] = rest.length === 0 ? value : withPart(copy[first], rest, value);
  return copy;
}

/** A text that was cut, or had some of it replaced. */
export function damaged(text: string): fc.Arbitrary<string> {
  const place = fc.nat({ max: text.length });
  return fc.oneof(
    place.map((end) => text.slice(0, end)),
    fc.tuple(place, place, anyText).map(([one, other, put]) => {
      const [start, end] = one < other ? [one, other] : [other, one];
      return text.slice(0, start) + put + text.slice(Math.min(end, start + 20));
    }),
  );
}
