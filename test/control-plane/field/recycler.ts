/** The node that recycler pods of a scenario run on: in name only, and under the scenario's command. */
import type { Pod } from '../../../lib/controller/types.ts';
import { recyclerPodName } from '../../../lib/plugins/recycler-pod.ts';
import { eventually } from '../objects.ts';
import type { Place } from './place.ts';

export class RecyclerNode {
  readonly #place: Place;
  readonly #namespace: string;

  constructor(place: Place, namespace: string | undefined) {
    this.#place = place;
    this.#namespace = namespace ?? 'default';
  }

  /** Waits for the pod that recycles this volume, another than those given. */
  async untilPod(volumeName: string, ...not: readonly Pod[]): Promise<Pod> {
    return await eventually(`recycler pod for ${volumeName}`, async () => {
      const { status, body } = await this.#place.client.request<Pod>('GET', this.path(volumeName));
      return status === 200 && !not.some(({ metadata }) => metadata.uid === body.metadata.uid) && body;
    });
  }

  /** What a kubelet does at the end of a pod, of this very one. */
  async end({ metadata }: Pod, status: { phase: 'Succeeded' | 'Failed'; message?: string }): Promise<void> {
    const path = `/api/v1/namespaces/${this.#namespace}/pods/${metadata.name}/status`;
    await this.#place.request('PATCH', path, { metadata: { uid: metadata.uid }, status });
  }

  /** What a kubelet tells of a pod. */
  async tell({ metadata }: Pod, type: 'Normal' | 'Warning', reason: string, message: string): Promise<void> {
    const { name, uid, namespace } = metadata;
    await this.#place.request('POST', `/api/v1/namespaces/${this.#namespace}/events`, {
      metadata: { generateName: 'kubelet-' },
      involvedObject: { kind: 'Pod', apiVersion: 'v1', name, uid, namespace },
      source: { component: 'kubelet' },
      type,
      reason,
      message,
    });
  }

  /** A pod with the name of a volume's recycler pod, as a user can make one who may make pods there. */
  async forge(volumeName: string, finalizers: readonly string[] = []): Promise<Pod> {
    const path = `/api/v1/namespaces/${this.#namespace}/pods`;
    const forged = await this.#place.request<Pod>('POST', path, {
      metadata: { name: recyclerPodName(volumeName), finalizers },
      spec: { restartPolicy: 'Never', containers: [{ name: 'pv-recycler', image: 'example.com/none' }] },
    });
    await this.end(forged, { phase: 'Succeeded' });
    return forged;
  }

  /** Puts a forged pod in the place of the one that is there, quicker than the controller makes another. */
  async replace(volumeName: string): Promise<Pod> {
    return await eventually(`a forged pod for ${volumeName}`, async () => {
      await this.#place.client.request('DELETE', `${this.path(volumeName)}?gracePeriodSeconds=0`);
      return await this.forge(volumeName).catch(() => undefined);
    });
  }

  path(volumeName: string): string {
    return `/api/v1/namespaces/${this.#namespace}/pods/${recyclerPodName(volumeName)}`;
  }
}
