/** reclaimVolume: what happens to a Released volume, by its policy (BEHAVIOUR 7). */
import { annotationOf, MIGRATED_TO, reclaimPolicyOf } from './annotations.ts';
import { deleteVolumeOperation } from './delete-volume.ts';
import type { SyncContext } from './ports.ts';
import { recycleVolumeOperation } from './recycle-volume.ts';
import type { PersistentVolume } from './types.ts';
import { updateVolumePhaseWithEvent } from './volume-phase.ts';

/** @throws ClusterError, or what `runOperation` makes of a failed plugin operation. */
export async function reclaimVolume(ctx: SyncContext, volume: PersistentVolume): Promise<void> {
  const { name, uid = '' } = volume.metadata;
  if (annotationOf(volume, MIGRATED_TO)) {
    ctx.note(`volume ${name} is migrated to CSI: its external provisioner reclaims it`);
    return;
  }
  switch (reclaimPolicyOf(volume)) {
    case 'Retain':
      ctx.note(`volume ${name} is retained`);
      return;
    case 'Recycle':
      await ctx.runOperation(`recycle-${name}[${uid}]`, () => recycleVolumeOperation(ctx, volume));
      return;
    case 'Delete':
      await ctx.runOperation(`delete-${name}[${uid}]`, () => deleteVolumeOperation(ctx, volume));
      return;
    default:
      await updateVolumePhaseWithEvent(ctx, volume, 'Failed', {
        type: 'Warning',
        reason: 'VolumeUnknownReclaimPolicy',
        message: 'Volume has unrecognized PersistentVolumeReclaimPolicy',
      });
  }
}
