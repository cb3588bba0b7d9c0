/** The last look before anything is destroyed (BEHAVIOUR 7.1). */
import { findClaim } from './find-claim.ts';
import type { SyncContext } from './ports.ts';
import type { PersistentVolume } from './types.ts';

/**
 * Whether a freshly read volume is still released, by a quorum read of its claim.
 */
export async function isVolumeReleased(ctx: SyncContext, volume: PersistentVolume): Promise<boolean> {
  const { claimRef } = volume.spec;
  if (!claimRef?.uid) {
    ctx.note(`volume ${volume.metadata.name} is not bound to a claim: nothing to reclaim`);
    return false;
  }
  const claim = await findClaim(ctx, claimRef);
  if (claim === undefined) return true;
  return !!claim.spec.volumeName && claim.spec.volumeName !== volume.metadata.name;
}
