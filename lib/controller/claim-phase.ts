/** The status of a claim: one status write, and only if something changes (BEHAVIOUR 3.5). */
import { annotationOf, PRE_RESIZE_CAPACITY } from './annotations.ts';
import type { Features } from './features.ts';
import type { SyncContext } from './ports.ts';
import { compareQuantities, isQuantity } from './quantity.ts';
import type { PersistentVolume, PersistentVolumeClaim } from './types.ts';

type ClaimStatus = NonNullable<PersistentVolumeClaim['status']>;

export function claimPhaseOf(claim: PersistentVolumeClaim): string {
  return claim.status?.phase ?? '';
}

/** The claim Pending or Lost, its status emptied; the same object when nothing is to change. */
export function withoutVolume(claim: PersistentVolumeClaim, phase: 'Pending' | 'Lost'): PersistentVolumeClaim {
  const { accessModes, capacity, currentVolumeAttributesClassName, ...status } = claim.status ?? {};
  const emptied =
    !accessModes?.length && Object.keys(capacity ?? {}).length === 0 && currentVolumeAttributesClassName === undefined;
  if (emptied && claimPhaseOf(claim) === phase) return claim;
  return { ...claim, status: { ...status, phase } };
}

/**
 * The claim Bound to this volume; the same object when nothing is to change. Capacity is written only when the phase
 * changes: afterwards it belongs to a resize.
 * @throws Error when the volume has no storage capacity.
 */
export function withVolume(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  features: Features,
): PersistentVolumeClaim {
  const current: ClaimStatus = claim.status ?? {};
  const status: ClaimStatus = { ...current };
  let changed = false;
  if (!sameModes(current.accessModes, volume.spec.accessModes)) {
    if (volume.spec.accessModes === undefined) delete status.accessModes;
    else status.accessModes = volume.spec.accessModes;
    changed = true;
  }
  if (current.phase !== 'Bound') {
    status.phase = 'Bound';
    changed = true;
    const capacity = capacityForStatus(volume, current.capacity);
    if (capacity !== undefined) status.capacity = capacity;
    if (features.volumeAttributesClass && current.phase === 'Pending') {
      const attributesClass = volume.spec.volumeAttributesClassName;
      if (attributesClass === undefined) delete status.currentVolumeAttributesClassName;
      else status.currentVolumeAttributesClassName = attributesClass;
    }
  }
  return changed ? { ...claim, status } : claim;
}

/** Writes the claim's status if `wanted` differs from `claim`. @returns the claim as stored. */
export async function updateClaimStatus(
  ctx: SyncContext,
  claim: PersistentVolumeClaim,
  wanted: PersistentVolumeClaim,
): Promise<PersistentVolumeClaim> {
  if (wanted === claim) return claim;
  const { namespace, name } = claim.metadata;
  ctx.note(`claim ${namespace}/${name}: phase ${claimPhaseOf(claim) || '(none)'} -> ${claimPhaseOf(wanted)}`);
  return await ctx.cluster.updateStatus('PersistentVolumeClaim', wanted);
}

function capacityForStatus(volume: PersistentVolume, current: ClaimStatus['capacity']) {
  const storage = volume.spec.capacity?.['storage'];
  if (storage === undefined) {
    throw new Error(`PersistentVolume "${volume.metadata.name}" is without a storage capacity`);
  }
  const preResize = annotationOf(volume, PRE_RESIZE_CAPACITY);
  if (preResize !== undefined) return { ...current, storage: isQuantity(preResize) ? preResize : storage };
  return sameQuantity(current?.['storage'], storage) ? undefined : volume.spec.capacity;
}

/** The same size, whichever way it is written. */
function sameQuantity(a: string | undefined, b: string): boolean {
  return a === b || (a !== undefined && isQuantity(a) && isQuantity(b) && compareQuantities(a, b) === 0);
}

function sameModes(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((mode, i) => mode === b[i]);
}
