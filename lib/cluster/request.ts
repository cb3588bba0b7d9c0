/** Requests to the API server and their answers, before anything is known of Kubernetes objects. */
import type { IncomingHttpHeaders } from 'node:http';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A request whose answer is read as a whole. */
export interface ApiRequest {
  readonly method: Method;
  /** Path from the server's root, names encoded. */
  readonly path: string;
  /** The path without values, for the observer; the path itself when absent. */
  readonly template?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Milliseconds for all of it: waiting for a connection, connecting, sending, the whole answer; the transport's setting when absent. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Where calls per second are limited, the lowest goes first. Default 0. */
  readonly turn?: number;
  /** Bytes of the longest body that is accepted. */
  readonly maxBodyBytes?: number;
}

/** An answer of any status, as text. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An answer that is read as it comes: a watch. */
export interface StreamResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Chunks as they come; reading slowly slows the server down. An abort makes it throw. */
  readonly chunks: AsyncIterableIterator<Buffer>;
  /** The text of an error without the token that the request carried. */
  readonly redact: (text: string) => string;
  /** Closes the connection. To be called in every case. */
  readonly close: () => void;
}

/** One request as it went over the wire; repeats are told one by one. */
export interface RequestInfo {
  readonly method: Method;
  readonly template: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  /** HTTP status, 0 when there was no answer. */
  readonly status: number;
  /** Milliseconds up to the head of the answer. */
  readonly ms: number;
  readonly reused: boolean;
}

/** Method and path, for errors. */
export function nameOf({ method, path }: Pick<ApiRequest, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

/** The query with its question mark; empty when there is none. */
export function queryText(query: ApiRequest['query']): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) {
    if (value !== undefined) parameters.set(key, String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}
