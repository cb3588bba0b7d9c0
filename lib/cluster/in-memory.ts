/**
 * A cluster in memory, for tests. Its rules are those of the fake API behind the conformance data (BEHAVIOUR appendix
 * A): updates replace the whole object, a write must carry the stored resourceVersion, an identical object gets no new
 * version, a delete removes at once. What a real API server adds is in local/api-server.
 */
import { isDeepStrictEqual } from 'node:util';
import { AlreadyExistsError, ConflictError, NotFoundError } from '../controller/errors.ts';
import type { Cluster, ObjectEvent } from '../controller/ports.ts';
import type { Kind, Kinds, ObjectKey } from '../controller/types.ts';

export type Verb = 'get' | 'list' | 'create' | 'update' | 'delete';

/** A write that was accepted, with the object as stored by it (of a delete: as it was last). */
export interface Write {
  readonly verb: 'create' | 'update' | 'updateStatus' | 'delete';
  readonly kind: Kind;
  readonly object: Kinds[Kind];
}

const PLURALS: Record<Kind, string> = {
  PersistentVolume: 'persistentvolumes',
  PersistentVolumeClaim: 'persistentvolumeclaims',
  StorageClass: 'storageclasses',
  Pod: 'pods',
  Node: 'nodes',
  Event: 'events',
};

/** The controller's cluster port over a map; `events` and `writes` are what the controller did there. */
export class InMemoryCluster implements Cluster {
  readonly events: ObjectEvent[] = [];
  readonly writes: Write[] = [];
  /** Called before every call; whatever it throws is the call's result. */
  before: (verb: Verb, resource: string) => void = () => {};
  readonly #objects = new Map<string, Kinds[Kind]>();

  /** Puts an object in as it is, without any rule. */
  put<K extends Kind>(kind: K, object: Kinds[K]): void {
    this.#objects.set(keyOf(kind, object.metadata), structuredClone(object));
  }

  /** Takes an object out without any rule. */
  remove(kind: Kind, key: ObjectKey): void {
    this.#objects.delete(keyOf(kind, key));
  }

  /** What is stored, in the order in which it came. */
  all<K extends Kind>(kind: K): Kinds[K][] {
    return [...this.#objects].filter(([key]) => key.startsWith(`${kind}/`)).map(([, object]) => object as Kinds[K]);
  }

  async get<K extends Kind>(kind: K, key: ObjectKey): Promise<Kinds[K] | undefined> {
    this.before('get', PLURALS[kind]);
    return structuredClone(this.#objects.get(keyOf(kind, key)) as Kinds[K] | undefined);
  }

  async list<K extends Kind>(kind: K, options: { namespace?: string } = {}): Promise<Kinds[K][]> {
    this.before('list', PLURALS[kind]);
    const { namespace } = options;
    const objects = this.all(kind).filter((o) => namespace === undefined || o.metadata.namespace === namespace);
    return structuredClone(objects);
  }

  async create<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    this.before('create', PLURALS[kind]);
    if (this.#objects.has(keyOf(kind, object.metadata))) {
      throw new AlreadyExistsError(`${PLURALS[kind]} "${object.metadata.name}" already exists`, { code: 409 });
    }
    const stored = structuredClone(object);
    if (kind === 'PersistentVolume') (stored as Kinds['PersistentVolume']).spec.volumeMode ??= 'Filesystem';
    this.#objects.set(keyOf(kind, stored.metadata), stored);
    this.writes.push({ verb: 'create', kind, object: stored });
    return structuredClone(stored);
  }

  async update<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    return this.#replace('update', kind, object);
  }

  async updateStatus<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    return this.#replace('updateStatus', kind, object);
  }

  async delete<K extends Kind>(kind: K, object: Kinds[K]): Promise<void> {
    this.before('delete', PLURALS[kind]);
    const stored = this.#objects.get(keyOf(kind, object.metadata));
    if (stored === undefined) return;
    this.#assertVersion(kind, stored, object);
    this.#objects.delete(keyOf(kind, object.metadata));
    this.writes.push({ verb: 'delete', kind, object: stored });
  }

  async event(event: ObjectEvent): Promise<void> {
    this.events.push(event);
  }

  #replace<K extends Kind>(verb: 'update' | 'updateStatus', kind: K, object: Kinds[K]): Kinds[K] {
    this.before('update', PLURALS[kind]);
    const stored = this.#objects.get(keyOf(kind, object.metadata)) as Kinds[K] | undefined;
    if (stored === undefined) {
      throw new NotFoundError(`${PLURALS[kind]} "${object.metadata.name}" not found`, { code: 404 });
    }
    this.#assertVersion(kind, stored, object);
    if (isDeepStrictEqual(stored, object)) return structuredClone(stored);
    const replaced = structuredClone(object);
    replaced.metadata.resourceVersion = String(Number(stored.metadata.resourceVersion || '0') + 1);
    this.#objects.set(keyOf(kind, object.metadata), replaced);
    this.writes.push({ verb, kind, object: structuredClone(replaced) });
    return structuredClone(replaced);
  }

  #assertVersion(kind: Kind, stored: Kinds[Kind], object: Kinds[Kind]): void {
    if ((stored.metadata.resourceVersion || '0') === (object.metadata.resourceVersion || '0')) return;
    throw new ConflictError(
      `Operation cannot be fulfilled on ${PLURALS[kind]} "${object.metadata.name}": it was changed`,
      {
        code: 409,
        reason: 'Conflict',
      },
    );
  }
}

function keyOf(kind: Kind, { namespace = '', name }: ObjectKey): string {
  return `${kind}/${namespace}/${name}`;
}
