/** Volumes, claims and classes as the scenarios make them: hostPath below a directory of our own, class empty. */
import { randomUUID } from 'node:crypto';

export type AccessMode = 'ReadWriteOnce' | 'ReadWriteMany';
type Strings = Readonly<Record<string, string>>;

/** As much of a volume as the scenarios look at. */
export interface Volume {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly spec: {
    readonly capacity: { readonly storage: string };
    readonly claimRef?: { readonly namespace: string; readonly name: string; readonly uid?: string };
    readonly storageClassName?: string;
    readonly volumeAttributesClassName?: string;
  };
  readonly status: { readonly phase: string };
}

/** As much of a claim as the scenarios look at. */
export interface Claim {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly spec: {
    readonly volumeName?: string;
    readonly storageClassName?: string;
    readonly volumeAttributesClassName?: string;
  };
  readonly status: { readonly phase: string; readonly currentVolumeAttributesClassName?: string };
}

export interface VolumeShape {
  readonly policy?: 'Retain' | 'Recycle' | 'Delete';
  readonly modes?: readonly AccessMode[];
  readonly labels?: Strings;
  /** The rest of `spec`, on top of what the other fields make; an undefined field is left out. */
  readonly spec?: object;
}

/** hostPath volumes can be deleted below /tmp/ only. Nothing is ever put there: deleting what is missing is fine. */
const directory = `/tmp/pv-integration-${randomUUID()}`;

/** A hostPath volume without a class; Retain and ReadWriteOnce unless said otherwise. */
export function volume(name: string, storage: string, shape: VolumeShape = {}): object {
  const { policy = 'Retain', modes = ['ReadWriteOnce'], labels, spec } = shape;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, labels },
    spec: {
      capacity: { storage },
      accessModes: modes,
      persistentVolumeReclaimPolicy: policy,
      hostPath: { path: `${directory}/${name}` },
      ...spec,
    },
  };
}

/** A claim whose class is empty, unless `spec` says otherwise (undefined: no class at all). */
export function claim(
  name: string,
  storage: string,
  spec: { readonly modes?: readonly AccessMode[]; readonly [field: string]: unknown } = {},
): object {
  const { modes = ['ReadWriteOnce'], ...rest } = spec;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes: modes, resources: { requests: { storage } }, storageClassName: '', ...rest },
  };
}

/** A class with the API server's own defaults; `isDefault` writes the annotation, unless it is undefined. */
export function storageClass(name: string, provisioner: string, isDefault?: boolean): object {
  const annotations =
    isDefault === undefined ? undefined : { 'storageclass.kubernetes.io/is-default-class': String(isDefault) };
  return { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name, annotations }, provisioner };
}
