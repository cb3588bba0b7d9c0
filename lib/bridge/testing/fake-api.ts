/**
 * An API server in memory for the bridge's tests: one numbering of versions, lists, watches that can be cut, broken or
 * too old, and the controller's `Cluster` port, so that the real syncs can run against it.
 */
import { ConflictError } from '../../controller/errors.ts';
import type { Cluster } from '../../controller/ports.ts';
import type { Kind, Kinds, ObjectKey } from '../../controller/types.ts';
import type { WatchEvent, WatchedKind, WatchSource } from '../ports.ts';

interface Logged {
  readonly kind: Kind;
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Kinds[Kind];
}

export class FakeApi implements WatchSource, Cluster {
  version = 100;
  /** Milliseconds that a call of the `Cluster` port takes. */
  latencyMs = 0;
  writes = 0;
  readonly lists: WatchedKind[] = [];
  readonly watches: { readonly kind: WatchedKind; readonly from: string }[] = [];
  /** Thrown by the next calls, one each. */
  readonly listErrors: Error[] = [];
  readonly watchErrors: Error[] = [];
  /** While set, lists of that kind do not come back. */
  listHeld: WatchedKind | undefined;
  readonly #objects = new Map<string, Kinds[Kind]>();
  readonly #log: Logged[] = [];
  readonly #bookmarks: number[] = [];
  #oldest = 0;
  #round = 0;
  #wakeups: (() => void)[] = [];

  /** Creates or replaces an object, whatever its version. */
  put<K extends Kind>(kind: K, object: Kinds[K]): Kinds[K] {
    const key = keyOf(kind, object.metadata);
    const before = this.#objects.get(key);
    const stored = structuredClone(object);
    stored.metadata.resourceVersion = String(++this.version);
    stored.metadata.uid ??= before?.metadata.uid ?? `uid-${object.metadata.name}-${this.version}`;
    stored.metadata.creationTimestamp ??= new Date(this.version * 1_000).toISOString();
    this.#objects.set(key, stored);
    this.#tell({ kind, version: this.version, type: before === undefined ? 'ADDED' : 'MODIFIED', object: stored });
    return structuredClone(stored);
  }

  remove(kind: Kind, key: ObjectKey): void {
    const stored = this.#objects.get(keyOf(kind, key));
    if (stored === undefined) return;
    this.#objects.delete(keyOf(kind, key));
    const object = structuredClone(stored);
    object.metadata.resourceVersion = String(++this.version);
    this.#tell({ kind, version: this.version, type: 'DELETED', object });
  }

  all<K extends Kind>(kind: K): Kinds[K][] {
    return [...this.#objects].filter(([key]) => key.startsWith(`${kind}/`)).map(([, object]) => object as Kinds[K]);
  }

  read<K extends Kind>(kind: K, key: ObjectKey): Kinds[K] | undefined {
    return structuredClone(this.#objects.get(keyOf(kind, key)) as Kinds[K] | undefined);
  }

  /** Ends all watches, as a server does from time to time. */
  cutWatches(): void {
    this.#round++;
    this.#notify();
  }

  /** Ends all watches and forgets the changes so far: who goes on from before gets a 410. */
  expire(): void {
    this.#oldest = this.version;
    this.cutWatches();
  }

  /** Tells all watches that they are up to date. */
  bookmark(): void {
    this.#bookmarks.push(++this.version);
    this.#notify();
  }

  async listWithVersion<K extends WatchedKind>(
    kind: K,
    { signal }: { signal: AbortSignal },
    map: (item: Kinds[K]) => Kinds[K],
  ): Promise<{ items: Kinds[K][]; resourceVersion: string }> {
    this.lists.push(kind);
    const error = this.listErrors.shift();
    if (error !== undefined) throw error;
    while (this.listHeld === kind && !signal.aborted) await this.#change(signal);
    return { items: structuredClone(this.all(kind)).map(map), resourceVersion: String(this.version) };
  }

  async *watch<K extends WatchedKind>(
    kind: K,
    {
      resourceVersion,
      signal,
      onOpen,
    }: { resourceVersion: string; signal: AbortSignal; withManagers?: boolean; onOpen: () => void },
  ): AsyncGenerator<WatchEvent<Kinds[K]>> {
    this.watches.push({ kind, from: resourceVersion });
    const error = this.watchErrors.shift();
    if (error !== undefined) throw error;
    if (Number(resourceVersion) < this.#oldest) throw Object.assign(new Error('too old'), { code: 410 });
    onOpen();
    const round = this.#round;
    let next = this.#log.findIndex(({ version }) => version > Number(resourceVersion));
    if (next < 0) next = this.#log.length;
    let bookmarks = this.#bookmarks.length;
    while (!signal.aborted && this.#round === round) {
      for (; next < this.#log.length && this.#round === round; next++) {
        const entry = this.#log[next];
        if (entry?.kind !== kind) continue;
        yield { type: entry.type, object: structuredClone(entry.object) as Kinds[K] };
      }
      for (; bookmarks < this.#bookmarks.length; bookmarks++) {
        const version = String(this.#bookmarks[bookmarks]);
        yield { type: 'BOOKMARK', object: { metadata: { resourceVersion: version } } };
      }
      if (this.#round === round && next === this.#log.length) await this.#change(signal);
    }
  }

  async get<K extends Kind>(kind: K, key: ObjectKey): Promise<Kinds[K] | undefined> {
    await this.#latency();
    return this.read(kind, key);
  }

  async list<K extends Kind>(kind: K): Promise<Kinds[K][]> {
    await this.#latency();
    return structuredClone(this.all(kind));
  }

  async create<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    await this.#latency();
    this.writes++;
    return this.put(kind, object);
  }

  async update<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    await this.#latency();
    const stored = this.read(kind, object.metadata);
    if (stored?.metadata.resourceVersion !== object.metadata.resourceVersion) {
      throw new ConflictError(`${kind} ${object.metadata.name} was changed`, { code: 409 });
    }
    this.writes++;
    return this.put(kind, object);
  }

  async updateStatus<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    return await this.update(kind, object);
  }

  async delete<K extends Kind>(kind: K, object: Kinds[K]): Promise<void> {
    await this.#latency();
    this.writes++;
    this.remove(kind, object.metadata);
  }

  async event(): Promise<void> {}

  #tell(entry: Logged): void {
    this.#log.push(entry);
    this.#notify();
  }

  #notify(): void {
    const wakeups = this.#wakeups;
    this.#wakeups = [];
    for (const wake of wakeups) wake();
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeups.push(resolve);
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  async #latency(): Promise<void> {
    if (this.latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, this.latencyMs));
  }
}

function keyOf(kind: Kind, { namespace = '', name }: ObjectKey): string {
  return `${kind}/${namespace}/${name}`;
}
