/**
 * Whether a sync of an object would write an *object*, told from what the bridge holds (DESIGN D8). It may be true too
 * often, never too seldom: test/property/needs-sync.test.ts holds it against the syncs themselves. It composes the very
 * functions that the syncs write with, so a rule stands in one place.
 */
import {
  annotationOf,
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  hasAnnotation,
  MIGRATED_TO,
  reclaimPolicyOf,
  SELECTED_NODE,
  storageClassOf,
} from './annotations.ts';
import { askedOf } from './ask-provisioner.ts';
import { claimBoundTo, volumeBoundTo } from './bind.ts';
import { claimPhaseOf, withoutVolume, withVolume } from './claim-phase.ts';
import { isReservedFor } from './claim-ref.ts';
import { defaultClassOf, hasClass } from './default-class.ts';
import { delaysBinding } from './delayed-binding.ts';
import { findDeleter } from './delete-volume.ts';
import { volumeModeMismatch, whyUnfit } from './fitness.ts';
import { couldBind as couldBindVolume, findBestMatch } from './match.ts';
import { annealClaim, annealVolume } from './migration.ts';
import { isPossibleKey } from './names.ts';
import type { SyncRules } from './ports.ts';
import { findProvisioner, provisionerNameOf } from './provision.ts';
import { findRecycler } from './recycle-volume.ts';
import { hasStrayRecycling } from './stop-recycling.ts';
import { wasProvisionedFor } from './sync-volume.ts';
import type { ObjectKey, PersistentVolume, PersistentVolumeClaim, StorageClass } from './types.ts';
import type { VolumeIndex } from './volume-index.ts';
import { inPhase, isReleasedOrFailed, phaseOf } from './volume-phase.ts';

/** What the bridge holds, as the predicates need it. */
export interface ClusterView {
  volume(name: string): PersistentVolume | undefined;
  claim(key: ObjectKey): PersistentVolumeClaim | undefined;
  storageClass(name: string): StorageClass | undefined;
  storageClasses(): Iterable<StorageClass>;
  readonly volumes: VolumeIndex;
}

export function needsVolumeSync(view: ClusterView, volume: PersistentVolume, rules: SyncRules): boolean {
  if (annealVolume(volume, rules.migration) !== volume || hasStrayRecycling(volume)) return true;
  const { claimRef } = volume.spec;
  if (!claimRef?.uid) return inPhase(volume, 'Available') !== volume;
  const { namespace = '', name = '' } = claimRef;
  if (!isPossibleKey({ kind: 'PersistentVolumeClaim', namespace, name })) return false; // nothing can be read: a StateError
  const claim = view.claim({ namespace, name });
  if (claim === undefined || claim.metadata.uid !== claimRef.uid) return releaseWrites(volume, rules);
  // Else left to the claim's sync; this one tells why it does not fit.
  if (!claim.spec.volumeName) return volumeModeMismatch(volume, claim);
  if (claim.spec.volumeName === volume.metadata.name) return inPhase(volume, 'Bound') !== volume;
  if (wasProvisionedFor(volume, claim) && reclaimPolicyOf(volume) === 'Delete') return releaseWrites(volume, rules);
  return true; // unbind
}

export function needsClaimSync(view: ClusterView, claim: PersistentVolumeClaim, rules: SyncRules): boolean {
  if (annealClaim(claim, rules.migration) !== claim) return true;
  const { volumeName } = claim.spec;
  const volume = volumeName ? view.volume(volumeName) : undefined;
  if (hasAnnotation(claim, BIND_COMPLETED)) {
    const { claimRef } = volume?.spec ?? {};
    const bound = volume !== undefined && (claimRef === undefined || claimRef.uid === claim.metadata.uid);
    return bound ? bindWrites(volume, claim, rules) : claimPhaseOf(claim) !== 'Lost';
  }
  if (!volumeName) return wantsVolume(view, claim, rules);
  if (volume !== undefined) {
    const free = volume.spec.claimRef === undefined && whyUnfit(volume, claim, rules.features) === undefined;
    if (free || isReservedFor(volume, claim)) return bindWrites(volume, claim, rules);
    if (volume.spec.claimRef !== undefined && hasAnnotation(claim, BOUND_BY_CONTROLLER)) return false; // a StateError
  }
  return withoutVolume(claim, 'Pending') !== claim;
}

/** Whether this volume, as it is, could be chosen for this unbound claim. A broken claim never can. */
export function couldBind(view: ClusterView, volume: PersistentVolume, claim: PersistentVolumeClaim, rules: SyncRules) {
  return tryOr(false, () => {
    const delayed = delaysBinding(view.storageClass(storageClassOf(claim)));
    return couldBindVolume(volume, claim, delayed, rules.features);
  });
}

/** Released or not yet, and then what its policy does. */
function releaseWrites(volume: PersistentVolume, rules: SyncRules): boolean {
  if (!isReleasedOrFailed(volume)) return true;
  if (annotationOf(volume, MIGRATED_TO)) return false;
  switch (reclaimPolicyOf(volume)) {
    case 'Retain':
      return false;
    case 'Recycle':
      return phaseOf(volume) !== 'Failed' || findRecycler(rules, volume) !== undefined;
    case 'Delete':
      return deleteWrites(volume, rules);
    default:
      return phaseOf(volume) !== 'Failed';
  }
}

function deleteWrites(volume: PersistentVolume, rules: SyncRules): boolean {
  try {
    return findDeleter(rules, volume) !== undefined;
  } catch {
    return phaseOf(volume) !== 'Failed';
  }
}

function bindWrites(volume: PersistentVolume, claim: PersistentVolumeClaim, rules: SyncRules): boolean {
  return (
    volumeBoundTo(volume, claim) !== volume ||
    inPhase(volume, 'Bound') !== volume ||
    claimBoundTo(claim, volume) !== claim ||
    tryOr(true, () => withVolume(claim, volume, rules.features) !== claim)
  );
}

function wantsVolume(view: ClusterView, claim: PersistentVolumeClaim, rules: SyncRules): boolean {
  const storageClass = view.storageClass(storageClassOf(claim));
  return tryOr(false, () => {
    const delayed = delaysBinding(storageClass);
    if (findBestMatch(view.volumes, claim, delayed, rules.features) !== undefined) return true;
    if (!hasClass(claim) && defaultClassOf(view.storageClasses()) !== undefined) return true;
    const provisions = storageClassOf(claim) !== '' && (!delayed || hasAnnotation(claim, SELECTED_NODE));
    return provisions ? provisionWrites(storageClass, claim, rules) : withoutVolume(claim, 'Pending') !== claim;
  });
}

function provisionWrites(storageClass: StorageClass | undefined, claim: PersistentVolumeClaim, rules: SyncRules) {
  if (!rules.settings.dynamicProvisioning || storageClass === undefined) return false;
  return tryOr(false, () => {
    if (findProvisioner(rules, storageClass) !== undefined) return true;
    const provisioner = provisionerNameOf(storageClass, rules);
    return provisioner !== undefined && askedOf(claim, provisioner, rules) !== claim;
  });
}

/** Where a rule throws, the sync throws too: what it wrote before that is what counts. */
function tryOr(otherwise: boolean, decide: () => boolean): boolean {
  try {
    return decide();
  } catch {
    return otherwise;
  }
}
