import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { ApiRequest } from './router.ts';

/** A request as a fault hook sees it. */
export interface InterceptedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** What the request asks for, in the words of Kubernetes; absent for `/version` and the like. */
  readonly api: ApiRequest | undefined;
  readonly body: string;
}

/**
 * What goes wrong with a request.
 *
 * - an answer of one's own: 401, 403, 429 with Retry-After, a proxy's page;
 * - `cut`: the connection breaks before anything happens;
 * - `cut-after`: it happens, and the connection breaks before the answer, so that the client cannot know;
 * - `{ delayMs }`: it happens late.
 */
export type Fault =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** An object is sent as JSON, a text as it is. */
      readonly body?: unknown;
    }
  | 'cut'
  | 'cut-after'
  | { readonly delayMs: number };

/** Decides about each request; `undefined` lets it pass. */
export type Intercept = (request: InterceptedRequest) => Fault | undefined | Promise<Fault | undefined>;

/** Sends the answer that a fault hook made up. */
export function sendFault(response: ServerResponse, fault: Extract<Fault, { status: number }>): void {
  const { status, headers = {}, body = '' } = fault;
  const isText = typeof body === 'string';
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(isText ? body : JSON.stringify(body));
}
