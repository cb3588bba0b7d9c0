/**
 * What assist may write (DESIGN D9): the phase of a volume or a claim, and the missing half of a bind. Nothing else passes,
 * whatever the sync wanted: what is written is made of the object as it is stored and of the one part that is finished.
 * So no annotation or finalizer of the migration rules gets into a write, and nothing is ever freed, failed or deleted.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  hasAnnotation,
  PROVISIONED_BY,
  reclaimPolicyOf,
  withAnnotations,
} from '../controller/annotations.ts';
import { isReservedFor } from '../controller/claim-ref.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';

/** What is to be written, or why assist leaves it to others. */
export type Assisted<T> = { readonly write: T } | { readonly leave: string };

/**
 * A volume that no claim holds, though a provisioner made it and its policy is Delete: were it picked for a claim that the
 * other controller binds elsewhere, that one would release it, and its disk would be gone (decision 013). A reservation by
 * name holds nothing yet.
 */
export function isFreeAndDoomed(volume: PersistentVolume): boolean {
  return !volume.spec.claimRef?.uid && hasAnnotation(volume, PROVISIONED_BY) && reclaimPolicyOf(volume) === 'Delete';
}

/** @param stored the volume as read. `wanted` as the sync would have it, with the version to be replaced. */
export function assistVolumePhase(stored: PersistentVolume, wanted: PersistentVolume): Assisted<PersistentVolume> {
  const phase = wanted.status?.phase ?? '';
  if (isFreeAndDoomed(stored)) return { leave: 'it is free, provisioned, and would be deleted after its next claim' };
  const isHeld = !!stored.spec.claimRef?.uid;
  if (phase !== 'Available' && phase !== 'Bound' && phase !== 'Released')
    return { leave: `phase ${phase} is no step of a bind` };
  if (isHeld === (phase === 'Available')) return { leave: `phase ${phase} does not follow from its claimRef` };
  return changed(stored, { ...atVersionOf(stored, wanted), ...(wanted.status && { status: wanted.status }) });
}

/** @param volume the one that the claim names, as read; undefined where there is none. */
export function assistClaimPhase(
  stored: PersistentVolumeClaim,
  wanted: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
): Assisted<PersistentVolumeClaim> {
  const phase = wanted.status?.phase ?? '';
  if (phase !== 'Pending' && phase !== 'Bound' && phase !== 'Lost') return { leave: `phase ${phase} is unknown` };
  if (phase === 'Bound' && !holds(volume, stored)) return { leave: 'no volume has it in its claimRef' };
  return changed(stored, { ...atVersionOf(stored, wanted), ...(wanted.status && { status: wanted.status }) });
}

/** The volume's half: its claimRef, where the claim names the volume or the volume has the claim reserved. */
export function assistVolumeHalf(
  stored: PersistentVolume,
  wanted: PersistentVolume,
  claim: PersistentVolumeClaim | undefined,
): Assisted<PersistentVolume> {
  const { claimRef } = wanted.spec;
  if (isFreeAndDoomed(stored)) return { leave: 'it is free, provisioned, and would be deleted after its next claim' };
  if (stored.spec.claimRef?.uid || !claimRef?.uid) return { leave: 'its half is not what is missing' };
  if (claim === undefined || claim.metadata.uid !== claimRef.uid) return { leave: 'its claim is not there' };
  const { volumeName } = claim.spec;
  const isReserved = isReservedFor(stored, claim);
  const isNamed = stored.spec.claimRef === undefined && volumeName === stored.metadata.name;
  const isForAnother = !!volumeName && volumeName !== stored.metadata.name;
  if (isForAnother || !(isReserved || isNamed)) return { leave: 'no half of this bind is there' };
  const { spec } = atVersionOf(stored, wanted);
  return changed(
    stored,
    marked({ ...atVersionOf(stored, wanted), spec: { ...spec, claimRef } }, wanted, [BOUND_BY_CONTROLLER]),
  );
}

/** The claim's half: the name of the volume that has the claim in its claimRef, and the marks of a bind. */
export function assistClaimHalf(
  stored: PersistentVolumeClaim,
  wanted: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
): Assisted<PersistentVolumeClaim> {
  const { volumeName } = wanted.spec;
  if (!volumeName || !holds(volume, stored)) return { leave: 'no volume has it in its claimRef' };
  if (stored.spec.volumeName && stored.spec.volumeName !== volumeName) return { leave: 'it names another volume' };
  const bound = { ...atVersionOf(stored, wanted), spec: { ...stored.spec, volumeName } };
  return changed(stored, marked(bound, wanted, [BOUND_BY_CONTROLLER, BIND_COMPLETED]));
}

function holds(volume: PersistentVolume | undefined, claim: PersistentVolumeClaim): boolean {
  return volume !== undefined && !!volume.spec.claimRef?.uid && isReservedFor(volume, claim);
}

/** As stored; the version stays that of the decision, so that a newer object refuses the write (DESIGN D4). */
function atVersionOf<T extends PersistentVolume | PersistentVolumeClaim>(stored: T, wanted: T): T {
  const { resourceVersion } = wanted.metadata;
  return { ...stored, metadata: { ...stored.metadata, ...(resourceVersion !== undefined && { resourceVersion }) } };
}

/** With those of these annotations that the sync adds. */
function marked<T extends PersistentVolume | PersistentVolumeClaim>(object: T, wanted: T, keys: readonly string[]): T {
  const added = keys.filter((key) => hasAnnotation(wanted, key) && !hasAnnotation(object, key));
  return added.length === 0 ? object : withAnnotations(object, Object.fromEntries(added.map((key) => [key, 'yes'])));
}

function changed<T extends PersistentVolume | PersistentVolumeClaim>(stored: T, write: T): Assisted<T> {
  return isDeepStrictEqual(stored, write) ? { leave: 'it is no part of a bind' } : { write };
}
