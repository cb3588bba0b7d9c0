/** A claim whose class waits for the first consumer: whom exactly it waits for. */
import { podsUsingClaim } from '../controller/pods.ts';
import type { ObjectEvent } from '../controller/ports.ts';
import type { PersistentVolumeClaim, Pod, StorageClass } from '../controller/types.ts';
import { lookingContext } from './rehearse.ts';
import type { Scene, Verdict } from './scene.ts';

/** @param event the sync's own: it found pods without a node, or none. */
export async function diagnoseWaiting(
  scene: Scene,
  claim: PersistentVolumeClaim,
  event: ObjectEvent,
  storageClass: StorageClass | undefined,
): Promise<Verdict> {
  const why = [`Class ${storageClass?.metadata.name} binds a claim when a pod that uses it is scheduled.`];
  const pods = await podsUsingClaim(lookingContext(scene), claim.metadata);
  if (event.reason === 'WaitForPodScheduled') {
    const unscheduled = pods.filter((pod) => !pod.spec?.nodeName);
    return { cause: 'waits-for-scheduler', why: [...unscheduled.map(schedulingText), ...why] };
  }
  const { namespace, name } = claim.metadata;
  if (pods.length === 0) {
    return { cause: 'waits-for-consumer', why: [`No pod in namespace ${namespace} uses claim ${name}.`, ...why] };
  }
  const placed = pods.map((pod) => `pod ${pod.metadata.name} on node ${pod.spec?.nodeName}`).join(', ');
  return {
    cause: 'waits-for-consumer',
    actor: 'scheduler',
    why: [
      `Used by ${placed}, which no scheduler placed for it: a pod created with spec.nodeName never selects a node for its claim.`,
      ...why,
    ],
  };
}

function schedulingText({ metadata, status }: Pod): string {
  const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const message = condition?.status === 'False' && condition.message ? `: ${condition.message}` : ' yet.';
  return `Pod ${metadata.name} has no node${message}`;
}
