/**
 * syncVolume decides a volume's phase from its claimRef and the claim behind it, and hands Released volumes to their
 * reclaim policy. The rules are BEHAVIOUR section 4; the branches are upstream's, in upstream's order.
 * Every read behind Released is a quorum read of the claim made after that of the volume (DESIGN D3).
 */
import { saveAnnealedVolume } from './anneal.ts';
import { BOUND_BY_CONTROLLER, hasAnnotation, isInTreeName, PROVISIONED_BY, reclaimPolicyOf } from './annotations.ts';
import { findClaim } from './find-claim.ts';
import { volumeModeMismatch } from './fitness.ts';
import type { SyncContext } from './ports.ts';
import { reclaimVolume } from './reclaim.ts';
import { stopStrayRecycling } from './stop-recycling.ts';
import type { PersistentVolume, PersistentVolumeClaim } from './types.ts';
import { unbindVolume } from './unbind.ts';
import { isReleasedOrFailed, updateVolumePhase } from './volume-phase.ts';

/**
 * @param read the volume as just read from the API server.
 * @throws ClusterError when a read or write fails; nothing is undone, the next sync goes on from what was saved.
 */
export async function syncVolume(ctx: SyncContext, read: PersistentVolume): Promise<void> {
  const volume = await stopStrayRecycling(ctx, await saveAnnealedVolume(ctx, read));
  const { name } = volume.metadata;
  const { claimRef } = volume.spec;

  if (claimRef === undefined) {
    ctx.note(`volume ${name} is unused`);
    await updateVolumePhase(ctx, volume, 'Available');
    return;
  }
  if (!claimRef.uid) {
    ctx.note(`volume ${name} is reserved by name; the claim's sync will finish the binding`);
    await updateVolumePhase(ctx, volume, 'Available');
    return;
  }
  const claim = await findClaim(ctx, claimRef);
  if (claim === undefined) {
    ctx.note(`the claim that volume ${name} is bound to does not exist any more`);
    await releaseVolume(ctx, volume);
  } else if (!claim.spec.volumeName) {
    await leaveToClaimSync(ctx, volume, claim);
  } else if (claim.spec.volumeName === name) {
    ctx.note(`volume ${name} and its claim name each other`);
    await updateVolumePhase(ctx, volume, 'Bound');
  } else if (wasProvisionedFor(volume, claim) && reclaimPolicyOf(volume) === 'Delete') {
    ctx.note(`volume ${name} was provisioned for a claim that is bound to ${claim.spec.volumeName}`);
    await releaseVolume(ctx, volume);
  } else {
    ctx.note(`volume ${name} lost its claim to ${claim.spec.volumeName}`);
    await unbindVolume(ctx, volume);
  }
}

/**
 * A volume that some controller found free and picked is never destroyed for losing a race: only one that was
 * provisioned for this very claim is, and so is not older than it. See docs/decisions/013-losing-a-race-never-deletes.md.
 */
export function wasProvisionedFor(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const provisioner = volume.metadata.annotations?.[PROVISIONED_BY];
  if (provisioner === undefined || isOlder(volume, claim)) return false;
  if (!hasAnnotation(volume, BOUND_BY_CONTROLLER)) return true;
  return isInTreeName(provisioner) && volume.metadata.name === `pvc-${claim.metadata.uid}`;
}

function isOlder(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const created = ({ metadata }: PersistentVolume | PersistentVolumeClaim) =>
    Date.parse(metadata.creationTimestamp ?? '');
  return created(volume) < created(claim);
}

async function releaseVolume(ctx: SyncContext, volume: PersistentVolume): Promise<void> {
  const released = isReleasedOrFailed(volume) ? volume : await updateVolumePhase(ctx, volume, 'Released');
  await reclaimVolume(ctx, released);
}

async function leaveToClaimSync(ctx: SyncContext, volume: PersistentVolume, claim: PersistentVolumeClaim) {
  if (volumeModeMismatch(volume, claim)) {
    await ctx.cluster.event({
      kind: 'PersistentVolume',
      object: volume,
      type: 'Warning',
      reason: 'VolumeMismatch',
      message: `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" due to incompatible volumeMode.`,
    });
    await ctx.cluster.event({
      kind: 'PersistentVolumeClaim',
      object: claim,
      type: 'Warning',
      reason: 'VolumeMismatch',
      message: `Cannot bind PersistentVolume "${volume.metadata.name}" to requested PersistentVolumeClaim due to incompatible volumeMode.`,
    });
    return;
  }
  ctx.note(`volume ${volume.metadata.name} waits for the sync of its claim`);
  const { namespace, name } = claim.metadata;
  const { uid = '', resourceVersion = '' } = volume.metadata;
  await ctx.enqueue(
    { kind: 'PersistentVolumeClaim', namespace, name },
    { uid, resourceVersion },
    { volumeName: volume.metadata.name },
  );
}
