/**
 * Whether chance would decide, and not the controller's rules: two claims that a volume could go to, two equally good
 * volumes for a claim, volumes that become free at the same moment. Two runs of one controller differ there already, so
 * such actions are not done. It would rather refuse too many: it only chooses what is tried.
 */
import { accessModesSatisfied } from '../../lib/controller/access-modes.ts';
import {
  BIND_COMPLETED,
  DEFAULT_CLASS,
  hasAnnotation,
  storageClassOf,
  volumeModeOf,
} from '../../lib/controller/annotations.ts';
import { isReservedFor } from '../../lib/controller/claim-ref.ts';
import { compileSelector } from '../../lib/controller/label-selector.ts';
import { compareQuantities } from '../../lib/controller/quantity.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../lib/controller/types.ts';
import type { Action } from './action.ts';
import { after } from './foresight.ts';
import type { Snapshot } from './snapshot.ts';

/** @returns what is not determined about the outcome of this action, in words; undefined when all of it is. */
export function contestOf(state: Snapshot, action: Action): string | undefined {
  const next = after(state, action);
  const claims = next.claims.filter((claim) => isWaiting(claim, next));
  const free = next.volumes.filter((volume) => isFree(volume, next));
  for (const volume of free) {
    const wanting = claims.filter((claim) => couldGet(claim, volume, next));
    if (wanting.length > 1)
      return `${volume.metadata.name} could go to ${wanting.map(({ metadata }) => metadata.name).join(' or ')}`;
  }
  const wasFree = new Set(state.volumes.filter((volume) => isFree(volume, state)).map(({ metadata }) => metadata.name));
  for (const claim of claims) {
    const offered = free.filter((volume) => couldGet(claim, volume, next));
    const news = offered.filter(({ metadata }) => !wasFree.has(metadata.name));
    if (news.length > 1)
      return `${claim.metadata.name} could get any of ${news.length} volumes that become free together`;
    const equal = offered.find((volume) => offered.some((other) => other !== volume && areEqual(volume, other)));
    if (equal !== undefined) return `${claim.metadata.name} could get ${equal.metadata.name} or an equal one`;
  }
  return undefined;
}

/** Not bound yet, or Lost: a claim that has lost its volume takes it back as soon as nobody else has it. */
function isWaiting(claim: PersistentVolumeClaim, { volumes }: Snapshot): boolean {
  if (!hasAnnotation(claim, BIND_COMPLETED)) return true;
  const volume = volumes.find(({ metadata }) => metadata.name === claim.spec.volumeName);
  return volume !== undefined && volume.spec.claimRef?.uid !== claim.metadata.uid;
}

/** Now, or as soon as the controller has looked at it. */
function isFree(volume: PersistentVolume, { claims }: Snapshot): boolean {
  const { claimRef, persistentVolumeReclaimPolicy } = volume.spec;
  if (volume.metadata.deletionTimestamp !== undefined) return false;
  if (!claimRef?.uid) return true;
  const claim = claims.find(({ metadata }) => metadata.uid === claimRef.uid);
  if (claim === undefined) return persistentVolumeReclaimPolicy === 'Recycle';
  return claim.spec.volumeName !== undefined && claim.spec.volumeName !== volume.metadata.name;
}

function couldGet(claim: PersistentVolumeClaim, volume: PersistentVolume, { classes }: Snapshot): boolean {
  const { accessModes, selector, resources, volumeName } = claim.spec;
  if (volume.spec.claimRef?.name !== undefined && !volume.spec.claimRef.uid && !isReservedFor(volume, claim))
    return false;
  if (volumeName !== undefined) return volumeName === volume.metadata.name;
  const hasNoClass = claim.spec.storageClassName === undefined && storageClassOf(claim) === '';
  const defaults = classes.filter(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === 'true');
  const wanted = [storageClassOf(claim), ...(hasNoClass ? defaults.map(({ metadata }) => metadata.name) : [])];
  return (
    accessModesSatisfied(accessModes, volume.spec.accessModes) &&
    volumeModeOf(claim) === volumeModeOf(volume) &&
    compareQuantities(sizeOf(volume), resources?.requests?.['storage'] ?? '0') >= 0 &&
    (isReservedFor(volume, claim) || wanted.includes(storageClassOf(volume))) &&
    (isReservedFor(volume, claim) || (compileSelector(selector)?.(volume.metadata.labels ?? {}) ?? true))
  );
}

function areEqual(one: PersistentVolume, other: PersistentVolume): boolean {
  return (
    new Set(one.spec.accessModes).size === new Set(other.spec.accessModes).size &&
    compareQuantities(sizeOf(one), sizeOf(other)) === 0
  );
}

function sizeOf({ spec }: PersistentVolume): string {
  return spec.capacity?.['storage'] ?? '0';
}
