/** A claim that is not bound and names its volume (BEHAVIOUR 3.2). */

import { isReservedFor } from '../controller/claim-ref.ts';
import { differenceOf, whyUnfit } from '../controller/fitness.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import { isReleasedOrFailed } from '../controller/volume-phase.ts';
import { askAgain, askForVolume } from './ask-again.ts';
import { requestByName } from './candidates.ts';
import { pointAt, softRelease } from './cures.ts';
import type { Cure } from './finding.ts';
import { eventOf, type Rehearsal } from './rehearse.ts';
import { claimNamedBy, keyText, type Scene, type Verdict } from './scene.ts';

export async function diagnoseRequestedVolume(
  scene: Scene,
  claim: PersistentVolumeClaim,
  rehearsal: Rehearsal,
): Promise<Verdict> {
  const name = claim.spec.volumeName ?? '';
  const volume = await scene.reads.get('PersistentVolume', { name });
  if (volume === undefined) return missing(claim, name);
  if (eventOf(rehearsal, 'VolumeMismatch') !== undefined) return unfit(scene, claim, volume);
  if (eventOf(rehearsal, 'FailedBinding') !== undefined) return await taken(scene, claim, volume);
  if (rehearsal.failure !== undefined) return { cause: 'contradiction', why: [`${rehearsal.failure.message}.`] };
  return { cause: 'controller-behind', why: [`The claim names volume ${name}, which fits it or is reserved for it.`] };
}

function missing(claim: PersistentVolumeClaim, name: string): Verdict {
  return {
    cause: 'named-volume-missing',
    why: [
      `The claim names volume ${name}, and there is no such volume.`,
      'It is bound as soon as a volume of that name exists and fits.',
    ],
    cures: [withoutName(claim)],
  };
}

function unfit({ rules }: Scene, claim: PersistentVolumeClaim, volume: PersistentVolume): Verdict {
  const { name } = volume.metadata;
  const difference = differenceOf(volume, claim, rules.features);
  const why = `Volume ${name} does not fit: ${whyUnfit(volume, claim, rules.features)}`;
  const isLeaving = volume.metadata.deletionTimestamp !== undefined;
  return {
    cause: 'named-volume-unfit',
    why: [`${why}${difference === '' ? '' : ` (${difference})`}.`],
    cures: isLeaving ? [withoutName(claim)] : [askForVolume(claim, volume, requestByName(claim))],
  };
}

async function taken(scene: Scene, claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<Verdict> {
  const { name } = volume.metadata;
  const { namespace = '', name: ownerName = '', uid } = volume.spec.claimRef ?? {};
  const owner = { namespace, name: ownerName };
  const isSameName = namespace === claim.metadata.namespace && ownerName === claim.metadata.name;
  if (isSameName && isReleasedOrFailed(volume)) {
    return {
      cause: 'predecessor-released',
      why: [
        `Volume ${name} is ${volume.status?.phase} and holds the data of an earlier ${keyText(owner)} (uid ${uid}).`,
      ],
      cures: [softRelease(volume)],
    };
  }
  const living = await claimNamedBy(scene, volume);
  const isLiving = living !== undefined && isReservedFor(volume, living);
  const state = isLiving ? `which exists (${living.status?.phase})` : 'which does not exist';
  const give: Cure = {
    ...pointAt(volume, claim, `Give volume ${name} to this claim`),
    danger: isLiving
      ? `Claim ${keyText(owner)} loses its volume.`
      : `This claim gets the data that ${keyText(owner)} left on the volume.`,
  };
  return {
    cause: 'named-volume-taken',
    why: [`The claim names volume ${name}, which is for claim ${keyText(owner)}, ${state}.`],
    cures: isLiving ? [withoutName(claim)] : [give, withoutName(claim)],
  };
}

function withoutName(claim: PersistentVolumeClaim): Cure {
  return askAgain(claim, { volumeName: undefined }, 'Ask again without naming a volume');
}
