/** A cluster in memory whose pods get a uid when they are created, as an API server's do: pod-1, pod-2, … */
import { InMemoryCluster } from '../../cluster/in-memory.ts';
import type { Kind, Kinds, Pod } from '../../controller/types.ts';

export class PodCluster extends InMemoryCluster {
  #pods = 0;

  override async create<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    if (kind !== 'Pod') return await super.create(kind, object);
    const pod = structuredClone(object) as Pod;
    pod.metadata.uid = `pod-${++this.#pods}`;
    return await super.create(kind, pod as Kinds[K]);
  }

  /** The one pod's own progress. */
  podIs(phase: string, message?: string): void {
    const [pod] = this.all('Pod');
    if (pod === undefined) throw new Error('no pod');
    this.put('Pod', { ...pod, status: { phase, ...(message === undefined ? {} : { message }) } });
  }
}
