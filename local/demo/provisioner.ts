/**
 * A stand-in for a CSI driver's external-provisioner: makes volumes for claims that name it, and deletes Released volumes
 * with policy Delete that are its own. It shows who does what: the controller asks and marks, and never touches a disk.
 */
import type { ApiServerCluster } from '../../lib/cluster/api-server.ts';
import {
  annotationOf,
  EXTERNAL_FINALIZER,
  PROVISIONED_BY,
  STORAGE_PROVISIONER,
} from '../../lib/controller/annotations.ts';
import { AlreadyExistsError, ConflictError } from '../../lib/controller/errors.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../lib/controller/types.ts';
import { follow } from './follow.ts';

export const DRIVER = 'disk.demo.example';
export const CLASS = 'standard';

export class ExternalProvisioner {
  readonly #cluster: ApiServerCluster;
  readonly #tell: (does: string) => void;
  readonly #onError: (error: unknown) => void;
  /** Its storage system. */
  readonly #disks = new Set<string>();
  readonly #jobs = new Set<string>();

  constructor(cluster: ApiServerCluster, tell: (does: string) => void, onError: (error: unknown) => void) {
    this.#cluster = cluster;
    this.#tell = tell;
    this.#onError = onError;
  }

  /** What it works on right now. */
  get job(): string | undefined {
    return this.#jobs.values().next().value;
  }

  hasDisk(volumeName: string): boolean {
    return this.#disks.has(volumeName);
  }

  async start(signal: AbortSignal): Promise<void> {
    const common = { signal, onError: this.#onError };
    await Promise.all([
      follow(this.#cluster, 'PersistentVolumeClaim', {
        ...common,
        onChange: (type, claim) => {
          if (type !== 'DELETED' && wantsVolume(claim)) this.#work(volumeNameOf(claim), () => this.#provision(claim));
        },
      }),
      follow(this.#cluster, 'PersistentVolume', {
        ...common,
        onChange: (type, volume) => {
          if (type !== 'DELETED' && isToDelete(volume)) this.#work(volume.metadata.name, () => this.#delete(volume));
        },
      }),
    ]);
  }

  /** One job per volume at a time, as the original has it. */
  #work(volumeName: string, job: () => Promise<void>): void {
    if (this.#jobs.has(volumeName)) return;
    this.#jobs.add(volumeName);
    const done = job().finally(() => this.#jobs.delete(volumeName));
    done.catch((error: unknown) => this.#onError(error));
  }

  async #provision(claim: PersistentVolumeClaim): Promise<void> {
    const { namespace, name, uid = '', resourceVersion = '' } = claim.metadata;
    const storageClass = await this.#cluster.get('StorageClass', { name: claim.spec.storageClassName ?? '' });
    if (storageClass?.provisioner !== DRIVER) return;
    const volumeName = volumeNameOf(claim);
    this.#disks.add(volumeName);
    this.#tell(`makes a disk and volume ${volumeName} for claim ${namespace}/${name}`);
    const volume: PersistentVolume = {
      metadata: {
        name: volumeName,
        annotations: { [PROVISIONED_BY]: DRIVER },
        finalizers: [EXTERNAL_FINALIZER],
      },
      spec: {
        accessModes: claim.spec.accessModes ?? [],
        capacity: { storage: claim.spec.resources?.requests?.['storage'] ?? '1Gi' },
        persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
        storageClassName: storageClass.metadata.name,
        csi: { driver: DRIVER, volumeHandle: volumeName },
        claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion },
      },
    };
    try {
      await this.#cluster.create('PersistentVolume', volume);
    } catch (error) {
      if (!(error instanceof AlreadyExistsError)) throw error;
    }
  }

  /** The disk first, then the object, then the finalizer that held the object until the disk was gone. */
  async #delete({ metadata: { name } }: PersistentVolume): Promise<void> {
    if (this.#disks.delete(name)) this.#tell(`deletes the disk of ${name}, then the volume`);
    for (;;) {
      const volume = await this.#cluster.get('PersistentVolume', { name });
      if (volume === undefined || !isToDelete(volume)) return;
      try {
        if (volume.metadata.deletionTimestamp === undefined) {
          await this.#cluster.delete('PersistentVolume', volume);
        } else {
          const finalizers = (volume.metadata.finalizers ?? []).filter((finalizer) => finalizer !== EXTERNAL_FINALIZER);
          await this.#cluster.update('PersistentVolume', { ...volume, metadata: { ...volume.metadata, finalizers } });
        }
      } catch (error) {
        // The protection controller takes its own finalizer off at the same time.
        if (!(error instanceof ConflictError)) throw error;
      }
    }
  }
}

function wantsVolume(claim: PersistentVolumeClaim): boolean {
  return annotationOf(claim, STORAGE_PROVISIONER) === DRIVER && !claim.spec.volumeName;
}

/** Never a volume that is merely Failed or Available, and never somebody else's. */
function isToDelete({ metadata, spec, status }: PersistentVolume): boolean {
  const isOwn = metadata.annotations?.[PROVISIONED_BY] === DRIVER;
  const isHeld = metadata.finalizers?.includes(EXTERNAL_FINALIZER) ?? false;
  const isMine = isOwn && (isHeld || metadata.deletionTimestamp === undefined);
  return isMine && status?.phase === 'Released' && spec.persistentVolumeReclaimPolicy === 'Delete';
}

function volumeNameOf(claim: PersistentVolumeClaim): string {
  return `pvc-${claim.metadata.uid}`;
}
