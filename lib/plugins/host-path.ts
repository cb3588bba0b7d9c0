/**
 * `kubernetes.io/host-path`: recycles through a pod. Deleting and provisioning need the host's own disk, so they are an
 * extra of the local run; a Lambda has no host (DESIGN D12).
 */
import type { ProvisionOptions, RecycleResult, VolumePlugin } from '../controller/plugins.ts';
import type { PersistentVolume } from '../controller/types.ts';
import type { RecyclerPodSettings, RecyclerPods } from './recycler-pod.ts';

/** The host's disk, where there is one. */
export interface HostDisk {
  /** Makes a directory, mode 0750, with its parents. */
  makeDirectory(path: string): Promise<void>;
  /** Removes a directory with all that is in it. */
  removeDirectory(path: string): Promise<void>;
  /** A fresh random uuid. */
  uuid(): string;
}

export interface HostPathOptions {
  readonly pods: RecyclerPods;
  readonly settings: RecyclerPodSettings;
  readonly disk?: HostDisk;
  /** BEHAVIOUR 1.4 `enable-hostpath-provisioner`. */
  readonly provisioning?: boolean;
}

const NAME = 'kubernetes.io/host-path';
const PROVISION_FOLDER = '/tmp/hostpath_pv';

export class HostPathPlugin implements VolumePlugin {
  readonly name = NAME;
  readonly supportsMountOptions = false;
  readonly recyclesByPod = true;
  readonly newDeleter?: (volume: PersistentVolume) => () => Promise<void>;
  readonly newProvisioner?: (options: ProvisionOptions) => () => Promise<PersistentVolume>;
  readonly #options: HostPathOptions;

  constructor(options: HostPathOptions) {
    this.#options = options;
    const { disk, provisioning = false } = options;
    if (disk === undefined) return;
    this.newDeleter = (volume) => () => deleteFolder(disk, volume);
    this.newProvisioner = (request) => {
      if (!provisioning) throw new Error(`provisioning in volume plugin "${NAME}" is disabled`);
      return () => provisionFolder(disk, request);
    };
  }

  supports(volume: PersistentVolume): boolean {
    return volume.spec.hostPath !== undefined;
  }

  async recycle(volume: PersistentVolume): Promise<RecycleResult> {
    const path = volume.spec.hostPath?.path ?? '';
    return await this.#options.pods.step(volume, { hostPath: { path } }, this.#options.settings);
  }

  async cleanUpRecycle(volume: PersistentVolume): Promise<void> {
    await this.#options.pods.cleanUp(volume, this.#options.settings);
  }

  async forgetVolume(volumeName: string): Promise<void> {
    await this.#options.pods.forget(volumeName, this.#options.settings);
  }
}

/** Only below `/tmp/`, never `/tmp` itself, and never out of it again by `..`. */
async function deleteFolder(disk: HostDisk, volume: PersistentVolume): Promise<void> {
  const path = volume.spec.hostPath?.path ?? '';
  const [tmp, ...below] = path.split('/').filter((part) => part !== '');
  if (!path.startsWith('/tmp/') || tmp !== 'tmp' || below.length === 0 || below.some((p) => p === '.' || p === '..')) {
    throw new Error(`host_path deleter only supports /tmp/.+ but received provided ${path}`);
  }
  await disk.removeDirectory(path);
}

async function provisionFolder(disk: HostDisk, request: ProvisionOptions): Promise<PersistentVolume> {
  const { claim, storageClass, volumeName } = request;
  if (claim.spec.volumeMode === 'Block') throw new Error(`${NAME} does not support block volume provisioning`);
  const path = `${PROVISION_FOLDER}/${disk.uuid()}`;
  await disk.makeDirectory(path);
  return {
    metadata: {
      name: volumeName,
      annotations: { 'kubernetes.io/createdby': 'hostpath-dynamic-provisioner' },
    },
    spec: {
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      accessModes: claim.spec.accessModes?.length ? claim.spec.accessModes : ['ReadWriteOnce'],
      capacity: { storage: claim.spec.resources?.requests?.['storage'] ?? '0' },
      hostPath: { path },
    },
  };
}
