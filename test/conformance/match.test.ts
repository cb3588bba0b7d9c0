/** Which volume fits which claim; the test names are upstream's ids. */
import { describe, expect, test } from 'vitest';
import { accessModesSatisfied, candidateModeSets, modeSetOf, modesIn } from '../../lib/controller/access-modes.ts';
import { volumeModeMismatch, whyUnfit } from '../../lib/controller/fitness.ts';
import { findBestMatch } from '../../lib/controller/match.ts';
import { compareQuantities } from '../../lib/controller/quantity.ts';
import { VolumeIndex } from '../../lib/controller/volume-index.ts';
import { type Match, matches } from './data.ts';

function featuresOf(match: Match) {
  return { volumeAttributesClass: match.featureGates['VolumeAttributesClass'] ?? true };
}

/** What `find` finds; undefined when it refuses the claim for its attributes class. Any other error is thrown. */
function unlessUnsupported<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    expect(String(error)).toContain('unsupported volumeAttributesClassName is set on claim');
    return undefined;
  }
}

const checks: Record<string, (match: Match) => void> = {
  bestMatch(match) {
    const find = () => findBestMatch(new VolumeIndex(match.pvs), match.claim, match.delayBinding, featuresOf(match));
    if (match.expectedError) {
      expect(find).toThrow(match.expectedError);
      return;
    }
    // A claim that cannot be matched at all (BEHAVIOUR 5.2: attributes class with the gate off) gets no volume: it is
    // refused where a volume is judged for it, and finds none where there is none to judge.
    const isImpossible = !featuresOf(match).volumeAttributesClass && !!match.claim.spec.volumeAttributesClassName;
    const found = isImpossible && match.expectedPV === null ? unlessUnsupported(find) : find();
    expect(found?.metadata.name ?? null).toBe(match.expectedPV);
    if (match.expectedPVUid) expect(found?.metadata.uid).toBe(match.expectedPVUid);
  },
  satisfies(match) {
    const why = whyUnfit(match.pv, match.claim, featuresOf(match));
    expect(why === undefined).toBe(match.expectedSatisfied);
    if (match.expectedError) expect(why).toBe(match.expectedError);
  },
  volumeModeMismatch(match) {
    expect(volumeModeMismatch(match.pv, match.claim)).toBe(match.expectedMismatch);
  },
  accessModes(match) {
    expect(accessModesSatisfied(match.claim.spec.accessModes, match.pv.spec.accessModes)).toBe(match.expectedSatisfied);
  },
  listByAccessModes(match) {
    const wanted = modeSetOf(match.accessModes);
    const capacity = (at: number) => group[at]?.spec.capacity?.['storage'] ?? '0';
    const group = match.pvs.filter((pv) => modeSetOf(pv.spec.accessModes) === wanted);
    const order = group
      .map((pv, i) => ({ name: pv.metadata.name, i }))
      .sort((a, b) => compareQuantities(capacity(a.i), capacity(b.i)));
    expect(order).toHaveLength(match.total);
    const names = order.map(({ name }) => name);
    expect(names.slice(0, match.checkedPrefix)).toEqual(match.expectedByCapacityAsc.slice(0, match.checkedPrefix));
  },
  possibleAccessModes(match) {
    const sets = candidateModeSets(new VolumeIndex(match.pvs).modeSets(), modeSetOf(match.accessModes));
    const sorted = (modes: string[]) => [...modes].sort().join(',');
    expect(sets.map((set) => sorted(modesIn(set))).sort()).toEqual(match.expectedModeSets.map(sorted).sort());
    const sizes = sets.map((set) => modesIn(set).length);
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
  },
};

describe('match', () => {
  test.each(matches)('$id ($kind): $description', (match) => {
    const check = checks[match.kind];
    if (check === undefined) throw new Error(`unknown kind ${match.kind}`);
    check(match);
  });
});
