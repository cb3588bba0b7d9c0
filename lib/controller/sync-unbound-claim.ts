/** A claim whose first binding is not complete (BEHAVIOUR 3.1 and 3.2). */
import { BOUND_BY_CONTROLLER, claimKeyOf, hasAnnotation, SELECTED_NODE, storageClassOf } from './annotations.ts';
import { bind } from './bind.ts';
import { updateClaimStatus, withoutVolume } from './claim-phase.ts';
import { isReservedFor } from './claim-ref.ts';
import { assignDefaultClass } from './default-class.ts';
import { delaysBinding } from './delayed-binding.ts';
import { messageOf, StateError } from './errors.ts';
import { whyUnfit } from './fitness.ts';
import { findBestMatch } from './match.ts';
import { podsUsingClaim } from './pods.ts';
import type { SyncContext } from './ports.ts';
import { provisionClaim } from './provision.ts';
import type { PersistentVolume, PersistentVolumeClaim } from './types.ts';

/**
 * Binds the claim to the volume that it names (BEHAVIOUR 3.2), or to the best that fits (3.1), or has one provisioned.
 * @param hint name of a volume to read again before the choice, so that the pool does not miss it.
 * @throws StateError when the objects contradict each other, ClusterError when a read or a write fails.
 */
export async function syncUnboundClaim(ctx: SyncContext, claim: PersistentVolumeClaim, hint?: string): Promise<void> {
  if (claim.spec.volumeName) await syncRequestedVolume(ctx, claim, claim.spec.volumeName);
  else await syncAnyVolume(ctx, claim, hint);
}

/** 3.1: the claim takes any volume that fits. */
async function syncAnyVolume(ctx: SyncContext, claim: PersistentVolumeClaim, hint: string | undefined): Promise<void> {
  const className = storageClassOf(claim);
  const storageClass = className === '' ? undefined : await ctx.cluster.get('StorageClass', { name: className });
  const delayedBinding = delaysBinding(storageClass);
  const choice = await chooseVolume(ctx, claim, delayedBinding, hint);
  if (choice !== undefined) {
    try {
      await bind(ctx, choice.volume, claim);
    } finally {
      choice.release();
    }
    return;
  }
  ctx.note(`no volume fits claim ${claimKeyOf(claim)}`);
  if (await assignDefaultClass(ctx, claim)) return; // the change brings the claim back
  if (delayedBinding && !hasAnnotation(claim, SELECTED_NODE)) {
    await reportWaiting(ctx, claim);
  } else if (className !== '') {
    await provisionClaim(ctx, claim, storageClass);
    return; // the claim's status is not touched
  } else {
    const message = 'no persistent volumes available for this claim and no storage class is set';
    await warnClaim(ctx, claim, 'Normal', 'FailedBinding', message);
  }
  await updateClaimStatus(ctx, claim, withoutVolume(claim, 'Pending'));
}

/** 3.2: the claim names its volume. */
async function syncRequestedVolume(ctx: SyncContext, claim: PersistentVolumeClaim, name: string): Promise<void> {
  const volume = await ctx.cluster.get('PersistentVolume', { name });
  if (volume === undefined) {
    ctx.note(`claim ${claimKeyOf(claim)} waits for volume ${name}, which does not exist`);
  } else if (volume.spec.claimRef === undefined) {
    const why = whyUnfit(volume, claim, ctx.features);
    if (why === undefined) {
      await bind(ctx, volume, claim);
      return;
    }
    await warnClaim(ctx, claim, 'Warning', 'VolumeMismatch', `Cannot bind to requested volume "${name}": ${why}`);
  } else if (isReservedFor(volume, claim)) {
    await bind(ctx, volume, claim);
    return;
  } else {
    await warnClaim(ctx, claim, 'Warning', 'FailedBinding', `volume "${name}" already bound to a different claim.`);
    if (hasAnnotation(claim, BOUND_BY_CONTROLLER)) {
      const owner = `${volume.spec.claimRef.namespace}/${volume.spec.claimRef.name}`;
      const what = `invalid binding of claim "${claimKeyOf(claim)}" to volume "${name}"`;
      throw new StateError(`${what}: volume already claimed by "${owner}"`);
    }
  }
  await updateClaimStatus(ctx, claim, withoutVolume(claim, 'Pending'));
}

interface Choice {
  readonly volume: PersistentVolume;
  /** Lets others choose it again. */
  readonly release: () => void;
}

async function chooseVolume(
  ctx: SyncContext,
  claim: PersistentVolumeClaim,
  delayedBinding: boolean,
  hint: string | undefined,
): Promise<Choice | undefined> {
  if (hint !== undefined) {
    const hinted = await ctx.cluster.get('PersistentVolume', { name: hint });
    if (hinted !== undefined) ctx.pool.store(hinted);
  }
  const volumes = await ctx.pool.volumes(ctx.redelivered ? 0 : ctx.settings.poolMaxAgeMs);
  try {
    const volume = findBestMatch(volumes, claim, delayedBinding, ctx.features);
    // Held in the same breath: nothing may come between the choice and its being known.
    return volume && { volume, release: ctx.pool.hold(volume.metadata.name, claim.metadata.uid ?? '') };
  } catch (error) {
    throw new StateError(`error finding PV for claim "${claimKeyOf(claim)}": ${messageOf(error)}`, { cause: error });
  }
}

async function reportWaiting(ctx: SyncContext, claim: PersistentVolumeClaim): Promise<void> {
  const waiting = (await podsUsingClaim(ctx, claim.metadata)).filter((pod) => !pod.spec?.nodeName);
  const names = waiting.map((pod) => pod.metadata.name).sort();
  if (names.length > 0) {
    const message = `waiting for ${names.length > 1 ? 'pods' : 'pod'} ${names.join(',')} to be scheduled`;
    await warnClaim(ctx, claim, 'Normal', 'WaitForPodScheduled', message);
  } else {
    const message = 'waiting for first consumer to be created before binding';
    await warnClaim(ctx, claim, 'Normal', 'WaitForFirstConsumer', message);
  }
}

async function warnClaim(
  ctx: SyncContext,
  claim: PersistentVolumeClaim,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): Promise<void> {
  await ctx.cluster.event({ kind: 'PersistentVolumeClaim', object: claim, type, reason, message });
}
