/** The in-tree plugins that upstream's controller manager registers for this controller. */
import type { VolumePlugin } from '../controller/plugins.ts';
import type { Cluster } from '../controller/ports.ts';
import { type HostDisk, HostPathPlugin } from './host-path.ts';
import { NfsPlugin } from './nfs.ts';
import { RecyclerPods } from './recycler-pod.ts';

export interface InTreeSettings {
  /** Empty: nothing can be recycled, and no plugin is registered. */
  readonly recyclerNamespace: string;
  readonly recyclerImage: string;
  readonly hostPathTimeoutSeconds: number;
  readonly nfsTimeoutSeconds: number;
  readonly incrementTimeoutSeconds: number;
}

/** @param disk the host's disk, for hostPath deletion and provisioning in the local run; a Lambda has none. */
export function inTreePlugins(cluster: Cluster, settings: InTreeSettings, disk?: HostDisk): VolumePlugin[] {
  if (settings.recyclerNamespace === '') return [];
  const pods = new RecyclerPods(cluster);
  const common = {
    namespace: settings.recyclerNamespace,
    image: settings.recyclerImage,
    incrementTimeoutSecondsPerGib: settings.incrementTimeoutSeconds,
  };
  return [
    new HostPathPlugin({
      pods,
      settings: { ...common, minimumTimeoutSeconds: settings.hostPathTimeoutSeconds },
      ...(disk && { disk, provisioning: true }),
    }),
    new NfsPlugin(pods, { ...common, minimumTimeoutSeconds: settings.nfsTimeoutSeconds }),
  ];
}
