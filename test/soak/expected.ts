/**
 * How things must be when everybody has come to rest, whatever users have done (I5): told from the objects alone, by the
 * rules of docs/behaviour.md in their simplest form. Where a rule has a case that is left to chance or to others, nothing
 * is said about it.
 */
import { compareQuantities } from '../../lib/controller/quantity.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../lib/controller/types.ts';
import type { Snapshot } from '../differential/snapshot.ts';

const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';

/** @param provisioner name of the external provisioner that runs. @returns what is not as it must be, in words. */
export function unmet(state: Snapshot, provisioner: string): string[] {
  return [
    ...state.volumes.flatMap((volume) => told(`volume ${volume.metadata.name}`, ofVolume(volume, state))),
    ...state.claims.flatMap((claim) => {
      const { namespace, name } = claim.metadata;
      return told(`claim ${namespace}/${name}`, ofClaim(claim, state, provisioner));
    }),
  ];
}

function told(object: string, what: string | undefined): string[] {
  return what === undefined ? [] : [`${object} ${what}`];
}

/** BEHAVIOUR 4 and 7. */
function ofVolume(volume: PersistentVolume, { claims, pods }: Snapshot): string | undefined {
  const { claimRef } = volume.spec;
  const phase = volume.status?.phase;
  const is = (...phases: string[]) =>
    phases.includes(phase ?? '') ? undefined : `is ${phase}, not ${phases.join(' or ')}`;
  if (!claimRef?.uid) return is('Available');
  const claim = claims.find(({ metadata }) => metadata.uid === claimRef.uid);
  if (claim?.spec.volumeName === volume.metadata.name) return is('Bound');
  if (claim !== undefined) return claim.spec.volumeName ? is('Released', 'Failed') : undefined;
  const isUsed = pods.some(
    ({ metadata, spec }) =>
      metadata.namespace === claimRef.namespace &&
      spec?.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claimRef.name),
  );
  const annotations = Object.keys(volume.metadata.annotations ?? {});
  const isPlain =
    !annotations.some((key) => /provisioned-by|migrated-to/.test(key)) && volume.spec.hostPath !== undefined;
  const policy = volume.spec.persistentVolumeReclaimPolicy;
  if (isPlain && policy === 'Recycle' && !isUsed) return `is ${phase} and not recycled, though its claim is gone`;
  if (isPlain && policy === 'Delete' && volume.metadata.deletionTimestamp === undefined)
    return `is ${phase} and not deleted, though its claim is gone`;
  return is('Released', 'Failed');
}

/** BEHAVIOUR 3. */
function ofClaim(claim: PersistentVolumeClaim, state: Snapshot, provisioner: string): string | undefined {
  const phase = claim.status?.phase;
  const is = (wanted: string) => (phase === wanted ? undefined : `is ${phase}, not ${wanted}`);
  const { volumeName } = claim.spec;
  const named = state.volumes.find(({ metadata }) => metadata.name === volumeName);
  if (claim.metadata.annotations?.[BIND_COMPLETED] !== undefined) {
    return is(named?.spec.claimRef?.uid === claim.metadata.uid ? 'Bound' : 'Lost');
  }
  if (volumeName) return named?.spec.claimRef?.uid === claim.metadata.uid ? is('Bound') : is('Pending');
  const storageClass = state.classes.find(({ metadata }) => metadata.name === classOf(claim));
  const fitting = state.volumes.find((volume) => fits(volume, claim, storageClass));
  if (fitting !== undefined) return `is ${phase}, though volume ${fitting.metadata.name} would do`;
  if (storageClass?.provisioner === provisioner && isProvisioned(claim, storageClass))
    return `is ${phase}, and nothing was provisioned for it`;
  return phase === undefined || phase === 'Bound' ? `is ${phase} without a volume` : undefined;
}

/** BEHAVIOUR 5: a free volume, or one that is kept for this claim. */
function fits(volume: PersistentVolume, claim: PersistentVolumeClaim, storageClass: StorageClass | undefined): boolean {
  const { spec, metadata, status } = volume;
  const { claimRef } = spec;
  const { namespace, name, uid } = claim.metadata;
  const isKept =
    claimRef?.namespace === namespace && claimRef?.name === name && (!claimRef?.uid || claimRef.uid === uid);
  if (claimRef !== undefined && !isKept) return false;
  const could =
    metadata.deletionTimestamp === undefined &&
    (claim.spec.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode)) &&
    compareQuantities(spec.capacity?.['storage'] ?? '0', claim.spec.resources?.requests?.['storage'] ?? '0') >= 0 &&
    (spec.volumeMode ?? 'Filesystem') === (claim.spec.volumeMode ?? 'Filesystem') &&
    (spec.volumeAttributesClassName ?? '') === (claim.spec.volumeAttributesClassName ?? '');
  if (!could || isKept) return could;
  const labels = Object.entries(claim.spec.selector?.matchLabels ?? {});
  return (
    storageClass?.volumeBindingMode !== 'WaitForFirstConsumer' &&
    status?.phase === 'Available' &&
    classOf(volume) === classOf(claim) &&
    labels.every(([key, value]) => metadata.labels?.[key] === value)
  );
}

/** By a provisioner that serves what asks for nothing special; all else is its own affair. */
function isProvisioned({ spec, metadata }: PersistentVolumeClaim, storageClass: StorageClass): boolean {
  const isPlain = spec.selector === undefined && spec.volumeAttributesClassName === undefined;
  return storageClass.volumeBindingMode === 'Immediate' && isPlain && metadata.deletionTimestamp === undefined;
}

function classOf({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string {
  return metadata.annotations?.[BETA_CLASS] ?? spec.storageClassName ?? '';
}
