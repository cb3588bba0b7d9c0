/** Label selectors against an oracle that spells out each operator, and against labels of every kind. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileSelector } from '../../lib/controller/label-selector.ts';
import type { PersistentVolumeClaim } from '../../lib/controller/types.ts';
import { anyJson, anyText } from './hostile.ts';
import { outcomeOf } from './outcome.ts';
import { inTime, runs } from './runs.ts';

type Selector = NonNullable<PersistentVolumeClaim['spec']['selector']>;
type Labels = Readonly<Record<string, string>>;

// Few, so that selectors and labels meet, and some that every object seems to have.
const key = fc.constantFrom('tier', 'zone', 'a/b', '', '__proto__', 'constructor', 'toString', 'hasOwnProperty');
const value = fc.constantFrom('gold', 'iron', '', 'undefined', 'null', '1');
/** As JSON.parse makes it: `__proto__` is a label like any other. */
const labelsOf = (entries: readonly (readonly [string, string])[]) =>
  JSON.parse(
    `{${entries.map(([name, text]) => `${JSON.stringify(name)}:${JSON.stringify(text)}`).join(',')}}`,
  ) as Labels;
const labels = fc.array(fc.tuple(key, value), { maxLength: 4 }).map(labelsOf);
const operator = fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'in', 'Gt', '', 'toString');
const expression = fc.record(
  { key, operator, values: fc.array(value, { maxLength: 3 }) },
  { requiredKeys: ['key', 'operator'] },
);
const selector: fc.Arbitrary<Selector> = fc.record(
  { matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 3 }) },
  { requiredKeys: [] },
);

/** @returns undefined where the selector is broken. */
function oracle({ matchLabels = {}, matchExpressions = [] }: Selector, of: Labels): boolean | undefined {
  const map = new Map(Object.entries(of));
  let holds = true;
  for (const [name, wanted] of Object.entries(matchLabels)) if (map.get(name) !== wanted) holds = false;
  for (const { key: name, operator: kind, values = [] } of matchExpressions) {
    const found = map.get(name);
    const isListed = values.some((wanted) => wanted === found);
    if (kind === 'In' && values.length > 0) holds &&= map.has(name) && isListed;
    else if (kind === 'NotIn' && values.length > 0) holds &&= !map.has(name) || !isListed;
    else if (kind === 'Exists' && values.length === 0) holds &&= map.has(name);
    else if (kind === 'DoesNotExist' && values.length === 0) holds &&= !map.has(name);
    else return undefined;
  }
  return holds;
}

test('a selector selects what the oracle selects, and is broken where the oracle says so', () => {
  fc.assert(
    fc.property(selector, labels, (given, of) => {
      const compiled = outcomeOf(() => compileSelector(given), Error);
      const expected = oracle(given, of);
      if ('error' in compiled) expect(expected).toBeUndefined();
      else expect(compiled.value?.(of) ?? true).toBe(expected);
    }),
    { ...runs(), examples: [[{ matchLabels: labelsOf([['__proto__', 'gold']]) }, labelsOf([['__proto__', 'gold']])]] },
  );
});

test('what has the shape of none ends in an Error or a predicate, never otherwise', () => {
  const keys = ['matchLabels', 'matchExpressions', 'key', 'operator', 'values', 'In'];
  fc.assert(
    fc.property(anyJson(keys), (given) => {
      const compiled = outcomeOf(() => compileSelector(given as Selector), Error);
      if ('value' in compiled && compiled.value !== undefined)
        expect(compiled.value({ tier: 'gold' })).toBeTypeOf('boolean');
    }),
    runs(),
  );
});

test('labels of any text are data', () => {
  fc.assert(
    fc.property(anyText, anyText, (name, text) => {
      const of = labelsOf([[name, text]]);
      expect(compileSelector({ matchLabels: of })?.(of)).toBe(true);
      expect(compileSelector({ matchLabels: of })?.({})).toBe(false);
    }),
    runs(),
  );
});

test('a selector of a megabyte is compiled once, and each volume is matched in no time', async () => {
  const many = Array.from({ length: 20_000 }, (_, index) => `value-${index}-${'x'.repeat(40)}`);
  const matches = compileSelector({ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: many }] });
  await inTime(() => {
    let matching = 0;
    for (let volume = 0; volume < 50_000; volume++) matching += matches?.({ tier: 'gold' }) ? 1 : 0;
    expect(matching).toBe(50_000);
  });
});
