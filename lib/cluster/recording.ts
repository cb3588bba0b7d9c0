/**
 * A cluster that takes writes down instead of sending them: observe mode, `explain` and the audit trail run the very
 * same sync over it. Reads come from the cluster behind it, overlaid with what the sync believes to have written.
 */
import type { Cluster, ObjectEvent } from '../controller/ports.ts';
import type { Kind, Kinds, ObjectKey } from '../controller/types.ts';

export type RecordedWrite =
  | {
      readonly verb: 'create' | 'update' | 'updateStatus' | 'delete';
      readonly kind: Kind;
      readonly object: Kinds[Kind];
    }
  | { readonly verb: 'event'; readonly event: ObjectEvent };

/** Never writes: `recorded` is what would have been written, in order. Lists are not overlaid, single reads are. */
export class RecordingCluster implements Cluster {
  readonly recorded: RecordedWrite[] = [];
  readonly #reader: Pick<Cluster, 'get' | 'list'>;
  readonly #overlay = new Map<string, Kinds[Kind] | undefined>();

  constructor(reader: Pick<Cluster, 'get' | 'list'>) {
    this.#reader = reader;
  }

  async get<K extends Kind>(kind: K, key: ObjectKey): Promise<Kinds[K] | undefined> {
    const overlaid = overlayKey(kind, key);
    if (this.#overlay.has(overlaid)) return this.#overlay.get(overlaid) as Kinds[K] | undefined;
    return await this.#reader.get(kind, key);
  }

  async list<K extends Kind>(kind: K, options?: { namespace?: string; fieldSelector?: string }): Promise<Kinds[K][]> {
    return await this.#reader.list(kind, options);
  }

  async create<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    return this.#record('create', kind, object);
  }

  async update<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    return this.#record('update', kind, object);
  }

  async updateStatus<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    return this.#record('updateStatus', kind, object);
  }

  async delete<K extends Kind>(kind: K, object: Kinds[K]): Promise<void> {
    this.recorded.push({ verb: 'delete', kind, object });
    this.#overlay.set(overlayKey(kind, object.metadata), undefined);
  }

  async event(event: ObjectEvent): Promise<void> {
    this.recorded.push({ verb: 'event', event });
  }

  #record<K extends Kind>(verb: 'create' | 'update' | 'updateStatus', kind: K, object: Kinds[K]): Kinds[K] {
    this.recorded.push({ verb, kind, object });
    this.#overlay.set(overlayKey(kind, object.metadata), object);
    return object;
  }
}

function overlayKey(kind: Kind, { namespace = '', name }: ObjectKey): string {
  return `${kind}/${namespace}/${name}`;
}
