/** A claim that is being deleted: who still holds it. */
import type { PersistentVolumeClaim, Pod } from '../controller/types.ts';
import { foreignText, strangersOf, takeOff } from './finalizers.ts';
import { deleteCommand } from './kubectl.ts';
import { ageOf, type Scene, type Verdict } from './scene.ts';

const PROTECTION = 'kubernetes.io/pvc-protection';
/** The protection controller takes its finalizer off within seconds. */
const PROTECTION_MS = 60_000;

export async function diagnoseTerminatingClaim(scene: Scene, claim: PersistentVolumeClaim): Promise<Verdict> {
  const { namespace, name, finalizers = [], deletionTimestamp } = claim.metadata;
  const others = strangersOf(finalizers, PROTECTION);
  const why = others.map((finalizer) => foreignText(finalizer));
  if (finalizers.includes(PROTECTION)) {
    const holders = (await scene.reads.list('Pod', { namespace })).filter((pod) => holds(pod, claim));
    if (holders.length > 0) {
      return {
        cause: 'terminating-used',
        why: [...holders.map(holderText), ...why],
        cures: holders.map((pod) => ({
          does: `End pod ${pod.metadata.name}`,
          command: deleteCommand('pod', { namespace, name: pod.metadata.name }),
          danger: `The pod goes, then the claim${andVolume(claim)}.`,
        })),
      };
    }
    if (others.length === 0) {
      const cause =
        (ageOf(deletionTimestamp, scene) ?? 0) > PROTECTION_MS ? 'terminating-protected' : 'controller-behind';
      const text = `No pod uses claim ${name}; the protection controller of the controller manager takes ${PROTECTION} off.`;
      return { cause, why: [text] };
    }
  }
  if (others.length === 0)
    return { cause: 'controller-behind', why: ['No finalizer holds the claim: it is about to be gone.'] };
  const cures = others.map((finalizer) => {
    const cure = takeOff(claim, finalizer);
    return { ...cure, danger: `${cure.danger} Without finalizers the claim goes${andVolume(claim)}.` };
  });
  return { cause: 'foreign-finalizer', why, cures };
}

/** What the claim's end means for its data. */
function andVolume({ spec: { volumeName } }: PersistentVolumeClaim): string {
  return volumeName ? `; volume ${volumeName} is then released, and with policy Delete its data is destroyed` : '';
}

/**
 * The rule of the protection controller, which is another one than the binder's: a pod with a node counts until it is gone,
 * even an ended one (BEHAVIOUR 13.2).
 */
function holds(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!pod.spec?.nodeName) return false;
  return (pod.spec.volumes ?? []).some(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim?.claimName === claim.metadata.name) return true;
    return ephemeral !== undefined && `${pod.metadata.name}-${name}` === claim.metadata.name;
  });
}

function holderText({ metadata, spec, status }: Pod): string {
  const ended = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  const text = `Pod ${metadata.name} on node ${spec?.nodeName} uses the claim (${status?.phase ?? 'Pending'})`;
  return ended ? `${text}: an ended pod counts until it is deleted.` : `${text}.`;
}
