import { describe, expect, test } from 'vitest';
import { compileSelector } from './label-selector.ts';

const gold = { tier: 'gold', zone: 'a' };

describe('compileSelector (BEHAVIOUR 5.2 rule 9)', () => {
  test('no selector and an empty one match everything', () => {
    expect(compileSelector(undefined)).toBeUndefined();
    expect(compileSelector({})).toBeUndefined();
    expect(compileSelector({ matchLabels: {}, matchExpressions: [] })).toBeUndefined();
  });

  test.each([
    [{ matchLabels: { tier: 'gold' } }, true],
    [{ matchLabels: { tier: 'gold', zone: 'b' } }, false],
    [{ matchLabels: { rack: '' } }, false],
    [{ matchExpressions: [{ key: 'tier', operator: 'In', values: ['iron', 'gold'] }] }, true],
    [{ matchExpressions: [{ key: 'tier', operator: 'In', values: ['iron'] }] }, false],
    [{ matchExpressions: [{ key: 'rack', operator: 'In', values: ['1'] }] }, false],
    [{ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['gold'] }] }, false],
    [{ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['iron'] }] }, true],
    [{ matchExpressions: [{ key: 'rack', operator: 'NotIn', values: ['1'] }] }, true],
    [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }, true],
    [{ matchExpressions: [{ key: 'rack', operator: 'Exists' }] }, false],
    [{ matchExpressions: [{ key: 'zone', operator: 'DoesNotExist' }] }, false],
    [{ matchExpressions: [{ key: 'rack', operator: 'DoesNotExist', values: [] }] }, true],
    [
      {
        matchLabels: { tier: 'gold' },
        matchExpressions: [
          { key: 'zone', operator: 'Exists' },
          { key: 'zone', operator: 'NotIn', values: ['a'] },
        ],
      },
      false,
    ],
  ])('%j on tier=gold, zone=a: %s', (selector, matches) => {
    expect(compileSelector(selector)?.(gold)).toBe(matches);
  });

  test('every label and expression must hold', () => {
    const both = compileSelector({
      matchLabels: { tier: 'gold' },
      matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }],
    });
    expect(both?.(gold)).toBe(true);
    expect(both?.({ tier: 'gold' })).toBe(false);
    expect(both?.({ zone: 'a' })).toBe(false);
  });

  test.each([
    [{ key: 'tier', operator: 'in', values: ['gold'] }, '"in" is not a valid label selector operator'],
    [{ key: 'tier', operator: 'Gt', values: ['1'] }, '"Gt" is not a valid label selector operator'],
    [{ key: 'tier', operator: 'In', values: [] }, "values set can't be empty"],
    [{ key: 'tier', operator: 'NotIn' }, "values set can't be empty"],
    [{ key: 'tier', operator: 'Exists', values: ['gold'] }, 'values set must be empty'],
    [{ key: 'tier', operator: 'DoesNotExist', values: ['gold'] }, 'values set must be empty'],
  ])('%j is broken', (expression, message) => {
    expect(() => compileSelector({ matchExpressions: [expression] })).toThrow(message);
  });

  test('a key of Object.prototype is a label like any other', () => {
    const exists = compileSelector({ matchExpressions: [{ key: 'constructor', operator: 'Exists' }] });
    expect(exists?.({})).toBe(false);
    expect(exists?.({ constructor: 'x' } as unknown as Record<string, string>)).toBe(true);
    expect(compileSelector({ matchLabels: { toString: 'x' } as never })?.({})).toBe(false);
  });
});
