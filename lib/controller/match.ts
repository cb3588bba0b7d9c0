/**
 * findBestMatch: which volume a claim gets (BEHAVIOUR 5). Mode groups with the fewest modes first; within a group a
 * volume reserved for the claim or held for it by another worker, then the smallest free one that passes every rule.
 */
import { candidateModeSets, modeSetOf, requestedModeSet } from './access-modes.ts';
import { mismatchOf, type Request, requestOf, unusable } from './candidate.ts';
import { isReservedFor } from './claim-ref.ts';
import type { Features } from './features.ts';
import type { PersistentVolume, PersistentVolumeClaim } from './types.ts';
import { firstShelfOfAtLeast, type Rack, type VolumeIndex } from './volume-index.ts';

/**
 * @param delayedBinding the claim's class waits for its first consumer, so free volumes are left to the scheduler.
 * @returns the volume to bind, undefined when none fits.
 * @throws Error when the claim's selector is broken, or its attributes class is not supported by this server.
 */
export function findBestMatch(
  volumes: VolumeIndex,
  claim: PersistentVolumeClaim,
  delayedBinding: boolean,
  features: Features,
): PersistentVolume | undefined {
  const groups = candidateModeSets(volumes.modeSets(), requestedModeSet(claim.spec.accessModes));
  if (groups.length === 0) return undefined; // a claim is judged within a group: here even a broken one is not refused
  const request = requestOf(claim, delayedBinding, features);
  const reserved = volumes
    .reservedFor(claim.metadata)
    .filter((volume) => isReservedFor(volume, claim) && unusable(volume, request) === undefined);
  const held = volumes.heldFor(claim.metadata.uid ?? '').filter((volume) => mismatchOf(volume, request) === undefined);
  for (const modes of groups) {
    const mine = [...reserved, ...held].find((volume) => modeSetOf(volume.spec.accessModes) === modes);
    if (mine !== undefined) return mine;
    const { storageClass, volumeMode, attributesClass } = request;
    const free = smallestFree(volumes, volumes.rack({ modes, storageClass, volumeMode, attributesClass }), request);
    if (free !== undefined) return free;
  }
  return undefined;
}

/** Whether this one volume could be chosen for the claim, access modes included. @throws as `findBestMatch`. */
export function couldBind(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  delayedBinding: boolean,
  features: Features,
): boolean {
  const requested = requestedModeSet(claim.spec.accessModes);
  if ((modeSetOf(volume.spec.accessModes) & requested) !== requested) return false;
  return mismatchOf(volume, requestOf(claim, delayedBinding, features)) === undefined;
}

/** Among equally small volumes the claim's uid chooses, so that parallel claims do not fight for one (DESIGN D7). */
function smallestFree(volumes: VolumeIndex, rack: Rack, request: Request): PersistentVolume | undefined {
  if (request.delayedBinding) return undefined;
  for (let at = firstShelfOfAtLeast(rack, request.storage); at < rack.length; at++) {
    const names = rack[at]?.names ?? [];
    const start = spread(request.claim.metadata.uid ?? '', names.length);
    for (let step = 0; step < names.length; step++) {
      const volume = volumes.get(names[(start + step) % names.length] ?? '');
      if (volume !== undefined && mismatchOf(volume, request) === undefined) return volume;
    }
  }
  return undefined;
}

/** FNV-1a of the text, as a position below `size`. */
function spread(text: string, size: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return size === 0 ? 0 : (hash >>> 0) % size;
}
