/** Somebody with kubectl: makes, edits and deletes volumes and claims, and looks at them. */
import { ConflictError } from '../../lib/controller/errors.ts';
import type { Cluster } from '../../lib/controller/ports.ts';
import type { Kinds, ObjectKey, PersistentVolume, PersistentVolumeClaim } from '../../lib/controller/types.ts';

type Paired = 'PersistentVolume' | 'PersistentVolumeClaim';

export interface VolumeOptions {
  readonly policy?: 'Retain' | 'Delete' | 'Recycle';
  /** Reserved for this claim, `namespace/name`. */
  readonly reservedFor?: string;
}

export class User {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** A disk of the node, written down as a volume of no class. */
  async createVolume(name: string, size: string, { policy = 'Retain', reservedFor }: VolumeOptions = {}) {
    return await this.#cluster.create('PersistentVolume', {
      metadata: { name },
      spec: {
        capacity: { storage: size },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: policy,
        hostPath: { path: pathOf(name) },
        ...(reservedFor !== undefined && { claimRef: { kind: 'PersistentVolumeClaim', ...keyOf(reservedFor) } }),
      },
    });
  }

  /** @param claim `namespace/name`. @param storageClass none unless given: an existing volume or nothing. */
  async createClaim(claim: string, size: string, storageClass = '') {
    return await this.#cluster.create('PersistentVolumeClaim', {
      metadata: keyOf(claim),
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: storageClass,
        resources: { requests: { storage: size } },
      },
    });
  }

  async volume(name: string): Promise<PersistentVolume | undefined> {
    return await this.#cluster.get('PersistentVolume', { name });
  }

  async claim(claim: string): Promise<PersistentVolumeClaim | undefined> {
    return await this.#cluster.get('PersistentVolumeClaim', keyOf(claim));
  }

  /** As `kubectl edit`, which starts again when somebody else was faster. @throws Error when it does not exist. */
  async editVolume(name: string, change: (volume: PersistentVolume) => PersistentVolume): Promise<void> {
    for (;;) {
      const volume = await this.#existing('PersistentVolume', { name });
      try {
        await this.#cluster.update('PersistentVolume', change(volume));
        return;
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
      }
    }
  }

  /** As `kubectl delete`, whatever its version. */
  async deleteClaim(claim: string): Promise<void> {
    const { metadata } = await this.#existing('PersistentVolumeClaim', keyOf(claim));
    const { resourceVersion: _any, ...identity } = metadata;
    await this.#cluster.delete('PersistentVolumeClaim', { metadata: identity, spec: {} });
  }

  /** The reasons of the events about an object. */
  async eventsAbout(uid: string): Promise<string[]> {
    const events = await this.#cluster.list('Event', { fieldSelector: `involvedObject.uid=${uid}` });
    return events.map(({ reason = '' }) => reason);
  }

  async #existing<K extends Paired>(kind: K, key: ObjectKey): Promise<Kinds[K]> {
    const object = await this.#cluster.get(kind, key);
    if (object === undefined) throw new Error(`${kind} ${key.name} does not exist`);
    return object;
  }
}

/** Where a volume's folder is on the node. */
export function pathOf(volumeName: string): string {
  return `/mnt/disks/${volumeName}`;
}

/** Of `namespace/name`. */
export function keyOf(claim: string): { namespace: string; name: string } {
  const [namespace = '', name = ''] = claim.split('/');
  return { namespace, name };
}
