/** A claim for which nothing will make a volume: one that exists must fit, or it must ask for a class that provisions. */
import { annotationOf, isInTreeName, SELECTED_NODE, storageClassOf, volumeModeOf } from '../controller/annotations.ts';
import type { Request } from '../controller/candidate.ts';
import { hasClass } from '../controller/default-class.ts';
import type { PersistentVolumeClaim, StorageClass } from '../controller/types.ts';
import { askAgain, askForVolume, classToPropose, makeDefault } from './ask-again.ts';
import type { Candidate, Candidates } from './candidates.ts';
import type { Cure } from './finding.ts';
import { labelCure } from './label-cure.ts';
import type { Scene, Verdict } from './scene.ts';

const STATIC_PROVISIONER = 'kubernetes.io/no-provisioner';

/** What a Pending claim's diagnosis knows besides the claim. */
export interface Situation {
  readonly storageClass: StorageClass | undefined;
  readonly request: Request;
  readonly candidates: Candidates;
}

/** @param failure why the class provisions nothing, in the controller's words; undefined without a class. */
export async function diagnoseStaticClaim(
  scene: Scene,
  claim: PersistentVolumeClaim,
  failure: string | undefined,
  situation: Situation,
): Promise<Verdict> {
  const classes = await scene.reads.list('StorageClass');
  const provisioning = classes.filter(({ provisioner }) => provisioner !== STATIC_PROVISIONER);
  const predecessor = situation.candidates.closest.find(({ isPredecessor }) => isPredecessor);
  if (predecessor !== undefined) {
    return { cause: 'predecessor-released', why: [predecessorText(predecessor), noFit(claim)] };
  }
  const [cause, ...reasons] = reasonOf(claim, failure, situation.storageClass);
  const names = provisioning.map(({ metadata }) => metadata.name).join(', ');
  const served =
    names === '' ? 'No class of the cluster provisions volumes.' : `Classes that provision volumes: ${names}.`;
  return { cause, why: [noFit(claim), ...reasons, served], cures: curesFor(claim, situation, provisioning) };
}

/** What was asked for and is not there. */
export function noFit({ spec, metadata }: PersistentVolumeClaim): string {
  const size = spec.resources?.requests?.['storage'] ?? '0';
  const node = annotationOf({ metadata }, SELECTED_NODE);
  const at = node === undefined ? '' : ` The scheduler selected node ${node}.`;
  return `No volume fits: ${size}, ${(spec.accessModes ?? []).join('+')}, ${spec.volumeMode ?? 'Filesystem'}.${at}`;
}

function reasonOf(
  claim: PersistentVolumeClaim,
  failure: string | undefined,
  storageClass: StorageClass | undefined,
): [Verdict['cause'], ...string[]] {
  if (!hasClass(claim)) return ['no-class', 'No class is marked as the default.'];
  if (storageClass === undefined) {
    return failure === undefined
      ? ['no-static-volume', 'Its class is "": such a claim takes a volume that exists and has no class either.']
      : ['class-missing', `The claim names class ${storageClassOf(claim)}, and there is no such class.`];
  }
  const { provisioner, metadata } = storageClass;
  return isInTreeName(provisioner) && provisioner !== STATIC_PROVISIONER
    ? ['plugin-missing', `Class ${metadata.name}: ${failure}.`]
    : ['no-static-volume', `Class ${metadata.name} provisions nothing (${provisioner}).`];
}

/** Rules that another wish of the claim can meet. Not volumeMode: its pods would have to be others too. */
const ASKED_FOR: readonly Candidate['rule'][] = [
  'accessModes lack one',
  'too small',
  'volumeAttributesClassName differs',
  'labels do not satisfy the selector',
  'storageClassName differs',
];

function curesFor(claim: PersistentVolumeClaim, { request, candidates }: Situation, classes: StorageClass[]): Cure[] {
  const cures: Cure[] = [];
  const proposed = classToPropose(classes);
  const closest = candidates.closest.find(
    ({ rule, volume }) => ASKED_FOR.includes(rule) && isFree(volume) && volumeModeOf(volume) === request.volumeMode,
  );
  if (closest !== undefined) cures.push(...labelCure(closest.volume, request));
  if (!hasClass(claim) && proposed !== undefined) cures.push(makeDefault(proposed));
  if (closest !== undefined) cures.push(askForVolume(claim, closest.volume, request));
  if (hasClass(claim) && proposed !== undefined && proposed.metadata.name !== storageClassOf(claim)) {
    const { name } = proposed.metadata;
    const changes = { storageClassName: name, selector: undefined };
    cures.push(askAgain(claim, changes, `Ask for class ${name}, which provisions`));
  }
  return cures;
}

function isFree({ metadata, spec, status }: Candidate['volume']): boolean {
  return metadata.deletionTimestamp === undefined && spec.claimRef === undefined && status?.phase === 'Available';
}

function predecessorText({ volume }: Candidate): string {
  const { claimRef } = volume.spec;
  return (
    `Volume ${volume.metadata.name} is ${volume.status?.phase} and holds the data of an earlier claim ` +
    `${claimRef?.namespace}/${claimRef?.name}: it names that claim's uid, ${claimRef?.uid}.`
  );
}
