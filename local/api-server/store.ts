import { type Change, Collection } from './collection.ts';
import { type ApiObject, deepFreeze } from './json.ts';
import { resources, storageKey } from './resources.ts';

export type Listener = (change: Change) => void;

/**
 * What etcd is to the real server: objects by key, one revision counter for everything, a bounded history.
 * It knows no rules; `operations.ts` does.
 */
export class ObjectStore {
  readonly #collections: ReadonlyMap<string, Collection>;
  readonly #listeners = new Map<string, Set<Listener>>();
  #revision = 1;

  /** `historySize`: how many changes of each resource a watch can go back. */
  constructor(historySize: number) {
    this.#collections = new Map(resources.map(({ plural }) => [plural, new Collection(historySize)]));
  }

  /** The revision of the latest change, which is the resourceVersion of a list taken now. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * One object, frozen.
   *
   * @example
   * server.store.get<PersistentVolume>('persistentvolumes', { name: 'volume-1' })?.status?.phase;
   */
  get<T = ApiObject>(plural: string, key: { namespace?: string | undefined; name: string }): T | undefined {
    return this.collection(plural).get(storageKey(key.namespace, key.name)) as T | undefined;
  }

  /** All objects of a resource, of one namespace if it is given, in the order of their keys. */
  list<T = ApiObject>(plural: string, namespace?: string): readonly T[] {
    const all = this.collection(plural).list();
    const some = namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace);
    return some as readonly T[];
  }

  /** Stores a new state (`undefined`: removes the object) under the next revision and tells the watches. */
  commit(plural: string, key: string, next: ApiObject | undefined): ApiObject {
    const collection = this.collection(plural);
    const previous = collection.get(key);
    const source = next ?? previous;
    if (source === undefined) throw new Error(`${plural} ${key} cannot be removed: it does not exist`);
    const revision = ++this.#revision;
    const object = deepFreeze({ ...source, metadata: { ...source.metadata, resourceVersion: String(revision) } });
    const type = next === undefined ? 'DELETED' : previous === undefined ? 'ADDED' : 'MODIFIED';
    const change: Change = { type, key, revision, object, previous };
    collection.apply(change);
    for (const listener of [...(this.#listeners.get(plural) ?? [])]) listener(change);
    return object;
  }

  /** Calls `listener` for each later change of a resource; the returned function ends that. */
  subscribe(plural: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(plural) ?? new Set();
    this.#listeners.set(plural, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** Forgets all history, so that every resourceVersion before the present one is too old. */
  compact(): void {
    for (const collection of this.#collections.values()) collection.compact(this.#revision);
  }

  /** The objects and history of one resource. */
  collection(plural: string): Collection {
    const collection = this.#collections.get(plural);
    if (collection === undefined) throw new Error(`the local API server has no resource ${plural}`);
    return collection;
  }
}
