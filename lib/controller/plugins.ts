/** The in-tree plugin interface: recycle, delete and provision (BEHAVIOUR 7 and 8). */
import type { Node, PersistentVolume, PersistentVolumeClaim, StorageClass } from './types.ts';

export interface ProvisionOptions {
  /** Name that the volume must get: `pvc-<claim uid>`. */
  readonly volumeName: string;
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
}

/** `done`: the data is gone. `waiting`: a later event continues (a recycler pod still runs). */
export type RecycleResult = 'done' | 'waiting';

export interface VolumePlugin {
  /** Such as `kubernetes.io/host-path`. */
  readonly name: string;
  readonly supportsMountOptions: boolean;
  /** True for the volume sources that are this plugin's own. */
  supports(volume: PersistentVolume): boolean;
  /** Recycling acts on the cluster alone (pods), so that observe mode can run it over a recording one. */
  readonly recyclesByPod?: boolean;
  /** One re-entrant step of scrubbing. Throws when the attempt failed; the next sync starts a new one. */
  recycle?(volume: PersistentVolume): Promise<RecycleResult>;
  /** Ends a recycling that is over, or whose volume was taken back: nothing of it may run on. Acts on the cluster alone. */
  cleanUpRecycle?(volume: PersistentVolume): Promise<void>;
  /** The volume is gone: ends a recycling that it left behind. */
  forgetVolume?(volumeName: string): Promise<void>;
  /** Builds a deleter; throws when it cannot. The deleter destroys the backing storage. */
  newDeleter?(volume: PersistentVolume): () => Promise<void>;
  /**
   * Builds a provisioner; throws when it cannot. The provisioner makes the storage, on the node that the scheduler
   * selected if it did, and returns the bare volume.
   */
  newProvisioner?(options: ProvisionOptions): (node?: Node) => Promise<PersistentVolume>;
}

/** Thrown by a deleter whose volume is still attached: no failure, tried again later (BEHAVIOUR 7.2 step 7). */
export class VolumeInUseError extends Error {
  override readonly name = 'VolumeInUseError';
}

/** The registered plugins, with upstream's look-up errors. */
export class PluginRegistry {
  readonly #plugins: readonly VolumePlugin[];

  constructor(plugins: readonly VolumePlugin[] = []) {
    this.#plugins = plugins;
  }

  all(): readonly VolumePlugin[] {
    return this.#plugins;
  }

  byName(name: string): VolumePlugin | undefined {
    return this.#plugins.find((plugin) => plugin.name === name);
  }

  /** @throws Error `no volume plugin matched` or `multiple volume plugins matched: …`. */
  bySource(volume: PersistentVolume): VolumePlugin {
    const matches = this.#plugins.filter((plugin) => plugin.supports(volume));
    const [first] = matches;
    if (first === undefined) throw new Error('no volume plugin matched');
    if (matches.length > 1) throw new Error(`multiple volume plugins matched: ${matches.map((p) => p.name).join(',')}`);
    return first;
  }
}
