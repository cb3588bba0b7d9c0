/** A volume: by its state, who explains it. */
import type { PersistentVolume } from '../controller/types.ts';
import { isReleasedOrFailed, phaseOf } from '../controller/volume-phase.ts';
import { diagnoseFailedVolume } from './failed-volume.ts';
import { diagnosePairedVolume } from './paired-volume.ts';
import { nextOf, type Rehearsal } from './rehearse.ts';
import { diagnoseReleasedVolume } from './released-volume.ts';
import type { Scene, Verdict } from './scene.ts';
import { diagnoseTerminatingVolume } from './terminating-volume.ts';

export async function diagnoseVolume(scene: Scene, volume: PersistentVolume, rehearsal: Rehearsal): Promise<Verdict> {
  const { deletionTimestamp, name } = volume.metadata;
  const since = deletionTimestamp ?? volume.status?.lastPhaseTransitionTime;
  const verdict = async (): Promise<Verdict> => {
    if (rehearsal.failure !== undefined) return { cause: 'contradiction', why: [`${rehearsal.failure.message}.`] };
    if (deletionTimestamp !== undefined) return await diagnoseTerminatingVolume(scene, volume, rehearsal);
    const { claimRef } = volume.spec;
    if (claimRef === undefined) {
      if (phaseOf(volume) === 'Available' && rehearsal.writes.length === 0)
        return { cause: 'free', why: [`Volume ${name} is for nobody in particular.`] };
      return { cause: 'controller-behind', why: [`Volume ${name} is for nobody: ${nextOf(rehearsal)}.`] };
    }
    if (!claimRef.uid || !isReleasedOrFailed(volume)) return await diagnosePairedVolume(scene, volume, rehearsal);
    return phaseOf(volume) === 'Failed'
      ? await diagnoseFailedVolume(scene, volume, rehearsal)
      : await diagnoseReleasedVolume(scene, volume, rehearsal);
  };
  return { since, ...(await verdict()) };
}
