/** Objects for tests: complete enough for a sync, every part replaceable. */
import * as names from '../annotations.ts';
import type { ClaimRef, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../types.ts';

interface Parts<T extends { metadata: object; spec: object; status?: object }> {
  annotations?: Record<string, string>;
  metadata?: Partial<T['metadata']>;
  spec?: Partial<T['spec']>;
  status?: Partial<NonNullable<T['status']>>;
}

/** A free, Available volume of 1Gi, ReadWriteOnce, without a class. */
export function volume(name: string, parts: Parts<PersistentVolume> = {}): PersistentVolume {
  const { annotations, metadata, spec, status } = parts;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, uid: `uid-of-${name}`, resourceVersion: '1', ...(annotations && { annotations }), ...metadata },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: `/tmp/${name}` },
      ...spec,
    },
    status: { phase: 'Available', ...status },
  };
}

/** A Pending claim in namespace `ns` for 1Gi, ReadWriteOnce, without a class. */
export function claim(name: string, parts: Parts<PersistentVolumeClaim> = {}): PersistentVolumeClaim {
  const { annotations, metadata, spec, status } = parts;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      namespace: 'ns',
      name,
      uid: `uid-of-${name}`,
      resourceVersion: '1',
      ...(annotations && { annotations }),
      ...metadata,
    },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
    status: { phase: 'Pending', ...status },
  };
}

/** The claimRef that a bind to this claim writes. */
export function refTo({ metadata }: PersistentVolumeClaim): ClaimRef {
  const { namespace, name, uid = '' } = metadata;
  return { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid };
}

/** The claimRef by which a user reserves a volume. */
export function reservationFor(claim: PersistentVolumeClaim): ClaimRef {
  const { uid: _uid, ...reservation } = refTo(claim);
  return reservation;
}

/** A claim and a volume that are bound to each other; the controller chose them. */
export function boundPair(
  parts: Parts<PersistentVolume> = {},
  name = 'one',
): { claim: PersistentVolumeClaim; volume: PersistentVolume } {
  const mark = { [names.BOUND_BY_CONTROLLER]: 'yes' };
  const bound = claim(name, {
    annotations: { ...mark, [names.BIND_COMPLETED]: 'yes' },
    spec: { volumeName: `pv-of-${name}` },
    status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } },
  });
  return {
    claim: bound,
    volume: volume(`pv-of-${name}`, {
      ...parts,
      annotations: { ...mark, ...parts.annotations },
      spec: { claimRef: refTo(bound), ...parts.spec },
      status: { phase: 'Bound', ...parts.status },
    }),
  };
}

/** A volume whose claim is gone. */
export function orphan(name: string, parts: Parts<PersistentVolume> = {}): PersistentVolume {
  return volume(name, {
    ...parts,
    spec: { claimRef: refTo(claim('gone')), ...parts.spec },
    status: { phase: 'Released', ...parts.status },
  });
}

export function storageClass(name: string, parts: Partial<StorageClass> = {}): StorageClass {
  return {
    metadata: { name },
    provisioner: 'vendor.com/disk',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
    ...parts,
  };
}

/** A pod that uses a claim of its namespace. */
export function podUsing(claimName: string, name: string, parts: Partial<Pod> = {}): Pod {
  return {
    metadata: { namespace: 'ns', name, uid: `uid-of-${name}` },
    spec: { containers: [], volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] },
    status: { phase: 'Running' },
    ...parts,
  };
}
