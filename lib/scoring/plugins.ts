/**
 * The in-tree plugins that the built-in controller has by default, as far as its next writes can be foreseen from them:
 * they act on nothing. hostPath volumes below /tmp are deleted, none is provisioned, and recycling takes a pod's time.
 */
import type { VolumePlugin } from '../controller/plugins.ts';
import type { Cluster } from '../controller/ports.ts';
import type { HostDisk } from '../plugins/host-path.ts';
import { type InTreeSettings, inTreePlugins } from '../plugins/in-tree.ts';

const NO_DISK: HostDisk = { makeDirectory: async () => {}, removeDirectory: async () => {}, uuid: () => '' };
/** Where no pod is ever made. Without a namespace there would be no plugins. */
const NOWHERE = 'default';

/** @param cluster a recording one. */
export function builtInPlugins(cluster: Cluster, settings: InTreeSettings): VolumePlugin[] {
  return inTreePlugins(cluster, { ...settings, recyclerNamespace: NOWHERE }, NO_DISK).map(foreseen);
}

/** When a recycler pod is done, nobody knows beforehand. */
function foreseen(plugin: VolumePlugin): VolumePlugin {
  const { newDeleter } = plugin;
  return {
    name: plugin.name,
    supportsMountOptions: plugin.supportsMountOptions,
    supports: (volume) => plugin.supports(volume),
    recycle: async () => 'waiting',
    ...(newDeleter && { newDeleter: (volume) => newDeleter.call(plugin, volume) }),
  };
}
