/** The real API server behind the controller's port, and the list and watch that bridge and volume pool need. */
import { AmbiguousError, StateError } from '../controller/errors.ts';
import { parseServerVersion, type ServerVersion } from '../controller/features.ts';
import { isNamespaceName, isObjectName } from '../controller/names.ts';
import type { Cluster, ObjectEvent } from '../controller/ports.ts';
import type { Kind, Kinds, ObjectKey } from '../controller/types.ts';
import type { Connection } from './connection.ts';
import { EventRecorder, type EventRecorderSettings } from './event-recorder.ts';
import type { PageInfo } from './objects.ts';
import { nameOf } from './request.ts';
import { joined, type ListOptions, type ListResult, ResourceClient, requestFor } from './resource-client.ts';
import { type Target, typeOf } from './resources.ts';
import { errorIn, jsonOf } from './status.ts';
import { Transport, type TransportOptions } from './transport.ts';
import { type WatchEvent, type WatchOptions, watch } from './watch.ts';

/** Options of the transport, and how events are written. */
export interface ApiServerOptions extends TransportOptions {
  readonly events?: EventRecorderSettings;
}

const VERSION_TARGET: Target = {
  type: { kind: 'Info', apiVersion: '', group: '', plural: 'version', namespaced: false },
  path: '/version',
  template: '/version',
};

/**
 * @example
 * const cluster = new ApiServerCluster({ server: 'https://…', ca, token }, { events: { emit: false } });
 * const volume = await cluster.get('PersistentVolume', { name: 'pv-1' });
 * cluster.close();
 */
export class ApiServerCluster implements Cluster {
  readonly #transport: Transport;
  readonly #resources: ResourceClient;
  readonly #recorder: EventRecorder;
  readonly #signal: AbortSignal | undefined;
  /** How many were made by `withSignal`, which is once for each key. */
  #turns = 0;

  /** @throws ConnectionError when the connection's fields are wrong. Nothing is sent yet. */
  constructor(connection: Connection, options?: ApiServerOptions);
  constructor(parent: ApiServerCluster, signal: AbortSignal);
  constructor(from: Connection | ApiServerCluster, options: ApiServerOptions | AbortSignal = {}) {
    let turn = 0;
    if (from instanceof ApiServerCluster) {
      this.#signal = joined(from.#signal, options as AbortSignal);
      this.#transport = from.#transport;
      this.#recorder = from.#recorder;
      turn = ++from.#turns;
    } else {
      this.#transport = new Transport(from, options as ApiServerOptions);
      this.#recorder = new EventRecorder((options as ApiServerOptions).events);
    }
    this.#resources = new ResourceClient(this.#transport, this.#signal, turn);
  }

  /**
   * The same server and connections, all requests bound to a signal: no request of an invocation outlives it. Where calls
   * per second are limited, those of whatever was made earlier here go first.
   */
  withSignal(signal: AbortSignal): ApiServerCluster {
    return new ApiServerCluster(this, signal);
  }

  async get<K extends Kind>(
    kind: K,
    key: ObjectKey,
    options: { signal?: AbortSignal } = {},
  ): Promise<Kinds[K] | undefined> {
    // References such as `spec.volumeName` hold what users wrote: nothing can exist under an impossible name.
    if (!isPossible(kind, key)) return absent(kind, key);
    return await this.#resources.get<Kinds[K]>(typeOf(kind), key, options);
  }

  async list<K extends Kind>(kind: K, options: ListOptions = {}): Promise<Kinds[K][]> {
    if (options.namespace !== undefined && !isNamespaceName(options.namespace)) return [];
    return (await this.#resources.list<Kinds[K]>(typeOf(kind), options)).items;
  }

  async create<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    return await this.#resources.create<Kinds[K]>(typeOf(kind), object);
  }

  async update<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    return await this.#resources.update<Kinds[K]>(typeOf(kind), object);
  }

  async updateStatus<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    return await this.#resources.update<Kinds[K]>(typeOf(kind), object, 'status');
  }

  async delete<K extends Kind>(kind: K, object: Kinds[K]): Promise<void> {
    await this.#resources.delete(typeOf(kind), object);
  }

  async event(event: ObjectEvent): Promise<void> {
    await this.#recorder.record(event, {
      get: (key) => this.get('Event', key),
      create: (object) => this.create('Event', object),
      update: (object) => this.update('Event', object),
    });
  }

  /**
   * A list with the version from which a watch goes on.
   * @param map makes of each item what is kept, page by page: it bounds the memory of a long list.
   */
  async listWithVersion<K extends Kind, U = Kinds[K]>(
    kind: K,
    options: ListOptions = {},
    map?: (item: Kinds[K]) => U,
  ): Promise<ListResult<U>> {
    return await this.#resources.list<Kinds[K], U>(typeOf(kind), options, map);
  }

  /** The version that a list of now has and how many objects there are, at the cost of one object. */
  async version(kind: Kind, options: ListOptions = {}): Promise<PageInfo & { readonly count: number }> {
    return await this.#resources.version(typeOf(kind), options);
  }

  /** Follows the changes of a kind; see `watch`. */
  watch<K extends Kind>(kind: K, options: WatchOptions): AsyncGenerator<WatchEvent<K>> {
    const signal = joined(options.signal, this.#signal) as AbortSignal;
    return watch(this.#transport, kind, { ...options, signal });
  }

  /** Major and minor of the server, e.g. `{ major: 1, minor: 34 }`. @throws ClusterError */
  async serverVersion(): Promise<ServerVersion> {
    const signal = this.#signal === undefined ? {} : { signal: this.#signal };
    const request = { ...requestFor('GET', VERSION_TARGET), ...signal };
    const response = await this.#transport.request(request);
    if (response.status !== 200) throw errorIn(response, VERSION_TARGET, nameOf(request));
    try {
      return parseServerVersion(jsonOf(response.body) ?? {});
    } catch (cause) {
      throw new AmbiguousError(`${nameOf(request)}: the answer is no version`, { code: response.status, cause });
    }
  }

  /** Ends all requests and watches, of every `withSignal` too, and closes the connections. */
  close(): void {
    this.#transport.close();
  }
}

/** @throws StateError for a claim: its absence would release a volume, and no server has proven it. */
function absent(kind: Kind, { namespace, name }: ObjectKey): undefined {
  if (kind !== 'PersistentVolumeClaim') return undefined;
  throw new StateError(
    `no claim can have the name ${JSON.stringify(`${namespace}/${name}`)}: nothing is decided by it`,
  );
}

function isPossible(kind: Kind, { namespace = '', name }: ObjectKey): boolean {
  return isObjectName(name) && (!typeOf(kind).namespaced || isNamespaceName(namespace));
}
