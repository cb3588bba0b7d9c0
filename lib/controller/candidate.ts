/** The rules that one volume must pass to be chosen for a claim (BEHAVIOUR 5.2), in their order. */
import { storageClassOf, volumeModeOf } from './annotations.ts';
import { isReservedFor } from './claim-ref.ts';
import type { Features } from './features.ts';
import { compileSelector, type LabelPredicate } from './label-selector.ts';
import { compareQuantities } from './quantity.ts';
import type { PersistentVolume, PersistentVolumeClaim } from './types.ts';

/** What a claim asks for, prepared once for many volumes. */
export interface Request {
  readonly claim: PersistentVolumeClaim;
  readonly storage: string;
  readonly storageClass: string;
  readonly volumeMode: string;
  readonly attributesClass: string;
  readonly selector: LabelPredicate | undefined;
  /** WaitForFirstConsumer: only a reserved volume will do. */
  readonly delayedBinding: boolean;
}

/** A rule that a volume fails, by name, in the order of BEHAVIOUR 5.2. */
export type Mismatch =
  | 'reserved for another claim'
  | 'too small'
  | 'volumeMode differs'
  | 'volumeAttributesClassName differs'
  | 'being deleted'
  | 'binding waits for the first consumer'
  | 'not Available'
  | 'labels do not satisfy the selector'
  | 'storageClassName differs';

/** @throws Error when the claim's selector is broken, or asks for an attributes class where that gate is off. */
export function requestOf(claim: PersistentVolumeClaim, delayedBinding: boolean, features: Features): Request {
  const attributesClass = claim.spec.volumeAttributesClassName ?? '';
  if (attributesClass !== '' && !features.volumeAttributesClass) {
    throw new Error(
      `unsupported volumeAttributesClassName is set on claim ${claim.metadata.namespace}/${claim.metadata.name} ` +
        'when the feature-gate VolumeAttributesClass is disabled',
    );
  }
  return {
    claim,
    storage: claim.spec.resources?.requests?.['storage'] ?? '0',
    storageClass: storageClassOf(claim),
    volumeMode: volumeModeOf(claim),
    attributesClass,
    selector: compileSelector(claim.spec.selector),
    delayedBinding,
  };
}

/** The volume's storage capacity as written; `0` when it has none. */
export function capacityOf(volume: PersistentVolume): string {
  return volume.spec.capacity?.['storage'] ?? '0';
}

/** Rules 2 to 5, which a reserved volume must pass too. */
export function unusable(volume: PersistentVolume, request: Request): Mismatch | undefined {
  if (compareQuantities(capacityOf(volume), request.storage) < 0) return 'too small';
  if (volumeModeOf(volume) !== request.volumeMode) return 'volumeMode differs';
  if ((volume.spec.volumeAttributesClassName ?? '') !== request.attributesClass) {
    return 'volumeAttributesClassName differs';
  }
  if (volume.metadata.deletionTimestamp !== undefined) return 'being deleted';
  return undefined;
}

/**
 * The first rule by which this volume cannot be chosen, undefined when it can. Access modes come before these rules:
 * they decide which group of volumes is looked at at all.
 */
export function mismatchOf(volume: PersistentVolume, request: Request): Mismatch | undefined {
  if (volume.spec.claimRef !== undefined && !isReservedFor(volume, request.claim)) return 'reserved for another claim';
  const reason = unusable(volume, request);
  if (reason !== undefined) return reason;
  if (volume.spec.claimRef !== undefined) return undefined;
  if (request.delayedBinding) return 'binding waits for the first consumer';
  if (volume.status?.phase !== 'Available') return 'not Available';
  if (request.selector !== undefined && !request.selector(volume.metadata.labels ?? {})) {
    return 'labels do not satisfy the selector';
  }
  if (storageClassOf(volume) !== request.storageClass) return 'storageClassName differs';
  return undefined;
}

/** By how much a volume fails a rule, for people: `needs 8Gi, has 5Gi`. Decides nothing. */
export function differenceIn(rule: Mismatch, volume: PersistentVolume, request: Request): string {
  switch (rule) {
    case 'reserved for another claim': {
      const { namespace, name, uid } = volume.spec.claimRef ?? {};
      const { metadata } = request.claim;
      const isPredecessor = namespace === metadata.namespace && name === metadata.name;
      return isPredecessor ? `for an earlier ${namespace}/${name} (uid ${uid})` : `for ${namespace}/${name}`;
    }
    case 'too small':
      return needsAndHas(request.storage, capacityOf(volume));
    case 'volumeMode differs':
      return needsAndHas(request.volumeMode, volumeModeOf(volume));
    case 'volumeAttributesClassName differs':
      return needsAndHas(request.attributesClass, volume.spec.volumeAttributesClassName);
    case 'being deleted':
      return `since ${volume.metadata.deletionTimestamp}`;
    case 'binding waits for the first consumer':
      return 'the scheduler chooses it when a pod uses the claim';
    case 'not Available':
      return `it is ${volume.status?.phase || 'Pending'}`;
    case 'labels do not satisfy the selector':
      return needsAndHas(
        JSON.stringify(request.claim.spec.selector),
        volume.metadata.labels && JSON.stringify(volume.metadata.labels),
      );
    case 'storageClassName differs':
      return needsAndHas(request.storageClass, storageClassOf(volume));
  }
}

/** What was asked for and what is there; an empty value is `none`. */
export function needsAndHas(needed: string | undefined, found: string | undefined): string {
  return `needs ${needed || 'none'}, has ${found || 'none'}`;
}
