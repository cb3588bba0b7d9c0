/**
 * syncClaim brings a claim to its volume: finds one, binds it, asks for one to be provisioned, or says that the volume
 * it had is lost. The rules are BEHAVIOUR section 3; whether the first binding was ever completed decides which half
 * applies. The branches are upstream's, in upstream's order.
 */
import { saveAnnealedClaim } from './anneal.ts';
import { BIND_COMPLETED, hasAnnotation } from './annotations.ts';
import type { SyncContext } from './ports.ts';
import { syncBoundClaim } from './sync-bound-claim.ts';
import { syncUnboundClaim } from './sync-unbound-claim.ts';
import type { PersistentVolumeClaim } from './types.ts';

/**
 * @param read the claim as just read from the API server; a deletionTimestamp is not looked at.
 * @param hint name of a volume to consider besides the pool's.
 * @throws Error when a read or write fails, or upstream would fail the sync: the key is tried again.
 */
export async function syncClaim(ctx: SyncContext, read: PersistentVolumeClaim, hint?: string): Promise<void> {
  const claim = await saveAnnealedClaim(ctx, read);
  if (hasAnnotation(claim, BIND_COMPLETED)) await syncBoundClaim(ctx, claim);
  else await syncUnboundClaim(ctx, claim, hint);
}
