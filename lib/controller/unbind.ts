/** Undoing a bind on the volume (BEHAVIOUR 6.2). */
import { BOUND_BY_CONTROLLER, hasAnnotation, RECYCLER_POD, withoutAnnotation } from './annotations.ts';
import type { SyncContext } from './ports.ts';
import type { PersistentVolume } from './types.ts';
import { updateVolumePhase } from './volume-phase.ts';

/**
 * Frees the volume: one update, then phase Available. A volume that the controller chose loses its claimRef; one that a
 * user reserved by name keeps that reservation and loses only the uid.
 * @throws ClusterError when a write fails.
 */
export async function unbindVolume(ctx: SyncContext, volume: PersistentVolume): Promise<void> {
  ctx.note(`unbinding volume ${volume.metadata.name}`);
  const stored = await ctx.cluster.update('PersistentVolume', unbound(volume));
  ctx.pool.store(stored);
  await updateVolumePhase(ctx, stored, 'Available');
}

function unbound(volume: PersistentVolume): PersistentVolume {
  const free = hasAnnotation(volume, RECYCLER_POD) ? withoutAnnotation(volume, RECYCLER_POD) : volume;
  const { claimRef, ...spec } = free.spec;
  if (hasAnnotation(free, BOUND_BY_CONTROLLER)) return { ...withoutAnnotation(free, BOUND_BY_CONTROLLER), spec };
  if (claimRef === undefined) return free;
  const { uid: _uid, ...reservation } = claimRef;
  return { ...free, spec: { ...spec, claimRef: reservation } };
}
