/**
 * The Kubernetes objects as they travel: client-node's types, with dates as the RFC 3339 strings that JSON has.
 * Only types come from that package, so nothing of it is loaded at run time.
 */
import type {
  CoreV1Event,
  V1Node,
  V1ObjectMeta,
  V1ObjectReference,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1PersistentVolumeClaimSpec,
  V1PersistentVolumeClaimStatus,
  V1PersistentVolumeSpec,
  V1PersistentVolumeStatus,
  V1Pod,
  V1StorageClass,
} from '@kubernetes/client-node';

type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer U)[]
    ? Wire<U>[]
    : T extends object
      ? { [K in keyof T]: Wire<T[K]> }
      : T;

export type ObjectMeta = Omit<Wire<V1ObjectMeta>, 'name'> & { name: string };
export type ClaimRef = Wire<V1ObjectReference>;

type KubernetesObject<T> = Omit<Wire<T>, 'metadata'> & { metadata: ObjectMeta };

export type PersistentVolume = Omit<KubernetesObject<V1PersistentVolume>, 'spec' | 'status'> & {
  spec: Wire<V1PersistentVolumeSpec>;
  status?: Wire<V1PersistentVolumeStatus>;
};
export type PersistentVolumeClaim = Omit<KubernetesObject<V1PersistentVolumeClaim>, 'metadata' | 'spec' | 'status'> & {
  metadata: ObjectMeta & { namespace: string };
  spec: Wire<V1PersistentVolumeClaimSpec>;
  status?: Wire<V1PersistentVolumeClaimStatus>;
};
export type StorageClass = KubernetesObject<V1StorageClass>;
export type Pod = KubernetesObject<V1Pod>;
export type Node = KubernetesObject<V1Node>;
export type ClusterEvent = KubernetesObject<CoreV1Event>;

/** The kinds that the controller reads or writes, by the name in their `kind` field. */
export interface Kinds {
  PersistentVolume: PersistentVolume;
  PersistentVolumeClaim: PersistentVolumeClaim;
  StorageClass: StorageClass;
  Pod: Pod;
  Node: Node;
  Event: ClusterEvent;
}
export type Kind = keyof Kinds;

/** Names one object; `namespace` is absent for the cluster-scoped kinds. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/** A key that the controller syncs: a volume or a claim. */
export interface SyncKey extends ObjectKey {
  readonly kind: 'PersistentVolume' | 'PersistentVolumeClaim';
}
