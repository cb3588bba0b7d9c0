/** The objects that these tests create, and a look at what became of them. */
import type { ApiServerCluster } from '../../lib/cluster/api-server.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../lib/controller/types.ts';

type VolumeSpec = PersistentVolume['spec'];
type ClaimSpec = PersistentVolumeClaim['spec'];
type More<T> = Partial<T> & { readonly annotations?: Record<string, string> };

/** A hostPath volume of 1Gi, policy Retain. */
export function volume(name: string, { annotations, ...spec }: More<VolumeSpec> = {}): PersistentVolume {
  const hasSource = spec.csi !== undefined || spec.awsElasticBlockStore !== undefined || spec.nfs !== undefined;
  return {
    metadata: { name, ...(annotations && { annotations }) },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      ...(!hasSource && { hostPath: { path: `/tmp/e2e/${name}` } }),
      ...spec,
    },
  };
}

/** A claim for 1Gi in the namespace `default`. */
export function claim(name: string, { annotations, ...spec }: More<ClaimSpec> = {}): PersistentVolumeClaim {
  return {
    metadata: { name, namespace: 'default', ...(annotations && { annotations }) },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      resources: { requests: { storage: '1Gi' } },
      ...spec,
    },
  };
}

/** A volume's source at a CSI driver. */
export function csi(handle: string): Pick<VolumeSpec, 'csi'> {
  return { csi: { driver: 'ebs.csi.aws.com', volumeHandle: handle } };
}

/** Reads and writes of these tests, by name. */
export class Objects {
  readonly #cluster: ApiServerCluster;

  constructor(cluster: ApiServerCluster) {
    this.#cluster = cluster;
  }

  createVolume(name: string, more: More<VolumeSpec> = {}): Promise<PersistentVolume> {
    return this.#cluster.create('PersistentVolume', volume(name, more));
  }

  createClaim(name: string, more: More<ClaimSpec> = {}): Promise<PersistentVolumeClaim> {
    return this.#cluster.create('PersistentVolumeClaim', claim(name, more));
  }

  /** @throws Error when there is none. */
  async volume(name: string): Promise<PersistentVolume> {
    return found(await this.#cluster.get('PersistentVolume', { name }), `volume ${name}`);
  }

  /** @throws Error when there is none. */
  async claim(name: string): Promise<PersistentVolumeClaim> {
    return found(await this.#cluster.get('PersistentVolumeClaim', { namespace: 'default', name }), `claim ${name}`);
  }

  async deleteClaim(name: string): Promise<void> {
    await this.#cluster.delete('PersistentVolumeClaim', await this.claim(name));
  }

  /** `claim -> volume` with both phases, such as `Bound one <-> pv-1 Bound`; what differs on the two sides shows. */
  async pair(claimName: string, volumeName: string): Promise<string> {
    const [{ spec, status }, bound] = await Promise.all([this.claim(claimName), this.volume(volumeName)]);
    const back = bound.spec.claimRef?.name ?? 'nobody';
    return `${status?.phase} ${back} <-> ${spec.volumeName ?? 'nothing'} ${bound.status?.phase}`;
  }
}

/** What `Objects.pair` says of a pair that is bound to each other. */
export function boundPair(claimName: string, volumeName: string): string {
  return `Bound ${claimName} <-> ${volumeName} Bound`;
}

function found<T>(object: T | undefined, what: string): T {
  if (object === undefined) throw new Error(`there is no ${what}`);
  return object;
}
