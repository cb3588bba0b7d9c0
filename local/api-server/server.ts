import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { identify, isPublic, refuseAnonymous } from './access.ts';
import { RequestCounters } from './counters.ts';
import { discoveryDocument } from './discovery.ts';
import { ApiError } from './errors.ts';
import { type Intercept, type InterceptedRequest, sendFault } from './faults.ts';
import { type HandlerContext, handle, sendError, sendJson } from './handler.ts';
import { startNamespaces } from './namespaces.ts';
import { Operations } from './operations.ts';
import { type KubeletOptions, startKubelet } from './pods.ts';
import { startProtection } from './protection.ts';
import { resourceOf } from './resources.ts';
import { type ApiRequest, route, type Target, targetOf } from './router.ts';
import { ObjectStore } from './store.ts';

export type { Fault, Intercept, InterceptedRequest } from './faults.ts';
export type { ApiObject } from './json.ts';

export interface ApiServerOptions {
  /** 0, the default: any free one. */
  readonly port?: number;
  /** The bearer token that clients must send; without one everybody may do everything. */
  readonly token?: string;
  /** How often a watch gets a bookmark; a minute unless given. */
  readonly bookmarkIntervalMs?: number;
  /** How many changes of each resource a watch can go back; 10,000 unless given. */
  readonly historySize?: number;
  /** Adds the protection finalizers to new volumes and claims, and removes them as the protection controllers do. */
  readonly protection?: boolean;
  /** Runs pods to their end. */
  readonly kubelet?: KubeletOptions;
  /** How much later each answer comes, to look like a network. */
  readonly latencyMs?: number;
  readonly intercept?: Intercept;
}

/** A running server. */
export interface LocalApiServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  readonly token: string | undefined;
  /** What is stored, past all rules: for looking, and for changes that no rule would allow. */
  readonly store: ObjectStore;
  /** The same reads and writes as over HTTP, with the same rules, without HTTP. */
  readonly operations: Operations;
  readonly requests: RequestCounters;
  /** The fault hook; may be set and unset at any time. */
  intercept: Intercept | undefined;
  /** Makes all resourceVersions up to now too old for watches and paginated lists. */
  compactHistory(): void;
  /** Breaks all connections, watches too, as a restart or a network does. */
  cutConnections(): void;
  stop(): Promise<void>;
}

const defaults = { port: 0, bookmarkIntervalMs: 60_000, historySize: 10_000, latencyMs: 0 };
const keepAliveMs = 180_000;
const largestBody = 3 * 1024 * 1024;
const firstNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/**
 * Starts a small Kubernetes API server on 127.0.0.1.
 *
 * @example
 * const server = await startApiServer({ protection: true });
 * await fetch(`${server.url}/api/v1/persistentvolumes`);
 * await server.stop();
 */
export async function startApiServer(options: ApiServerOptions = {}): Promise<LocalApiServer> {
  const settings = { ...defaults, ...options };
  const store = new ObjectStore(settings.historySize);
  const operations = new Operations(store, { protection: options.protection ?? false });
  const helpers = [startNamespaces(store, operations)];
  if (options.protection) helpers.push(startProtection(store, operations));
  if (options.kubelet) helpers.push(startKubelet(store, operations, options.kubelet));
  for (const name of firstNamespaces) {
    operations.create({ resource: resourceOf('namespaces') }, { metadata: { name } });
  }

  const context: HandlerContext = { store, operations, bookmarkIntervalMs: settings.bookmarkIntervalMs };
  const requests = new RequestCounters();
  const http = createServer({ keepAliveTimeout: keepAliveMs, noDelay: true }, (request, response) => {
    void serve(request, response).catch((error: unknown) => fail(response, error));
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = targetOf(request.url ?? '/');
    const { path } = target;
    const method = request.method ?? 'GET';
    const body = await readAll(request);
    const api = routeOrError(method, target);
    if (!(api instanceof ApiError)) count(requests, path, api);
    if (settings.latencyMs > 0) await sleep(settings.latencyMs);

    const headers = request.headers;
    const seen: InterceptedRequest = {
      method,
      path,
      headers,
      api: api instanceof ApiError ? undefined : api,
      body,
    };
    const fault = await server.intercept?.(seen);
    if (fault === 'cut') {
      request.socket.destroy();
      return;
    }
    if (typeof fault === 'object' && 'status' in fault) return sendFault(response, fault);
    if (typeof fault === 'object') await sleep(fault.delayMs);
    if (fault === 'cut-after') response.writeHead = cutInstead(request);

    const who = identify(options.token, headers.authorization);
    if (who === 'anonymous' && !isPublic(path)) {
      throw refuseAnonymous(path, api instanceof ApiError ? undefined : api);
    }
    if (api instanceof ApiError) throw api;
    if (api !== undefined) return handle(context, api, request, body, response);
    answerOther(path, response);
  }

  http.listen(settings.port, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;

  const server: LocalApiServer = {
    url: `http://127.0.0.1:${port}`,
    port,
    token: options.token,
    store,
    operations,
    requests,
    intercept: options.intercept,
    compactHistory: () => store.compact(),
    cutConnections: () => http.closeAllConnections(),
    async stop() {
      for (const stopHelper of helpers) stopHelper();
      if (!http.listening) return;
      const closed = once(http, 'close');
      http.close();
      http.closeAllConnections();
      await closed;
    },
  };
  return server;
}

/** Routing errors wait for their turn: faults and credentials come first. */
function routeOrError(method: string, target: Target): ApiRequest | undefined | ApiError {
  try {
    return route(method, target);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function count(requests: RequestCounters, path: string, api: ApiRequest | undefined): void {
  if (api === undefined) {
    requests.add('get', path);
    return;
  }
  const { verb, resource, subresource } = api;
  requests.add(verb, subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`);
}

/** In place of `writeHead`: by then everything has happened, and the answer is lost. */
function cutInstead(request: IncomingMessage): ServerResponse['writeHead'] {
  return function (this: ServerResponse) {
    request.socket.destroy();
    return this;
  };
}

function answerOther(path: string, response: ServerResponse): void {
  const document = discoveryDocument(path);
  if (document !== undefined) {
    sendJson(response, 200, JSON.stringify(document));
  } else {
    const isHealth = isPublic(path);
    response.writeHead(isHealth ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(isHealth ? 'ok' : '404 page not found\n');
  }
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestBody) {
      throw new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${largestBody}`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function internalError(error: unknown): ApiError {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new ApiError(500, 'InternalError', `Internal error occurred: ${text}`);
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  sendError(response, error instanceof ApiError ? error : internalError(error));
}
