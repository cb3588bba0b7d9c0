/** Verbs on any resource type: paths, checks of the answers, typed errors, pages. The port's adapter is built of these. */
import type { ObjectKey } from '../controller/types.ts';
import { GoneError } from './errors.ts';
import { listIn, normalize, type PageInfo, type Resource } from './objects.ts';
import { type ApiRequest, type ApiResponse, nameOf } from './request.ts';
import { collectionTarget, objectTarget, type ResourceType, type Target } from './resources.ts';
import { errorIn, jsonOf, objectIn, provesAbsence, statusOf } from './status.ts';
import type { Transport } from './transport.ts';

/** All pages of a list, in one. */
export interface ListResult<T> {
  readonly items: T[];
  /** Where a watch goes on from: nothing that happened after the list began is missed. */
  readonly resourceVersion: string;
}

/** What to list; everything of the type unless narrowed. */
export interface ListOptions {
  readonly namespace?: string;
  /** As the API server takes it, e.g. `metadata.name=x`. */
  readonly fieldSelector?: string;
  readonly signal?: AbortSignal;
  /** Items of one page. Default 500. */
  readonly pageSize?: number;
  /** Items come with their managedFields. */
  readonly withManagers?: boolean;
}

const MAX_PAGE_BYTES = 64 * 1024 * 1024;
/** A list that is not cut into pages: the way out when the server's pages expire. */
const MAX_LIST_BYTES = 256 * 1024 * 1024;
const WHOLE_LIST_TIMEOUT_MS = 60_000;

/** Gets, lists and writes objects of any type; answers are checked, and failures are typed errors. */
export class ResourceClient {
  readonly #transport: Transport;
  readonly #signal: AbortSignal | undefined;
  readonly #turn: number;

  /**
   * @param signal ends every request of this client.
   * @param turn of every request of this client.
   */
  constructor(transport: Transport, signal?: AbortSignal, turn = 0) {
    this.#transport = transport;
    this.#signal = signal;
    this.#turn = turn;
  }

  /** Quorum read. @returns undefined when the server has proven that the object is gone. */
  async get<T extends Resource>(
    type: ResourceType,
    key: ObjectKey,
    options: { signal?: AbortSignal } = {},
  ): Promise<T | undefined> {
    const target = objectTarget(type, key);
    const { response, what } = await this.#send('GET', target, undefined, options);
    if (provesAbsence(response, target)) return undefined;
    return receive<T>(response, target, what);
  }

  /** @throws AlreadyExistsError when the name is taken. */
  async create<T extends Resource>(type: ResourceType, object: T): Promise<T> {
    const target = objectTarget(type, object.metadata);
    // The path of a create is the collection's, the answer is about the object.
    const { response, what } = await this.#send(
      'POST',
      collectionTarget(type, target.namespace),
      withType(type, object),
    );
    return receive<T>(response, target, what);
  }

  /** @throws ConflictError when the resourceVersion is old, NotFoundError when the object is gone. */
  async update<T extends Resource>(type: ResourceType, object: T, subresource?: 'status'): Promise<T> {
    const target = objectTarget(type, object.metadata, subresource);
    const { response, what } = await this.#send('PUT', target, withType(type, object));
    return receive<T>(response, target, what);
  }

  /** Deletes this very version of the object. @throws ConflictError when it has changed or was replaced. */
  async delete(type: ResourceType, object: Resource): Promise<void> {
    const target = objectTarget(type, object.metadata);
    const { uid, resourceVersion } = object.metadata;
    const preconditions = {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions };
    const { response, what } = await this.#send('DELETE', target, body);
    if (provesAbsence(response, target)) return;
    if (response.status !== 200 && response.status !== 202) throw errorIn(response, target, what);
    const answer = jsonOf(response.body);
    if (statusOf(answer)?.status !== 'Success') objectIn(response, target, what);
  }

  /**
   * All pages of a list. When the server has forgotten where a page ended (410), it is read once more in one piece.
   * @param map makes of each item what is kept, as its page arrives: it bounds the memory of a long list.
   */
  async list<T extends Resource, U = T>(
    type: ResourceType,
    options: ListOptions = {},
    map: (item: T) => U = (item) => item as unknown as U,
  ): Promise<ListResult<U>> {
    try {
      return await this.#pages(type, options, map);
    } catch (error) {
      if (!(error instanceof GoneError)) throw error;
    }
    const { items, info } = await this.#page(type, options, undefined, undefined, map);
    return { items, resourceVersion: info.resourceVersion };
  }

  /** The version that a list of now has, at the cost of one object. */
  async version(type: ResourceType, options: ListOptions = {}): Promise<PageInfo & { readonly count: number }> {
    const { items, info } = await this.#page(type, options, 1, undefined, () => true);
    return { ...info, count: items.length + (info.remainingItemCount ?? 0) };
  }

  async #pages<T extends Resource, U>(
    type: ResourceType,
    options: ListOptions,
    map: (item: T) => U,
  ): Promise<ListResult<U>> {
    const limit = options.pageSize ?? 500;
    const all: U[] = [];
    let resourceVersion = '';
    let from: string | undefined;
    do {
      const { items, info } = await this.#page(type, options, limit, from, map);
      for (const item of items) all.push(item);
      if (resourceVersion === '') resourceVersion = info.resourceVersion;
      from = info.continue;
    } while (from !== '');
    return { items: all, resourceVersion };
  }

  async #page<T extends Resource, U>(
    type: ResourceType,
    { namespace, fieldSelector, signal, withManagers }: ListOptions,
    limit: number | undefined,
    from: string | undefined,
    map: (item: T) => U,
  ): Promise<{ items: U[]; info: PageInfo }> {
    const target = collectionTarget(type, namespace);
    const { response, what } = await this.#send('GET', target, undefined, {
      query: { fieldSelector, limit, continue: from },
      maxBodyBytes: limit === undefined ? MAX_LIST_BYTES : MAX_PAGE_BYTES,
      ...(limit === undefined ? { timeoutMs: WHOLE_LIST_TIMEOUT_MS } : {}),
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.status !== 200) throw errorIn(response, target, what);
    return listIn(response, type, what, map, withManagers);
  }

  async #send(
    method: ApiRequest['method'],
    target: Target,
    body?: unknown,
    extra: Partial<ApiRequest> = {},
  ): Promise<{ response: ApiResponse; what: string }> {
    const signal = joined(this.#signal, extra.signal);
    const request: ApiRequest = {
      ...requestFor(method, target),
      turn: this.#turn,
      ...(body === undefined ? {} : { body }),
      ...extra,
      ...(signal === undefined ? {} : { signal }),
    };
    return { response: await this.#transport.request(request), what: nameOf(request) };
  }
}

/** Method, path and what the observer is told of a target. */
export function requestFor(method: ApiRequest['method'], target: Target): ApiRequest {
  return {
    method,
    path: target.path,
    template: target.template,
    resource: target.type.plural,
    ...(target.subresource === undefined ? {} : { subresource: target.subresource }),
    ...(target.name === undefined ? {} : { name: target.name }),
  };
}

function receive<T extends Resource>(response: ApiResponse, target: Target, what: string): T {
  if (response.status !== 200 && response.status !== 201) throw errorIn(response, target, what);
  return normalize(target.type, objectIn(response, target, what) as unknown as T);
}

function withType<T extends Resource>(type: ResourceType, object: T): T {
  return { ...object, kind: type.kind, apiVersion: type.apiVersion };
}

/** A signal that ends with either of the two. */
export function joined(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return AbortSignal.any([one, other]);
}
