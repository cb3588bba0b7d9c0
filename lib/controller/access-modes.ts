/** Access-mode sets: order and duplicates do not count (BEHAVIOUR 5.1). */

const KNOWN: Readonly<Record<string, number>> = {
  ReadWriteOnce: 1,
  ReadOnlyMany: 2,
  ReadWriteMany: 4,
  ReadWriteOncePod: 8,
};

/** A bit that no volume's set has. */
const UNKNOWN = 16;

/** A set of access modes as bits; unknown modes are left out, as upstream's index does. */
export type ModeSet = number;

/** The modes as a set; a mode that is not known here is left out, and none at all is the empty set (BEHAVIOUR 5.1). */
export function modeSetOf(accessModes: readonly string[] | undefined): ModeSet {
  let set = 0;
  for (const mode of accessModes ?? []) set |= KNOWN[mode] ?? 0;
  return set;
}

/** The set that a claim requests: no group holds a mode that is not known here, so no volume is taken that lacks it. */
export function requestedModeSet(accessModes: readonly string[] | undefined): ModeSet {
  const known = (accessModes ?? []).every((mode) => Object.hasOwn(KNOWN, mode));
  return known ? modeSetOf(accessModes) : UNKNOWN;
}

/** The names of the modes in a set, always in the same order. */
export function modesIn(set: ModeSet): string[] {
  return Object.keys(KNOWN).filter((mode) => (set & (KNOWN[mode] ?? 0)) !== 0);
}

/** Whether `offered` holds every requested mode; both are compared as written, unknown modes too. */
export function accessModesSatisfied(requested: readonly string[] | undefined, offered: readonly string[] | undefined) {
  return (requested ?? []).every((mode) => (offered ?? []).includes(mode));
}

/**
 * Of the mode sets that exist, those that hold all requested modes, fewest modes first.
 * Which of several equally long sets comes first is undefined upstream; here it is the order of the bits.
 */
export function candidateModeSets(existing: Iterable<ModeSet>, requested: ModeSet): ModeSet[] {
  const size = (set: ModeSet) => modesIn(set).length;
  return [...existing].filter((set) => (set & requested) === requested).sort((a, b) => size(a) - size(b) || a - b);
}
