/** What the StorageClasses of a cluster say about modes, remembered for a short while by each environment. */
import { annotationOf } from '../controller/annotations.ts';
import type { Cluster } from '../controller/ports.ts';
import type { StorageClass } from '../controller/types.ts';
import { MODE_ANNOTATION } from './mode.ts';

/** A change of a class' annotation counts after this time at the latest. */
const TTL_MS = 30_000;
/** More classes than any cluster has; a name that users make up is forgotten again. */
const MAX_CLASSES = 1_000;

interface Known {
  readonly value: string | undefined;
  readonly readAt: number;
}

/** The annotation of each class, read when it is first needed. */
export class ClassModes {
  readonly #known = new Map<string, Known>();
  readonly #now: () => number;

  /** @param now milliseconds since the epoch. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /**
   * @param name of a class; empty, or of one that does not exist: nothing is asked for.
   * @throws ClusterError when it has to be read and cannot be: then nobody knows the mode, and nothing may be written.
   */
  async annotationOf(name: string, cluster: Pick<Cluster, 'get'>): Promise<string | undefined> {
    if (name === '') return undefined;
    const known = this.#known.get(name);
    const readAt = this.#now();
    if (known !== undefined && readAt - known.readAt < TTL_MS) return known.value;
    return this.learn(name, await cluster.get('StorageClass', { name }), readAt);
  }

  /** Takes what a sync has just read anyway. @param storageClass undefined: there is none. */
  learn(name: string, storageClass: StorageClass | undefined, readAt = this.#now()): string | undefined {
    const value = storageClass && annotationOf(storageClass, MODE_ANNOTATION);
    this.#known.delete(name);
    this.#known.set(name, { value, readAt });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_CLASSES) break;
      this.#known.delete(oldest);
    }
    return value;
  }
}
