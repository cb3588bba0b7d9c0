import { describe, expect, test } from 'vitest';
import { accessModesSatisfied, candidateModeSets, modeSetOf, modesIn, requestedModeSet } from './access-modes.ts';

const [RWO, ROX, RWX, RWOP] = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'];
const set = (...modes: (string | undefined)[]) => modeSetOf(modes as string[]);

describe('mode sets (BEHAVIOUR 5.1)', () => {
  test('order and duplicates do not count', () => {
    expect(set(RWO, ROX, RWO)).toBe(set(ROX, RWO));
    expect(new Set([set(RWO), set(ROX), set(RWX), set(RWOP)]).size).toBe(4);
    expect(modesIn(set(RWX, RWO))).toEqual([RWO, RWX]);
    expect(modeSetOf(undefined)).toBe(0);
  });

  test('candidates hold every requested mode, the fewest modes first', () => {
    const existing = [set(RWO, ROX, RWX), set(RWO), set(ROX), set(RWO, RWX), set(RWOP)];
    expect(candidateModeSets(existing, set(RWO))).toEqual([set(RWO), set(RWO, RWX), set(RWO, ROX, RWX)]);
    expect(candidateModeSets(existing, set(RWX, ROX))).toEqual([set(RWO, ROX, RWX)]);
    expect(candidateModeSets(existing, set(RWOP, RWO))).toEqual([]);
    expect(candidateModeSets(existing, 0)).toHaveLength(existing.length);
    const singlesLast = [set(RWO, ROX), set(RWOP), set(RWX)];
    expect(candidateModeSets(singlesLast, 0)).toEqual([set(RWX), set(RWOP), set(RWO, ROX)]);
  });

  test('a request of nothing is for any set, one of an unknown mode for none', () => {
    expect(requestedModeSet(undefined)).toBe(0);
    const existing = [set(RWO), set(ROX), set(RWX), set(RWOP), set(RWO, ROX, RWX, RWOP)];
    expect(candidateModeSets(existing, requestedModeSet([RWO as string, 'Unknown']))).toEqual([]);
    expect(accessModesSatisfied([RWO as string], undefined)).toBe(false);
  });

  test('an explicitly requested volume must list every mode as it is written', () => {
    expect(accessModesSatisfied([RWO as string], [ROX as string, RWO as string])).toBe(true);
    expect(accessModesSatisfied([RWO as string, RWX as string], [RWO as string])).toBe(false);
    expect(accessModesSatisfied(['Unknown'], [RWO as string])).toBe(false);
    expect(accessModesSatisfied([], [])).toBe(true);
    expect(accessModesSatisfied(undefined, undefined)).toBe(true);
  });
});
