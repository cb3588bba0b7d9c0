/** `kubernetes.io/nfs`: recycles, and nothing else. */
import type { RecycleResult, VolumePlugin } from '../controller/plugins.ts';
import type { PersistentVolume } from '../controller/types.ts';
import type { RecyclerPodSettings, RecyclerPods } from './recycler-pod.ts';

export class NfsPlugin implements VolumePlugin {
  readonly name = 'kubernetes.io/nfs';
  readonly supportsMountOptions = true;
  readonly recyclesByPod = true;
  readonly #pods: RecyclerPods;
  readonly #settings: RecyclerPodSettings;

  constructor(pods: RecyclerPods, settings: RecyclerPodSettings) {
    this.#pods = pods;
    this.#settings = settings;
  }

  supports(volume: PersistentVolume): boolean {
    return volume.spec.nfs !== undefined;
  }

  async recycle(volume: PersistentVolume): Promise<RecycleResult> {
    const { server = '', path = '' } = volume.spec.nfs ?? {};
    return await this.#pods.step(volume, { nfs: { server, path } }, this.#settings);
  }

  async cleanUpRecycle(volume: PersistentVolume): Promise<void> {
    await this.#pods.cleanUp(volume, this.#settings);
  }

  async forgetVolume(volumeName: string): Promise<void> {
    await this.#pods.forget(volumeName, this.#settings);
  }
}
