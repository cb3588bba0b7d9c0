/** Pods that use a claim. */
import type { SyncContext } from './ports.ts';
import type { ObjectKey, Pod } from './types.ts';

/** Non-terminated pods that use the claim, generic ephemeral volumes (`<pod>-<volume>`) included. */
export async function podsUsingClaim(ctx: SyncContext, claim: ObjectKey & { namespace: string }): Promise<Pod[]> {
  const pods = await ctx.cluster.list('Pod', { namespace: claim.namespace });
  return pods.filter((pod) => usesClaim(pod, claim.name) && !isTerminated(pod));
}

function usesClaim(pod: Pod, claimName: string): boolean {
  return (pod.spec?.volumes ?? []).some(
    (volume) =>
      volume.persistentVolumeClaim?.claimName === claimName ||
      (volume.ephemeral !== undefined && `${pod.metadata.name}-${volume.name}` === claimName),
  );
}

/**
 * Failed, Succeeded, or being deleted with no running container of any kind. A container that is not said to wait or to
 * have ended may run: what it writes must not be scrubbed away under it.
 */
function isTerminated(pod: Pod): boolean {
  const { phase, containerStatuses, initContainerStatuses, ephemeralContainerStatuses } = pod.status ?? {};
  if (phase === 'Failed' || phase === 'Succeeded') return true;
  if (pod.metadata.deletionTimestamp === undefined) return false;
  const statuses = [containerStatuses, initContainerStatuses, ephemeralContainerStatuses].flatMap((list) => list ?? []);
  return statuses.every(({ state }) => state?.terminated !== undefined || state?.waiting !== undefined);
}
