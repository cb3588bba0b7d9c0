/** A claim: by its state, who explains it. */
import { BIND_COMPLETED, hasAnnotation } from '../controller/annotations.ts';
import { claimPhaseOf } from '../controller/claim-phase.ts';
import type { PersistentVolumeClaim } from '../controller/types.ts';
import { diagnoseBoundClaim } from './bound-claim.ts';
import { diagnosePendingClaim } from './pending-claim.ts';
import type { Rehearsal } from './rehearse.ts';
import { diagnoseRequestedVolume } from './requested-volume.ts';
import type { Scene, Verdict } from './scene.ts';
import { diagnoseTerminatingClaim } from './terminating-claim.ts';

export async function diagnoseClaim(
  scene: Scene,
  claim: PersistentVolumeClaim,
  rehearsal: Rehearsal,
): Promise<Verdict> {
  const { creationTimestamp, deletionTimestamp } = claim.metadata;
  if (deletionTimestamp !== undefined) {
    return { since: deletionTimestamp, ...(await diagnoseTerminatingClaim(scene, claim)) };
  }
  if (hasAnnotation(claim, BIND_COMPLETED)) return await diagnoseBoundClaim(scene, claim, rehearsal);
  const verdict = claim.spec.volumeName
    ? await diagnoseRequestedVolume(scene, claim, rehearsal)
    : await diagnosePendingClaim(scene, claim, rehearsal);
  return claimPhaseOf(claim) === 'Bound' ? verdict : { since: creationTimestamp, ...verdict };
}
