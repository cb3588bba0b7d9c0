/** Annotations, finalizers and names of BEHAVIOUR 1.1, and how they are read and changed without touching the original. */
import type { ObjectMeta, PersistentVolume, PersistentVolumeClaim, StorageClass } from './types.ts';

export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
export const MIGRATED_TO = 'pv.kubernetes.io/migrated-to';
export const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner';
export const BETA_STORAGE_PROVISIONER = 'volume.beta.kubernetes.io/storage-provisioner';
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
export const BETA_STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';
export const PRE_RESIZE_CAPACITY = 'volume.alpha.kubernetes.io/pre-resize-capacity';
export const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';
export const BETA_DEFAULT_CLASS = 'storageclass.beta.kubernetes.io/is-default-class';
/** Ours, on a volume: uids of the recycler pod that scrubs it and of the claim whose data that is (DESIGN D12). */
export const RECYCLER_POD = 'pv-controller.serverless/recycler-pod';

export const IN_TREE_FINALIZER = 'kubernetes.io/pv-controller';
export const EXTERNAL_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';

const IN_TREE_PREFIX = 'kubernetes.io/';

type Annotated = { readonly metadata: ObjectMeta };

/** Whether the annotation is there, whatever its value: an empty one counts (BEHAVIOUR 1.1). */
export function hasAnnotation(object: Annotated, key: string): boolean {
  return object.metadata.annotations?.[key] !== undefined;
}

/** @returns the annotation's value, which may be empty; undefined when it is not there. */
export function annotationOf(object: Annotated, key: string): string | undefined {
  return object.metadata.annotations?.[key];
}

/** A copy of the object with these annotations set. */
export function withAnnotations<T extends Annotated>(object: T, values: Record<string, string>): T {
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...values } } };
}

/** A copy of the object without that annotation; an annotation map left empty is dropped. */
export function withoutAnnotation<T extends Annotated>(object: T, key: string): T {
  const { [key]: _removed, ...annotations } = object.metadata.annotations ?? {};
  if (Object.keys(annotations).length > 0) return { ...object, metadata: { ...object.metadata, annotations } };
  const { annotations: _empty, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The class of a claim or volume: the beta annotation wins over the spec field; none is the empty string. */
export function storageClassOf(object: PersistentVolume | PersistentVolumeClaim): string {
  return annotationOf(object, BETA_STORAGE_CLASS) ?? object.spec.storageClassName ?? '';
}

/** volumeMode, unset meaning Filesystem. */
export function volumeModeOf(object: PersistentVolume | PersistentVolumeClaim): string {
  return object.spec.volumeMode ?? 'Filesystem';
}

/** `namespace/name`, as upstream's messages write a claim. */
export function claimKeyOf(claim: PersistentVolumeClaim): string {
  return `${claim.metadata.namespace}/${claim.metadata.name}`;
}

/** Whether a provisioner's name is that of an in-tree plugin: `kubernetes.io/…`, also when no such plugin exists. */
export function isInTreeName(provisioner: string): boolean {
  return provisioner.startsWith(IN_TREE_PREFIX);
}

/**
 * Whether a class is marked as default, by the GA or the beta annotation (BEHAVIOUR 10); only the value `true` counts.
 */
export function isDefaultClass(storageClass: StorageClass): boolean {
  return (
    annotationOf(storageClass, DEFAULT_CLASS) === 'true' || annotationOf(storageClass, BETA_DEFAULT_CLASS) === 'true'
  );
}

/** What becomes of the volume after its claim; Retain when the volume does not say (BEHAVIOUR 7). */
export function reclaimPolicyOf(volume: PersistentVolume): string {
  return volume.spec.persistentVolumeReclaimPolicy ?? 'Retain';
}
