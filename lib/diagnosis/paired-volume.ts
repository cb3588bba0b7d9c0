/** A volume that names a claim: reserved for it, being bound, bound, or bound in vain. */
import { BIND_COMPLETED, hasAnnotation } from '../controller/annotations.ts';
import { unusable } from '../controller/candidate.ts';
import { isReservedFor } from '../controller/claim-ref.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import { requestByName } from './candidates.ts';
import { createClaimFor, openRelease } from './cures.ts';
import { restoreUid } from './lost-claim.ts';
import { eventOf, nextOf, type Rehearsal, rehearse } from './rehearse.ts';
import { claimNamedBy, keyText, type Scene, type Verdict } from './scene.ts';

export async function diagnosePairedVolume(
  scene: Scene,
  volume: PersistentVolume,
  rehearsal: Rehearsal,
): Promise<Verdict> {
  const { name } = volume.metadata;
  const { namespace = '', name: claimName, uid } = volume.spec.claimRef ?? {};
  const key = keyText({ namespace, name: claimName });
  const claim = await claimNamedBy(scene, volume);
  if (claim === undefined || !isReservedFor(volume, claim)) return unclaimed(volume, rehearsal, key);
  if (eventOf(rehearsal, 'VolumeMismatch') !== undefined) return otherMode(volume, claim);
  if (claim.spec.volumeName === name) {
    if (!uid && hasAnnotation(claim, BIND_COMPLETED)) {
      return {
        cause: 'uid-wiped',
        why: [`Volume ${name} and claim ${key} name each other, and the volume has lost the claim's uid.`],
        cures: [restoreUid(volume, claim)],
      };
    }
    if (rehearsal.writes.length === 0 && uid)
      return { cause: 'settled', why: [`Bound to claim ${key}, and it to the volume.`] };
    return { cause: 'controller-behind', why: [`Volume ${name} and claim ${key} name each other.`] };
  }
  if (claim.spec.volumeName) {
    if (uid)
      return {
        cause: 'controller-behind',
        why: [`Claim ${key} is bound to ${claim.spec.volumeName}: ${nextOf(rehearsal)}.`],
      };
    return {
      cause: 'reserved-in-vain',
      why: [`Volume ${name} is reserved for claim ${key}, which is bound to volume ${claim.spec.volumeName}.`],
      cures: [openRelease(volume)],
    };
  }
  return await unbound(scene, volume, claim);
}

/** The claim exists and has no volume yet: its own sync tells whether it takes this one. */
async function unbound(scene: Scene, volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<Verdict> {
  const key = keyText(claim.metadata);
  const reason = unusable(volume, requestByName(claim));
  if (reason !== undefined) {
    const why = `Claim ${key} cannot have volume ${volume.metadata.name}: ${reason}. Explain the claim for more.`;
    return { cause: 'reserved-volume-unfit', why: [why] };
  }
  const { namespace, name } = claim.metadata;
  const sync = await rehearse(scene, { kind: 'PersistentVolumeClaim', namespace, name });
  if (sync.failure !== undefined) return { cause: 'contradiction', why: [`Claim ${key}: ${sync.failure.message}.`] };
  if (sync.writes.length > 0)
    return { cause: 'controller-behind', why: [`The sync of claim ${key} is next: ${nextOf(sync)}.`] };
  return { cause: 'reserved', why: [`Claim ${key} exists and does not take the volume. Explain the claim for more.`] };
}

/** No claim of that name, or none of that uid. */
function unclaimed(volume: PersistentVolume, rehearsal: Rehearsal, key: string): Verdict {
  const { name } = volume.metadata;
  if (volume.spec.claimRef?.uid) {
    return { cause: 'controller-behind', why: [`Claim ${key} is gone: ${nextOf(rehearsal)}.`] };
  }
  if (rehearsal.writes.length > 0) {
    return { cause: 'controller-behind', why: [`Volume ${name} is reserved by name for claim ${key}.`] };
  }
  return {
    cause: 'reserved',
    why: [`Volume ${name} is reserved by name for claim ${key}, which does not exist yet; no other claim gets it.`],
    cures: [createClaimFor(volume), openRelease(volume)],
  };
}

function otherMode(volume: PersistentVolume, claim: PersistentVolumeClaim): Verdict {
  const modes = [claim, volume].map(({ spec }) => spec.volumeMode ?? 'Filesystem');
  const key = keyText(claim.metadata);
  return {
    cause: 'volume-mode-mismatch',
    why: [
      `Volume ${volume.metadata.name} is for claim ${key}, which needs volumeMode ${modes[0]}; it has ${modes[1]}.`,
    ],
    cures: [openRelease(volume)],
  };
}
