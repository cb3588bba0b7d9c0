/** Which claim a volume is reserved for or bound to. */
import type { ClaimRef, PersistentVolume, PersistentVolumeClaim } from './types.ts';

/** Upstream's IsVolumeBoundToClaim: namespace and name are equal, and the uid is equal or not filled in yet. */
export function isReservedFor(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { claimRef } = volume.spec;
  return (
    claimRef !== undefined &&
    claimRef.name === claim.metadata.name &&
    claimRef.namespace === claim.metadata.namespace &&
    (!claimRef.uid || claimRef.uid === claim.metadata.uid)
  );
}

/** The claimRef names this very claim, uid included. */
export function isBoundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return isReservedFor(volume, claim) && volume.spec.claimRef?.uid === claim.metadata.uid;
}

/** A full claimRef to this claim as it is now. */
export function claimRefTo(claim: PersistentVolumeClaim): ClaimRef {
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  return {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    namespace,
    name,
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
