/**
 * Since when an object waits for somebody to settle it, as far as anybody can tell. Its own timestamps say when it was
 * made, when its deletion was asked for and when a volume's phase changed last. None says when a claimRef or a volumeName
 * was written, taken out, or lost its other half: for that the time counts at which the queue first handed out the message
 * of that change. The newest of them all is the answer, so that it is never too old.
 */
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';

type Held = PersistentVolume | PersistentVolumeClaim;

/**
 * @param objects both halves, as far as they are there.
 * @param noticedAt milliseconds since the epoch: when the change was first told of. Undefined or NaN: nobody knows.
 * @returns milliseconds since the epoch; Infinity where nobody knows.
 */
export function unsettledSince(objects: Iterable<Held>, noticedAt: number | undefined): number {
  const times = [...objects].flatMap(timesOf);
  const since = Math.max(noticedAt ?? Number.POSITIVE_INFINITY, ...times);
  return Number.isNaN(since) ? Number.POSITIVE_INFINITY : since;
}

function timesOf({ metadata, status }: Held): number[] {
  const { lastPhaseTransitionTime } = (status ?? {}) as NonNullable<PersistentVolume['status']>;
  const times = [metadata.creationTimestamp, metadata.deletionTimestamp, lastPhaseTransitionTime];
  return times.flatMap((time) => (time === undefined ? [] : [Date.parse(time)]));
}
