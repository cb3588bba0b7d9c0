/**
 * A claim that finished its first binding (BEHAVIOUR 3.3): bound, or Lost and how it came to that. Of a claim that is Lost
 * already the sync says nothing more, so it is asked what it would say of one that is not.
 */

import { claimPhaseOf } from '../controller/claim-phase.ts';
import type { PersistentVolumeClaim } from '../controller/types.ts';
import { lostName, misbound, volumeGone } from './lost-claim.ts';
import { eventOf, instead, type Rehearsal, rehearse } from './rehearse.ts';
import type { Scene, Verdict } from './scene.ts';

export async function diagnoseBoundClaim(
  scene: Scene,
  claim: PersistentVolumeClaim,
  rehearsal: Rehearsal,
): Promise<Verdict> {
  const name = claim.spec.volumeName ?? '';
  const asBound = { ...claim, status: { ...claim.status, phase: 'Bound' } };
  const { kind, namespace } = { kind: 'PersistentVolumeClaim', namespace: claim.metadata.namespace } as const;
  const asked =
    claimPhaseOf(claim) === 'Lost'
      ? await rehearse(instead(scene, kind, asBound), { kind, namespace, name: claim.metadata.name })
      : rehearsal;
  const lost = eventOf(asked, 'ClaimLost', 'ClaimMisbound');
  if (lost === undefined) {
    if (rehearsal.failure !== undefined) return { cause: 'contradiction', why: [`${rehearsal.failure.message}.`] };
    if (rehearsal.writes.length === 0)
      return { cause: 'settled', why: [`Bound to volume ${name}, and it to the claim.`] };
    return {
      cause: 'controller-behind',
      why: [`Bound to volume ${name}; something of the binding is still to be written.`],
    };
  }
  if (name === '') return await lostName(scene, claim);
  const volume = await scene.reads.get('PersistentVolume', { name });
  return volume === undefined ? await volumeGone(scene, claim) : await misbound(scene, claim, volume);
}
