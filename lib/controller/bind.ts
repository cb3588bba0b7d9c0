/**
 * Bind (BEHAVIOUR 6.1): four writes, each only if needed, in an order that never changes, so that a crash between any
 * two is finished or undone by the next sync. The volume's spec goes first: of two claims that race for a volume the
 * API server lets exactly one win.
 */
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, claimKeyOf, hasAnnotation, withAnnotations } from './annotations.ts';
import { updateClaimStatus, withVolume } from './claim-phase.ts';
import { claimRefTo, isBoundTo, isReservedFor } from './claim-ref.ts';
import { ConflictError } from './errors.ts';
import type { SyncContext } from './ports.ts';
import type { PersistentVolume, PersistentVolumeClaim } from './types.ts';
import { updateVolumePhase } from './volume-phase.ts';

/** @throws ClusterError at the first write that fails; nothing is rolled back. */
export async function bind(ctx: SyncContext, volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
  ctx.note(`binding volume ${volume.metadata.name} to claim ${claimKeyOf(claim)}`);
  let boundVolume = await bindVolumeToClaim(ctx, volume, claim);
  boundVolume = await updateVolumePhase(ctx, boundVolume, 'Bound');
  let boundClaim = await bindClaimToVolume(ctx, claim, boundVolume);
  boundClaim = await updateClaimStatus(ctx, boundClaim, withVolume(boundClaim, boundVolume, ctx.features));
}

/** The volume with a full claimRef; the same object when it has one. Marks it when the controller chose the claim. */
export function volumeBoundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const chosen = !isReservedFor(volume, claim) && !hasAnnotation(volume, BOUND_BY_CONTROLLER);
  const marked = chosen ? withAnnotations(volume, { [BOUND_BY_CONTROLLER]: 'yes' }) : volume;
  if (isBoundTo(volume, claim)) return marked;
  return { ...marked, spec: { ...marked.spec, claimRef: claimRefTo(claim) } };
}

/** The claim with volumeName and its marks; the same object when it has them. */
export function claimBoundTo(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim {
  let bound = claim;
  if (claim.spec.volumeName !== volume.metadata.name) {
    bound = { ...claim, spec: { ...claim.spec, volumeName: volume.metadata.name } };
    if (!hasAnnotation(bound, BOUND_BY_CONTROLLER)) bound = withAnnotations(bound, { [BOUND_BY_CONTROLLER]: 'yes' });
  }
  return hasAnnotation(bound, BIND_COMPLETED) ? bound : withAnnotations(bound, { [BIND_COMPLETED]: 'yes' });
}

async function bindVolumeToClaim(ctx: SyncContext, volume: PersistentVolume, claim: PersistentVolumeClaim) {
  const wanted = volumeBoundTo(volume, claim);
  if (wanted === volume) return volume;
  await assertUnchanged(ctx, claim);
  try {
    const stored = await ctx.cluster.update('PersistentVolume', wanted);
    ctx.pool.store(stored);
    return stored;
  } catch (error) {
    ctx.pool.drop(volume.metadata.name, volume.metadata.resourceVersion);
    throw error;
  }
}

/**
 * resourceVersion protects one object and a bind spans two: the claim is looked at right before the first write. Where the
 * sync has waited for nothing since it read the claim, that was it (docs/decisions/025-just-read.md).
 */
async function assertUnchanged(ctx: SyncContext, claim: PersistentVolumeClaim): Promise<void> {
  if (ctx.isJustRead?.(claim)) return;
  const live = await ctx.cluster.get('PersistentVolumeClaim', claim.metadata);
  if (live?.metadata.uid === claim.metadata.uid && live?.metadata.resourceVersion === claim.metadata.resourceVersion) {
    return;
  }
  throw new ConflictError(`claim ${claimKeyOf(claim)} changed while its volume was being chosen`);
}

async function bindClaimToVolume(ctx: SyncContext, claim: PersistentVolumeClaim, volume: PersistentVolume) {
  const wanted = claimBoundTo(claim, volume);
  return wanted === claim ? claim : await ctx.cluster.update('PersistentVolumeClaim', wanted);
}
