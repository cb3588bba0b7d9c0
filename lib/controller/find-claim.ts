/** The claim behind a volume's claimRef: always a quorum read, made after that of the volume (DESIGN D3). */
import type { SyncContext } from './ports.ts';
import type { ClaimRef, PersistentVolumeClaim } from './types.ts';

/**
 * The claim with exactly that uid; a claim that was recreated under the same name does not count.
 * @returns undefined when the server has proven that there is none.
 */
export async function findClaim(ctx: SyncContext, claimRef: ClaimRef): Promise<PersistentVolumeClaim | undefined> {
  const { namespace = '', name = '' } = claimRef;
  const claim = await ctx.cluster.get('PersistentVolumeClaim', { namespace, name });
  return claim?.metadata.uid === claimRef.uid ? claim : undefined;
}
