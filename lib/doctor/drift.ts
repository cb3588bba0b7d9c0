/** Provisioned volumes whose reclaim policy is no longer that of their class. */
import { hasAnnotation, PROVISIONED_BY, reclaimPolicyOf, storageClassOf } from '../controller/annotations.ts';
import type { Report } from './report-schema.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * A class hands its policy to the volumes that are provisioned by it, once: later changes of either leave the other as it
 * is. Volumes that people made have their own policy by intent. Data at risk comes first.
 */
export function policyDrift(snapshot: Snapshot): Report['drift'] {
  const drift = snapshot.objects.PersistentVolume.flatMap((volume) => {
    const storageClass = snapshot.storageClass(storageClassOf(volume));
    if (storageClass === undefined || !hasAnnotation(volume, PROVISIONED_BY)) return [];
    const policy = reclaimPolicyOf(volume);
    const classPolicy = storageClass.reclaimPolicy ?? 'Delete';
    if (policy === classPolicy) return [];
    // Retain is the only policy that keeps what was written.
    const risk = policy === 'Retain' ? ('capacity' as const) : ('data' as const);
    return [{ volume: volume.metadata.name, storageClass: storageClass.metadata.name, policy, classPolicy, risk }];
  });
  return [...drift.filter(({ risk }) => risk === 'data'), ...drift.filter(({ risk }) => risk === 'capacity')];
}
