/**
 * A plugin where objects have modes of their own: it works on the storage of what is enforced, and is its own dry run
 * (dry-plugin.ts) for everything else.
 */
import type { VolumePlugin } from '../controller/plugins.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import { dryPlugin } from './dry-plugin.ts';

/** @param isEnforced asked right before each operation; of nothing: about what the sync is about. */
export function moded(
  plugin: VolumePlugin,
  isEnforced: (object?: PersistentVolume | PersistentVolumeClaim) => Promise<boolean>,
): VolumePlugin {
  const dry = dryPlugin(plugin);
  const { newDeleter, newProvisioner, recycle, cleanUpRecycle, forgetVolume } = plugin;
  const real = async (object?: PersistentVolume | PersistentVolumeClaim) => ((await isEnforced(object)) ? plugin : dry);
  return {
    ...dry,
    ...(plugin.recyclesByPod !== undefined && { recyclesByPod: plugin.recyclesByPod }),
    ...(recycle && { recycle: async (volume) => (await (await real(volume)).recycle?.(volume)) ?? 'waiting' }),
    ...(cleanUpRecycle && { cleanUpRecycle: async (volume) => await (await real(volume)).cleanUpRecycle?.(volume) }),
    ...(forgetVolume && { forgetVolume: async (name) => await (await real()).forgetVolume?.(name) }),
    ...(newDeleter && {
      newDeleter: (volume) => {
        const destroy = newDeleter.call(plugin, volume);
        return async () => {
          if (await isEnforced(volume)) await destroy();
        };
      },
    }),
    ...(newProvisioner && {
      newProvisioner: (request) => {
        const [make, imagine] = [newProvisioner.call(plugin, request), dry.newProvisioner?.(request)];
        return async () => await ((await isEnforced(request.claim)) ? make : (imagine ?? make))();
      },
    }),
  };
}
