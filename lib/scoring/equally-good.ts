/** Two volumes that a claim cannot tell apart: which of them a controller chooses is chance (BEHAVIOUR 5.2, step 11). */
import { modeSetOf } from '../controller/access-modes.ts';
import { storageClassOf, volumeModeOf } from '../controller/annotations.ts';
import { compareQuantities, isQuantity } from '../controller/quantity.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import type { Held } from './change.ts';
import { idOf } from './verdict.ts';

/** The volumes that a claim was to get, and has got; undefined where either is unknown, or both are the same. */
export interface Choice {
  readonly ours: string;
  readonly theirs: string;
}

/** @param wanted the claim as it was foreseen. @param now as it is. */
export function choiceIn(wanted: Held, now: Held): Choice | undefined {
  const [ours, theirs] = [wanted, now].map((claim) => (claim as PersistentVolumeClaim).spec.volumeName);
  if (!ours || !theirs || ours === theirs) return undefined;
  return { ours: idOf('PersistentVolume', { name: ours }), theirs: idOf('PersistentVolume', { name: theirs }) };
}

/**
 * Whether no rule of the choice prefers one of the two. Labels count where the claim selects by them; what only matters
 * afterwards, such as the reclaim policy, does not.
 */
export function isEquallyGood(one: PersistentVolume, other: PersistentVolume, claim: Held): boolean {
  const selects = (claim as PersistentVolumeClaim).spec.selector !== undefined;
  return hasSameSize(one, other) && worthOf(one, selects) === worthOf(other, selects);
}

/** Whether a volume is kept for this claim by its name: of several such volumes any will do. */
export function isReservation({ spec: { claimRef } }: PersistentVolume, { metadata }: Held): boolean {
  return claimRef?.namespace === metadata.namespace && claimRef?.name === metadata.name;
}

function worthOf(volume: PersistentVolume, selects: boolean): string {
  const { accessModes, volumeAttributesClassName = '' } = volume.spec;
  const labels = Object.entries(volume.metadata.labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([
    modeSetOf(accessModes),
    storageClassOf(volume),
    volumeModeOf(volume),
    volumeAttributesClassName,
    selects ? labels : [],
  ]);
}

function hasSameSize(one: PersistentVolume, other: PersistentVolume): boolean {
  const [size, otherSize] = [one, other].map(({ spec }) => spec.capacity?.['storage'] ?? '');
  if (size === undefined || otherSize === undefined || !isQuantity(size) || !isQuantity(otherSize)) return false;
  return compareQuantities(size, otherSize) === 0;
}
