/** A volume that is being deleted: each finalizer, whose it is and what it waits for. */
import { EXTERNAL_FINALIZER, IN_TREE_FINALIZER, reclaimPolicyOf } from '../controller/annotations.ts';
import { isReservedFor } from '../controller/claim-ref.ts';
import type { PersistentVolume } from '../controller/types.ts';
import { isReleasedOrFailed, phaseOf } from '../controller/volume-phase.ts';
import { keepData } from './cures.ts';
import { attachmentsOf, attachmentTexts, deleterOf, diagnoseDeleter } from './deleter.ts';
import { foreignText, ownerOf, strangersOf, takeOff, VOLUME_PROTECTION } from './finalizers.ts';
import type { Cure } from './finding.ts';
import { deleteCommand } from './kubectl.ts';
import { nextOf, type Rehearsal } from './rehearse.ts';
import { ageOf, claimNamedBy, keyText, type Scene, type Verdict } from './scene.ts';

const PROTECTION_MS = 60_000;

export async function diagnoseTerminatingVolume(
  scene: Scene,
  volume: PersistentVolume,
  rehearsal: Rehearsal,
): Promise<Verdict> {
  const { name, finalizers = [], deletionTimestamp } = volume.metadata;
  const isHeld = (finalizer: string) => finalizers.includes(finalizer);
  const list = finalizers.map((finalizer) => foreignText(finalizer));
  const also = (verdict: Verdict): Verdict => ({ ...verdict, why: [...verdict.why, ...list] });
  if (phaseOf(volume) === 'Bound') return also(await bound(scene, volume, rehearsal));

  const attached = await attachmentsOf(scene, volume);
  if (attached.length > 0) return also({ cause: 'still-attached', why: await attachmentTexts(scene, attached) });
  if (isHeld(EXTERNAL_FINALIZER) && deleterOf(volume) !== undefined && isReleasedOrFailed(volume)) {
    return also(await diagnoseDeleter(scene, volume));
  }
  if (finalizers.length === 0) {
    return { cause: 'controller-behind', why: ['No finalizer holds the volume: it is about to be gone.'] };
  }
  const strangers = strangersOf(finalizers, VOLUME_PROTECTION);
  if (strangers.length === 0 && isHeld(VOLUME_PROTECTION)) {
    const isLate = (ageOf(deletionTimestamp, scene) ?? 0) > PROTECTION_MS;
    const why = [`Nothing uses volume ${name} any more: it waits for ${ownerOf(VOLUME_PROTECTION)}.`];
    return {
      cause: isLate ? 'terminating-protected' : 'controller-behind',
      why: isLate ? [...why, IS_IT_RUNNING] : why,
    };
  }
  const isStray = isHeld(IN_TREE_FINALIZER) && deleterOf(volume) !== undefined;
  const cures = strangers.map((finalizer): Cure => {
    const cure = takeOff(volume, finalizer);
    if (!isStray || finalizer !== IN_TREE_FINALIZER || isReleasedOrFailed(volume)) return cure;
    const { danger: _none, ...harmless } = cure;
    return { ...harmless, does: `Take finalizer ${finalizer} off: it is for in-tree plugins, and this is none` };
  });
  if (isStray) {
    const why = [
      `Volume ${name} belongs to ${deleterOf(volume)}; ${IN_TREE_FINALIZER} should never have been set on it.`,
    ];
    return also({ cause: 'stray-finalizer', why, cures });
  }
  return { cause: 'foreign-finalizer', why: list, cures };
}

const IS_IT_RUNNING = 'Look whether the controller manager runs, and whether it may write volumes.';

/** Nothing moves before the claim is gone; a deletion cannot be taken back, only the data be kept. */
async function bound(scene: Scene, volume: PersistentVolume, rehearsal: Rehearsal): Promise<Verdict> {
  const { namespace = '', name = '' } = volume.spec.claimRef ?? {};
  const claim = await claimNamedBy(scene, volume);
  const key = keyText({ namespace, name });
  if (claim === undefined || !isReservedFor(volume, claim)) {
    return { cause: 'controller-behind', why: [`Claim ${key} is gone: ${nextOf(rehearsal)}.`] };
  }
  const policy = reclaimPolicyOf(volume);
  const isLost = policy === 'Delete' || policy === 'Recycle';
  const leaving = claim.metadata.deletionTimestamp === undefined ? '' : ', which is being deleted too: explain it';
  const finish: Cure = {
    does: `Delete claim ${key}, and so let the volume go`,
    command: deleteCommand('pvc', { namespace, name }),
    danger: isLost
      ? `The policy is ${policy}: the data is destroyed. Keep it first.`
      : 'The claim goes and so does the volume; the storage stays, and nothing in the cluster knows of it.',
  };
  return {
    cause: 'terminating-bound',
    why: [
      `The volume was deleted while it is bound to claim ${key}${leaving}.`,
      `It stays in use until the claim is gone. Policy ${policy}: the data is ${isLost ? 'deleted' : 'kept'} then.`,
    ],
    cures: [...(isLost ? [keepData(volume)] : []), ...(leaving === '' ? [finish] : [])],
  };
}
