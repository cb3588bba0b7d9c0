/** The volumes that a claim could have had, each with the first rule of the controller's that it fails. */
import { modeSetOf, modesIn, requestedModeSet } from '../controller/access-modes.ts';
import {
  differenceIn,
  type Mismatch,
  mismatchOf,
  needsAndHas,
  type Request,
  requestOf,
} from '../controller/candidate.ts';
import { isReservedFor } from '../controller/claim-ref.ts';
import { compareQuantities, isQuantity } from '../controller/quantity.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import { isReleasedOrFailed } from '../controller/volume-phase.ts';
import type { CandidateVerdict } from './finding.ts';
import type { Scene } from './scene.ts';

/** The later one is, the closer was the volume to being chosen: the order of the rules, but for the last (`firstRule`). */
const RULES = [
  'accessModes lack one',
  'reserved for another claim',
  'too small',
  'volumeMode differs',
  'volumeAttributesClassName differs',
  'being deleted',
  'not Available',
  'labels do not satisfy the selector',
  'storageClassName differs',
  'binding waits for the first consumer',
] as const satisfies readonly (Mismatch | 'accessModes lack one')[];

type Rule = (typeof RULES)[number];

/** A volume, and why it was not taken. */
export interface Candidate {
  readonly volume: PersistentVolume;
  readonly rule: Rule;
  readonly detail: string;
  /** It holds the data of an earlier claim of the same name, and would fit if it named no uid. */
  readonly isPredecessor: boolean;
}

export interface Candidates {
  /** The closest first, as many as are wanted. */
  readonly closest: readonly Candidate[];
  /** All that were looked at and not taken: those in use by other claims are not counted. */
  readonly count: number;
  readonly inUse: number;
}

/** Looks at every volume; where no candidates are wanted, only at those that name the claim. */
export function candidatesFor({ volumes, maxCandidates }: Scene, request: Request): Candidates {
  const naming = new Set(volumes.reservedFor(request.claim.metadata));
  const found: Candidate[] = [];
  let inUse = 0;
  for (const volume of maxCandidates === 0 ? naming : volumes.values()) {
    const rule = firstRule(volume, request);
    if (rule === undefined) continue;
    if (volume.status?.phase === 'Bound' && !isReservedFor(volume, request.claim)) inUse += 1;
    else {
      const detail = detailOf(rule, volume, request);
      found.push({ volume, rule, detail, isPredecessor: holdsEarlierClaim(volume, request) });
    }
  }
  found.sort((a, b) => Number(naming.has(b.volume)) - Number(naming.has(a.volume)) || closestFirst(a, b));
  return { closest: found.slice(0, Math.max(maxCandidates, naming.size)), count: found.length, inUse };
}

/** What a volume must have that is for this claim by name: a selector does not count then (BEHAVIOUR 3.2, 5.2). */
export function requestByName(claim: PersistentVolumeClaim): Request {
  const { selector: _ignored, ...spec } = claim.spec;
  return requestOf({ ...claim, spec }, false, { volumeAttributesClass: true });
}

/** As a finding tells it. */
export function verdictOf({ volume, rule, detail }: Candidate): CandidateVerdict {
  return { volume: volume.metadata.name, rule, detail };
}

/**
 * Access modes decide which volumes are looked at at all, so they come first (BEHAVIOUR 5.1). A volume that only waits for the
 * scheduler is one that this may choose: it passes the rules that come after, too.
 */
function firstRule(volume: PersistentVolume, request: Request): Rule | undefined {
  const requested = requestedModeSet(request.claim.spec.accessModes);
  if ((modeSetOf(volume.spec.accessModes) & requested) !== requested) return 'accessModes lack one';
  const rule = mismatchOf(volume, request);
  if (rule !== 'binding waits for the first consumer') return rule;
  return mismatchOf(volume, { ...request, delayedBinding: false }) ?? rule;
}

function detailOf(rule: Rule, volume: PersistentVolume, request: Request): string {
  if (rule !== 'accessModes lack one') return differenceIn(rule, volume, request);
  const offered = modesIn(modeSetOf(volume.spec.accessModes));
  return needsAndHas(request.claim.spec.accessModes?.join('+'), offered.join('+'));
}

function holdsEarlierClaim(volume: PersistentVolume, request: Request): boolean {
  const { claimRef, ...spec } = volume.spec;
  if (!claimRef?.uid || !isReleasedOrFailed(volume)) return false;
  const { uid: _uid, ...reservation } = claimRef;
  const freed = { ...volume, spec: { ...spec, claimRef: reservation } };
  return isReservedFor(freed, request.claim) && firstRule(freed, request) === undefined;
}

function closestFirst(a: Candidate, b: Candidate): number {
  const byRule = RULES.indexOf(b.rule) - RULES.indexOf(a.rule);
  if (byRule !== 0) return byRule;
  const [sizeA, sizeB] = [a, b].map(({ volume }) => volume.spec.capacity?.['storage'] ?? '0');
  const bySize = isQuantity(sizeA ?? '') && isQuantity(sizeB ?? '') ? compareQuantities(sizeB ?? '0', sizeA ?? '0') : 0;
  return bySize !== 0 ? bySize : a.volume.metadata.name < b.volume.metadata.name ? -1 : 1;
}
