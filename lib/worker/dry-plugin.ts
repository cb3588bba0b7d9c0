/** A plugin for observe mode: it answers as its original would, and touches nothing. */
import type { VolumePlugin } from '../controller/plugins.ts';

export function dryPlugin(plugin: VolumePlugin): VolumePlugin {
  const { newDeleter, newProvisioner, recycle } = plugin;
  return {
    name: plugin.name,
    supportsMountOptions: plugin.supportsMountOptions,
    supports: (volume) => plugin.supports(volume),
    ...(recycle && { recycle: async () => 'waiting' as const }),
    ...(newDeleter && { newDeleter: () => async () => {} }),
    ...(newProvisioner && {
      newProvisioner:
        ({ volumeName, claim, storageClass }) =>
        async () => ({
          metadata: { name: volumeName },
          spec: {
            persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
            accessModes: claim.spec.accessModes ?? [],
            capacity: { storage: claim.spec.resources?.requests?.['storage'] ?? '0' },
          },
        }),
    }),
  };
}
