/** A claim that is not bound and names no volume (BEHAVIOUR 3.1): which branch the sync took, and what would end it. */
import { annotationOf, STORAGE_PROVISIONER, storageClassOf } from '../controller/annotations.ts';
import { type Request, requestOf } from '../controller/candidate.ts';
import { isReservedFor } from '../controller/claim-ref.ts';
import { delaysBinding } from '../controller/delayed-binding.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../controller/types.ts';
import { askForVolume } from './ask-again.ts';
import { type Candidate, type Candidates, candidatesFor, verdictOf } from './candidates.ts';
import { softRelease } from './cures.ts';
import type { Cure } from './finding.ts';
import { diagnoseProvisioning } from './provisioning.ts';
import { eventOf, nextOf, type Rehearsal } from './rehearse.ts';
import { ended, type Scene, type Verdict } from './scene.ts';
import { diagnoseStaticClaim, noFit, type Situation } from './static-claim.ts';
import { diagnoseWaiting } from './waiting-claim.ts';

export async function diagnosePendingClaim(
  scene: Scene,
  claim: PersistentVolumeClaim,
  rehearsal: Rehearsal,
): Promise<Verdict> {
  const className = storageClassOf(claim);
  const storageClass = className === '' ? undefined : await scene.reads.get('StorageClass', { name: className });
  if (rehearsal.failure !== undefined) return { cause: 'contradiction', why: [ended(rehearsal.failure.message)] };
  const request = requestIn(scene, claim, storageClass);
  if (request instanceof Error) return { cause: 'contradiction', why: [ended(request.message)] };
  const candidates = candidatesFor(scene, request);
  const verdict = await byBranch(scene, claim, rehearsal, { storageClass, request, candidates });
  if (verdict.cause === 'controller-behind') return verdict;
  const predecessors = candidates.closest.filter(({ isPredecessor }) => isPredecessor);
  return {
    ...verdict,
    why: [...verdict.why, ...othersText(candidates)],
    cures: [...predecessors.map(({ volume }) => softRelease(volume)), ...(verdict.cures ?? [])],
    candidates: candidates.closest.slice(0, scene.maxCandidates).map(verdictOf),
  };
}

/** Where no volume has the modes, even a broken claim is not refused by the sync: nothing is asked of it. */
function requestIn({ rules }: Scene, claim: PersistentVolumeClaim, storageClass: StorageClass | undefined) {
  try {
    return requestOf(claim, delaysBinding(storageClass), rules.features);
  } catch (error) {
    return error as Error;
  }
}

/** The sync's own event tells which branch it took. */
async function byBranch(
  scene: Scene,
  claim: PersistentVolumeClaim,
  rehearsal: Rehearsal,
  situation: Situation,
): Promise<Verdict> {
  const { storageClass } = situation;
  const reserved = situation.candidates.closest.find(({ volume }) => isReservedFor(volume, claim));
  if (rehearsal.events.length === 0 && rehearsal.writes.length > 0) return behind(rehearsal);
  if (reserved !== undefined) return reservedUnfit(claim, reserved, situation.request);
  const waiting = eventOf(rehearsal, 'WaitForFirstConsumer', 'WaitForPodScheduled');
  if (waiting !== undefined) return await diagnoseWaiting(scene, claim, waiting, storageClass);
  const asking = eventOf(rehearsal, 'ExternalProvisioning');
  if (asking !== undefined && rehearsal.writes.length > 0) {
    const provisioner = annotationOf(asking.object, STORAGE_PROVISIONER);
    return {
      cause: 'controller-behind',
      why: [`The next sync asks provisioner ${provisioner} for a volume.`, noFit(claim)],
    };
  }
  if (asking !== undefined) return await diagnoseProvisioning(scene, claim, storageClass);
  const failed = eventOf(rehearsal, 'ProvisioningFailed');
  if (failed === undefined && eventOf(rehearsal, 'FailedBinding') === undefined) {
    return { cause: 'provisioning-off', why: [noFit(claim), 'Dynamic provisioning is switched off.'] };
  }
  return await diagnoseStaticClaim(scene, claim, failed?.message, situation);
}

function behind(rehearsal: Rehearsal): Verdict {
  const { notes } = rehearsal;
  return {
    cause: 'controller-behind',
    why:
      notes.length === 0
        ? [`The next sync writes: ${nextOf(rehearsal)}.`]
        : notes.map((note) => ended(`${note.charAt(0).toUpperCase()}${note.slice(1)}`)),
  };
}

function reservedUnfit(claim: PersistentVolumeClaim, { volume, rule, detail }: Candidate, request: Request): Verdict {
  const { name } = volume.metadata;
  return {
    cause: 'reserved-volume-unfit',
    why: [`Volume ${name} is reserved for this claim, and: ${rule} (${detail}).`],
    cures: rule === 'being deleted' ? [] : [wayToReserved(claim, volume, request)],
  };
}

/** A volume that names the claim's uid is released, and by its policy deleted, when the claim is made again: it is kept first. */
function wayToReserved(claim: PersistentVolumeClaim, volume: PersistentVolume, request: Request): Cure {
  if (!volume.spec.claimRef?.uid) return askForVolume(claim, volume, request);
  return softRelease(
    volume,
    `Keep volume ${volume.metadata.name} for any claim of this name; then explain the claim again`,
  );
}

function othersText({ closest, count, inUse }: Candidates): string[] {
  const more = count - closest.length;
  return [
    ...(more > 0 ? [`${more} more volumes do not fit either.`] : []),
    ...(inUse > 0 ? [`${inUse} ${inUse === 1 ? 'volume is' : 'volumes are'} in use by other claims.`] : []),
  ];
}
