/** Who makes and deletes the objects. Its requests are counted, so that they can be told from the contender's. */
import { ApiServerCluster } from '../../../lib/cluster/api-server.ts';
import { connectionFromKubeconfig } from '../../../lib/cluster/kubeconfig.ts';
import type { RequestInfo } from '../../../lib/cluster/request.ts';
import type { ControlPlane } from '../../control-plane/harness.ts';
import type { Requests } from '../meters/api-requests.ts';
import { inLanes } from './lanes.ts';
import { Observer } from './observer.ts';

/** Requests of the driver under way at one time. */
export const driverLanes = 16;

export class Driver {
  /** It is `admin`, goes past the proxy, and is no contender. */
  readonly cluster: ApiServerCluster;
  readonly observer: Observer;
  readonly #requests: Map<string, number>;

  private constructor(cluster: ApiServerCluster, observer: Observer, requests: Map<string, number>) {
    this.cluster = cluster;
    this.observer = observer;
    this.#requests = requests;
  }

  static async start(plane: ControlPlane): Promise<Driver> {
    const requests = new Map<string, number>();
    const onRequest = (info: RequestInfo) => {
      const name = nameOf(info);
      requests.set(name, (requests.get(name) ?? 0) + 1);
    };
    const connection = connectionFromKubeconfig({ file: plane.kubeconfig() });
    const cluster = new ApiServerCluster(connection, { onRequest, requestTimeoutMs: 30_000 });
    return new Driver(cluster, await Observer.start(cluster), requests);
  }

  /** All requests so far, in the words of the API server's metrics. */
  requests(): Requests {
    return new Map(this.#requests);
  }

  /** Deletes all volumes and claims. Whoever follows them should be held meanwhile: it is no part of any job. */
  async clear(): Promise<void> {
    for (const kind of ['PersistentVolumeClaim', 'PersistentVolume'] as const) {
      const all = await this.cluster.list(kind);
      await inLanes(all.length, driverLanes, async (index) => {
        const { name, namespace } = all[index]?.metadata ?? { name: '' };
        await this.cluster.delete(kind, { metadata: { name, ...(namespace && { namespace }) } } as never);
      });
    }
  }

  async stop(): Promise<void> {
    await this.observer.stop();
    this.cluster.close();
  }
}

function nameOf({ method, resource = '', subresource, name }: RequestInfo): string {
  // Within a job the driver lists nothing; a collection that is got is a watch being opened again.
  const verb = method === 'GET' && name === undefined ? 'WATCH' : method;
  return `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
}
