/**
 * A recycling whose volume was taken back (another policy, another claim, freed by hand) must not go on: its pod would
 * scrub data that somebody wants to keep (DESIGN D12).
 */
import { annotationOf, RECYCLER_POD, reclaimPolicyOf, withoutAnnotation } from './annotations.ts';
import type { SyncContext } from './ports.ts';
import { findRecycler } from './recycle-volume.ts';
import type { PersistentVolume } from './types.ts';
import { isReleasedOrFailed } from './volume-phase.ts';

/** Whether the volume carries the record of a recycling that it is no longer up for. */
export function hasStrayRecycling(volume: PersistentVolume): boolean {
  const record = annotationOf(volume, RECYCLER_POD);
  if (record === undefined) return false;
  const isForItsClaim = record.endsWith(`/${volume.spec.claimRef?.uid}`);
  return !(isReleasedOrFailed(volume) && reclaimPolicyOf(volume) === 'Recycle' && isForItsClaim);
}

/**
 * Deletes the pod first and the record after it, so that a failure in between is made up for by the next sync.
 * @returns the volume as stored.
 */
export async function stopStrayRecycling(ctx: SyncContext, volume: PersistentVolume): Promise<PersistentVolume> {
  if (!hasStrayRecycling(volume)) return volume;
  ctx.note(`volume ${volume.metadata.name} was taken back: its recycling is stopped`);
  await findRecycler(ctx, volume)?.cleanUpRecycle?.(volume);
  const stored = await ctx.cluster.update('PersistentVolume', withoutAnnotation(volume, RECYCLER_POD));
  ctx.pool.store(stored);
  return stored;
}
