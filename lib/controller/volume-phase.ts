/** The phase of a volume: what it becomes, and the one status write that says so (BEHAVIOUR 4, "Phase writing"). */
import type { SyncContext } from './ports.ts';
import type { PersistentVolume } from './types.ts';

export type VolumePhase = 'Available' | 'Bound' | 'Released' | 'Failed';

export function phaseOf(volume: PersistentVolume): string {
  return volume.status?.phase ?? '';
}

/** Released, or a reclaim that failed: both wait for their reclaim, and Failed is kept visible meanwhile. */
export function isReleasedOrFailed(volume: PersistentVolume): boolean {
  return phaseOf(volume) === 'Released' || phaseOf(volume) === 'Failed';
}

/** The volume in that phase; the same object when it is in it already, whatever its message says. */
export function inPhase(volume: PersistentVolume, phase: VolumePhase, message = ''): PersistentVolume {
  if (phaseOf(volume) === phase) return volume;
  const { message: _old, ...status } = volume.status ?? {};
  return { ...volume, status: message === '' ? { ...status, phase } : { ...status, phase, message } };
}

/** Writes the phase if it differs. @returns the volume as stored. @throws ClusterError when the write fails. */
export async function updateVolumePhase(
  ctx: SyncContext,
  volume: PersistentVolume,
  phase: VolumePhase,
  message = '',
): Promise<PersistentVolume> {
  const wanted = inPhase(volume, phase, message);
  if (wanted === volume) return volume;
  ctx.note(`volume ${volume.metadata.name}: phase ${phaseOf(volume) || '(none)'} -> ${phase}`);
  const stored = await ctx.cluster.updateStatus('PersistentVolume', wanted);
  ctx.pool.store(stored);
  return stored;
}

/** As `updateVolumePhase`, with an event that is sent only after a real change. */
export async function updateVolumePhaseWithEvent(
  ctx: SyncContext,
  volume: PersistentVolume,
  phase: VolumePhase,
  event: { type: 'Normal' | 'Warning'; reason: string; message: string },
): Promise<PersistentVolume> {
  if (phaseOf(volume) === phase) return volume;
  const stored = await updateVolumePhase(ctx, volume, phase, event.message);
  await ctx.cluster.event({ kind: 'PersistentVolume', object: stored, ...event });
  return stored;
}
