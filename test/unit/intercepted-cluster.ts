/** A cluster whose every call can be held up, refused, or made to lose its answer. */
import type { Cluster, ObjectEvent } from '../../lib/controller/ports.ts';
import type { Kind, Kinds, ObjectKey } from '../../lib/controller/types.ts';

export interface Call {
  /** Position among all calls, from 1. Events are none: they never fail. */
  readonly number: number;
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'updateStatus' | 'delete';
  readonly kind: Kind;
  readonly name: string;
}

export interface Interception {
  /** Whatever it throws is the call's result; the call is then not made. */
  before?(call: Call): void | Promise<void>;
  /** Whatever it throws is the call's result, though the call was made. */
  after?(call: Call): void | Promise<void>;
}

export class InterceptedCluster implements Cluster {
  readonly calls: Call[] = [];
  readonly #inner: Cluster;
  readonly #interception: Interception;

  constructor(inner: Cluster, interception: Interception = {}) {
    this.#inner = inner;
    this.#interception = interception;
  }

  get<K extends Kind>(kind: K, key: ObjectKey): Promise<Kinds[K] | undefined> {
    return this.#call('get', kind, key.name, () => this.#inner.get(kind, key));
  }

  list<K extends Kind>(kind: K, options?: { namespace?: string; fieldSelector?: string }): Promise<Kinds[K][]> {
    return this.#call('list', kind, '', () => this.#inner.list(kind, options));
  }

  create<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    return this.#call('create', kind, object.metadata.name, () => this.#inner.create(kind, object));
  }

  update<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    return this.#call('update', kind, object.metadata.name, () => this.#inner.update(kind, object));
  }

  updateStatus<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    return this.#call('updateStatus', kind, object.metadata.name, () => this.#inner.updateStatus(kind, object));
  }

  delete<K extends Kind>(kind: K, object: Kinds[K]): Promise<void> {
    return this.#call('delete', kind, object.metadata.name, () => this.#inner.delete(kind, object));
  }

  event(event: ObjectEvent): Promise<void> {
    return this.#inner.event(event);
  }

  async #call<T>(verb: Call['verb'], kind: Kind, name: string, make: () => Promise<T>): Promise<T> {
    const call: Call = { number: this.calls.length + 1, verb, kind, name };
    this.calls.push(call);
    await this.#interception.before?.(call);
    const answer = await make();
    await this.#interception.after?.(call);
    return answer;
  }
}
