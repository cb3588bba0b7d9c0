/**
 * Volumes and claims in the notation of the field reports: `PV{phase, ref, …}`, where `ref` is `namespace/name@uid`, or
 * `namespace/name` for a volume that is reserved by name; `bbc` and `bc` are the marks of a binding.
 */
import {
  annotationOf,
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  hasAnnotation,
  MIGRATED_TO,
} from '../../../lib/controller/annotations.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../lib/controller/types.ts';

/** A field that is not there is a state without it: compare with `toEqual`. */
export interface VolumeState {
  readonly phase: string;
  readonly ref?: string;
  readonly message?: string;
  readonly bbc?: true;
  readonly migratedTo?: string;
}

export interface ClaimState {
  readonly phase: string;
  readonly vol?: string;
  readonly bc?: true;
  readonly bbc?: true;
  /** Of the status, as the next two. */
  readonly capacity?: string;
  readonly modes?: readonly string[];
  readonly migratedTo?: string;
}

export function volumeState(volume: PersistentVolume): VolumeState {
  const { claimRef } = volume.spec;
  const { phase = '', message } = volume.status ?? {};
  const migratedTo = annotationOf(volume, MIGRATED_TO);
  const uid = claimRef?.uid ? `@${claimRef.uid}` : '';
  return {
    phase,
    ...(claimRef && { ref: `${claimRef.namespace}/${claimRef.name}${uid}` }),
    ...(message && { message }),
    ...(hasAnnotation(volume, BOUND_BY_CONTROLLER) && { bbc: true }),
    ...(migratedTo !== undefined && { migratedTo }),
  };
}

export function claimState(claim: PersistentVolumeClaim): ClaimState {
  const { phase = '', capacity, accessModes } = claim.status ?? {};
  const { volumeName } = claim.spec;
  const migratedTo = annotationOf(claim, MIGRATED_TO);
  return {
    phase,
    ...(volumeName && { vol: volumeName }),
    ...(hasAnnotation(claim, BIND_COMPLETED) && { bc: true }),
    ...(hasAnnotation(claim, BOUND_BY_CONTROLLER) && { bbc: true }),
    ...(capacity?.['storage'] && { capacity: capacity['storage'] }),
    ...(accessModes && { modes: accessModes }),
    ...(migratedTo !== undefined && { migratedTo }),
  };
}

/** A claim of 1Gi, ReadWriteOnce, that is bound to that volume. */
export function boundTo(vol: string, others: Partial<ClaimState> = {}): ClaimState {
  return { phase: 'Bound', vol, bc: true, capacity: '1Gi', modes: ['ReadWriteOnce'], ...others };
}

/** What a volume's claimRef must say of this claim. */
export function refTo({ metadata: { namespace, name, uid } }: PersistentVolumeClaim): string {
  return `${namespace}/${name}@${uid}`;
}

/** A claimRef in full, as whoever reserves a volume for this very claim writes it. */
export function claimRefTo({ metadata: { namespace, name, uid } }: PersistentVolumeClaim): object {
  return { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid };
}
