/**
 * A plugin for observe mode: it answers as its original would, and touches no storage. Recycling by pods acts on the
 * cluster alone, which records what it is told, so it stays as it is.
 */
import type { VolumePlugin } from '../controller/plugins.ts';

export function dryPlugin(plugin: VolumePlugin): VolumePlugin {
  const { newDeleter, newProvisioner, recycle, recyclesByPod, cleanUpRecycle, forgetVolume } = plugin;
  return {
    name: plugin.name,
    supportsMountOptions: plugin.supportsMountOptions,
    supports: (volume) => plugin.supports(volume),
    ...(recycle && { recycle: async (volume) => (recyclesByPod ? await recycle.call(plugin, volume) : 'waiting') }),
    ...(recyclesByPod && cleanUpRecycle && { cleanUpRecycle: (volume) => cleanUpRecycle.call(plugin, volume) }),
    ...(recyclesByPod && forgetVolume && { forgetVolume: (name) => forgetVolume.call(plugin, name) }),
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
