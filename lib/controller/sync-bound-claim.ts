/** A claim that finished its first binding (BEHAVIOUR 3.3): keep it bound, or say that its volume is lost. */
import { bind } from './bind.ts';
import { claimPhaseOf, updateClaimStatus, withoutVolume } from './claim-phase.ts';
import type { SyncContext } from './ports.ts';
import type { PersistentVolumeClaim } from './types.ts';

/**
 * Repairs what is missing of the binding, or marks the claim Lost with an event (BEHAVIOUR 3.3).
 * @throws ClusterError when a read or a write fails.
 */
export async function syncBoundClaim(ctx: SyncContext, claim: PersistentVolumeClaim): Promise<void> {
  const { volumeName } = claim.spec;
  if (!volumeName) {
    await loseClaim(
      ctx,
      claim,
      'ClaimLost',
      'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
    );
    return;
  }
  const volume = await ctx.cluster.get('PersistentVolume', { name: volumeName });
  if (volume === undefined) {
    await loseClaim(ctx, claim, 'ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!');
  } else if (volume.spec.claimRef === undefined) {
    ctx.note(`volume ${volumeName} forgot its claim: binding it again`);
    await bind(ctx, volume, claim);
  } else if (volume.spec.claimRef.uid === claim.metadata.uid) {
    ctx.note(`claim is bound to volume ${volumeName}`);
    await bind(ctx, volume, claim);
  } else {
    const message = 'Two claims are bound to the same volume, this one is bound incorrectly';
    await loseClaim(ctx, claim, 'ClaimMisbound', message);
  }
}

/** Not final: bind sets Bound again when the right volume re-appears. */
async function loseClaim(ctx: SyncContext, claim: PersistentVolumeClaim, reason: string, message: string) {
  if (claimPhaseOf(claim) === 'Lost') {
    ctx.note('claim is Lost already');
    return;
  }
  const lost = await updateClaimStatus(ctx, claim, withoutVolume(claim, 'Lost'));
  await ctx.cluster.event({ kind: 'PersistentVolumeClaim', object: lost, type: 'Warning', reason, message });
}
