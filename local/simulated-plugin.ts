/**
 * An in-tree plugin whose storage is imagined: recycle, delete and provision succeed at once. It is what upstream's
 * integration tests run with (provisioner `kubernetes.io/mock-provisioner`), and touches no disk.
 */
import type { ProvisionOptions, VolumePlugin } from '../lib/controller/plugins.ts';
import type { PersistentVolume } from '../lib/controller/types.ts';

export const SIMULATED_PROVISIONER = 'kubernetes.io/mock-provisioner';

export const simulatedPlugin: VolumePlugin = {
  name: SIMULATED_PROVISIONER,
  supportsMountOptions: true,
  supports: () => true,
  recycle: async () => 'done',
  newDeleter: () => async () => {},
  newProvisioner: (options) => async () => imagined(options),
};

function imagined({ volumeName, claim, storageClass }: ProvisionOptions): PersistentVolume {
  return {
    metadata: { name: volumeName, annotations: { 'kubernetes.io/createdby': 'fakeplugin-provisioner' } },
    spec: {
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      accessModes: claim.spec.accessModes ?? [],
      capacity: { storage: claim.spec.resources?.requests?.['storage'] ?? '1Gi' },
      ...(claim.spec.volumeMode && { volumeMode: claim.spec.volumeMode }),
      hostPath: { path: `/tmp/simulated/${volumeName}` },
    },
  };
}
