/** The volumes and claims of the jobs. */
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../../lib/controller/types.ts';

export const namespace = 'default';

/** A hostPath volume of 1Gi, policy Retain: nothing is to be done to it but what the job is about. */
export function volumeDraft(name: string, spec: Partial<PersistentVolume['spec']> = {}): PersistentVolume {
  return {
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: `/tmp/bench/${name}` },
      ...spec,
    },
  };
}

/** A claim for 1Gi without a class. */
export function claimDraft(name: string, spec: Partial<PersistentVolumeClaim['spec']> = {}): PersistentVolumeClaim {
  return {
    metadata: { name, namespace },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: '',
      ...spec,
    },
  };
}

/** A class whose volumes are kept when their claims go, so that no disk is deleted while the next job is measured. */
export function classDraft(name: string, provisioner: string): StorageClass {
  return { metadata: { name }, provisioner, reclaimPolicy: 'Retain', volumeBindingMode: 'Immediate' };
}
