/**
 * HTTP to one API server: kept-alive connections, time-outs, aborts, the token. It knows nothing of Kubernetes objects.
 * A thin layer over node:https, because that is a tenth of client-node's size and load time (DESIGN section 4).
 */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { AmbiguousError, ClusterError, messageOf } from '../controller/errors.ts';
import { type Connection, type Endpoint, endpointOf } from './connection.ts';
import { Deadline } from './deadline.ts';
import { type Exchange, ExchangeError, exchange, readBody } from './exchange.ts';
import { RateLimit } from './rate-limit.ts';
import {
  type ApiRequest,
  type ApiResponse,
  nameOf,
  queryText,
  type RequestInfo,
  type StreamResponse,
} from './request.ts';
import { Sockets } from './sockets.ts';
import { jsonOf } from './status.ts';
import { Token } from './token.ts';

/** The version in the User-Agent; a test keeps it equal to package.json's. */
export const VERSION = '0.1.0';

/** For a volume or a claim; lists pass their own limit. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

export interface TransportOptions {
  /** Connections for requests at one time; more requests wait. Streams have their own. Default 32. */
  readonly maxSockets?: number;
  /** Default 10,000 ms. */
  readonly requestTimeoutMs?: number;
  /**
   * A connection unused for longer than this is not used again. Below the 90 s after which the API server closes it, so
   * that a write after a pause (a Lambda that was frozen) does not meet a dead one. Default 60,000 ms.
   */
  readonly maxIdleMs?: number;
  /** Requests per second; more of them wait for their turn, and streams do not count. Default 0: no limit. */
  readonly callsPerSecond?: number;
  /** Sees every request: for metrics. */
  readonly onRequest?: (info: RequestInfo) => void;
}

export class Transport {
  readonly #endpoint: Endpoint;
  readonly #token: Token | undefined;
  readonly #sockets: Sockets;
  readonly #timeoutMs: number;
  readonly #limit: RateLimit | undefined;
  readonly #onRequest: (info: RequestInfo) => void;
  readonly #closing = new AbortController();

  /** @throws ConnectionError when the connection's fields are wrong. */
  constructor(connection: Connection, options: TransportOptions = {}) {
    this.#endpoint = endpointOf(connection);
    this.#token = connection.token && new Token(connection.token);
    this.#timeoutMs = options.requestTimeoutMs ?? 10_000;
    this.#limit = options.callsPerSecond ? new RateLimit(options.callsPerSecond) : undefined;
    this.#onRequest = options.onRequest ?? (() => {});
    this.#sockets = new Sockets(connection, this.#endpoint, {
      maxSockets: options.maxSockets ?? 32,
      maxIdleMs: options.maxIdleMs ?? 60_000,
    });
  }

  /**
   * Sends a request and reads its answer, whatever its status.
   * Repeated by itself only where the server cannot have acted: once after 401 with a new token, and a GET once when a
   * kept-alive connection turns out dead. A write is never repeated.
   * @throws AmbiguousError when it was sent and no whole answer came (time-out, abort, cut connection).
   * @throws ClusterError with code 0 when it was never sent: a ThrottledError, when its turn did not come in time.
   */
  async request(request: ApiRequest): Promise<ApiResponse> {
    const turn = this.#limit?.take(request.turn ?? 0, this.#closing.signal, request.signal);
    if (turn !== undefined) await turn;
    const deadline = this.#deadline(request);
    try {
      const { response } = await this.#open(request, deadline, this.#sockets.pooled);
      const body = await readBody(response, request.maxBodyBytes ?? MAX_BODY_BYTES, deadline).catch((error) => {
        throw new AmbiguousError(`${nameOf(request)}: ${messageOf(error)}`, { cause: error });
      });
      const status = response.statusCode ?? 0;
      return { status, headers: response.headers, body: status < 400 ? body : this.#redact(body) };
    } finally {
      deadline.dispose();
    }
  }

  /**
   * Opens a stream on a connection of its own. The time-out covers the head of the answer only; the signal covers all.
   * @throws as `request`.
   */
  async stream(request: ApiRequest): Promise<StreamResponse> {
    const deadline = this.#deadline(request);
    let opened: IncomingMessage;
    try {
      opened = (await this.#open(request, deadline, this.#sockets.single)).response;
    } catch (error) {
      deadline.dispose();
      throw error;
    }
    const response = opened;
    deadline.stopTimer();
    deadline.onEnd((error) => response.destroy(error));
    response.once('close', () => deadline.dispose());
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      chunks: response[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>,
      redact: (text) => this.#redact(text),
      close: () => response.destroy(),
    };
  }

  /**
   * Errors quote what the server says; it must not be the token, sent back by a proxy that shows what it got. JSON is
   * written anew, since it has several ways to write a slash.
   */
  #redact(body: string): string {
    if (this.#token === undefined) return body;
    const json = jsonOf(body);
    return this.#token.redact(json === undefined ? body : JSON.stringify(json));
  }

  /** Ends every request and stream, and closes all connections. Later requests fail. */
  close(): void {
    this.#closing.abort(new Error('the client was closed'));
    this.#sockets.close();
  }

  #deadline(request: ApiRequest): Deadline {
    const signals = request.signal === undefined ? [] : [request.signal];
    return new Deadline(request.timeoutMs ?? this.#timeoutMs, this.#closing.signal, ...signals);
  }

  /** The head of the answer, after a new token where the first was refused. */
  async #open(request: ApiRequest, deadline: Deadline, agent: http.Agent): Promise<Exchange> {
    const token = this.#token;
    if (token === undefined) return await this.#attempt(request, undefined, deadline, agent);
    const first = await this.#unsent(request, deadline, token.get());
    const opened = await this.#attempt(request, first, deadline, agent);
    if (opened.response.statusCode !== 401) return opened;
    // Where no other token can be had, the server's 401 says more than the reason for that.
    const renewed = await deadline.race(token.renew(first)).catch(() => undefined);
    if (renewed === undefined) return opened;
    opened.response.resume();
    this.#limit?.charge();
    return await this.#attempt(request, renewed, deadline, agent);
  }

  async #unsent<T>(request: ApiRequest, deadline: Deadline, promise: Promise<T>): Promise<T> {
    try {
      return await deadline.race(promise);
    } catch (error) {
      if (error instanceof ClusterError) throw error;
      throw new ClusterError(`${nameOf(request)} was not sent: ${messageOf(error)}`, { cause: error });
    }
  }

  async #attempt(
    request: ApiRequest,
    token: string | undefined,
    deadline: Deadline,
    agent: http.Agent,
  ): Promise<Exchange> {
    try {
      return await this.#exchange(request, token, deadline, agent);
    } catch (error) {
      const stale = error instanceof ExchangeError && error.stale && request.method === 'GET';
      if (!stale) throw failureOf(request, error);
    }
    this.#limit?.charge();
    try {
      return await this.#exchange(request, token, deadline, this.#sockets.single);
    } catch (error) {
      throw failureOf(request, error);
    }
  }

  async #exchange(request: ApiRequest, token: string | undefined, deadline: Deadline, agent: http.Agent) {
    this.#sockets.dropIdle();
    const { url, prefix } = this.#endpoint;
    const secure = url.protocol === 'https:';
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    const headers: http.OutgoingHttpHeaders = {
      Accept: 'application/json',
      'User-Agent': `serverless-pv-controller/${VERSION}`,
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
    };
    const options: https.RequestOptions = {
      agent,
      method: request.method,
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? (secure ? 443 : 80) : url.port,
      path: prefix + request.path + queryText(request.query),
      headers,
    };
    const started = performance.now();
    try {
      const opened = await exchange(() => (secure ? https : http).request(options), body, deadline, secure);
      this.#observe(request, opened.response.statusCode ?? 0, started, opened.reused);
      return opened;
    } catch (error) {
      this.#observe(request, 0, started, error instanceof ExchangeError && error.reused);
      throw error;
    }
  }

  #observe(request: ApiRequest, status: number, started: number, reused: boolean): void {
    const { method, path, template = path, resource, subresource, name } = request;
    try {
      this.#onRequest({
        method,
        template,
        ...(resource === undefined ? {} : { resource }),
        ...(subresource === undefined ? {} : { subresource }),
        ...(name === undefined ? {} : { name }),
        status,
        ms: performance.now() - started,
        reused,
      });
    } catch {
      // An observer cannot make a request fail.
    }
  }
}

function failureOf(request: ApiRequest, error: unknown): ClusterError {
  const sent = error instanceof ExchangeError && error.sent;
  const cause = error instanceof ExchangeError ? error.cause : error;
  return sent
    ? new AmbiguousError(`${nameOf(request)}: ${messageOf(cause)}`, { cause })
    : new ClusterError(`${nameOf(request)} was not sent: ${messageOf(cause)}`, { cause });
}
