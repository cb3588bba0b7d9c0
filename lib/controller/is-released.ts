/** The last look before anything is destroyed (BEHAVIOUR 7.1). */
import { reclaimPolicyOf } from './annotations.ts';
import { findClaim } from './find-claim.ts';
import type { SyncContext } from './ports.ts';
import type { PersistentVolume } from './types.ts';

/**
 * Whether a volume is still to be reclaimed as the sync decided, told from a fresh read of it and of its claim.
 * @param seen the volume as the sync saw it.
 */
export async function stillReleased(ctx: SyncContext, seen: PersistentVolume, fresh: PersistentVolume) {
  const { name } = seen.metadata;
  if (fresh.metadata.uid !== seen.metadata.uid) {
    ctx.note(`volume ${name} is another one than it was: nothing to reclaim`);
    return false;
  }
  if (reclaimPolicyOf(fresh) !== reclaimPolicyOf(seen)) {
    ctx.note(`volume ${name} has another reclaim policy than it had: not reclaimed by the old one`);
    return false;
  }
  if (fresh.spec.claimRef?.uid !== seen.spec.claimRef?.uid) {
    ctx.note(`volume ${name} is for another claim than it was: its own sync decides about that one`);
    return false;
  }
  return await isVolumeReleased(ctx, fresh);
}

async function isVolumeReleased(ctx: SyncContext, volume: PersistentVolume): Promise<boolean> {
  const { claimRef } = volume.spec;
  if (!claimRef?.uid) {
    ctx.note(`volume ${volume.metadata.name} is not bound to a claim: nothing to reclaim`);
    return false;
  }
  const claim = await findClaim(ctx, claimRef);
  if (claim === undefined) return true;
  return !!claim.spec.volumeName && claim.spec.volumeName !== volume.metadata.name;
}
