/**
 * What an answer means. An object counts only when it is the one that was asked for, and "gone" only when the server says
 * so of that very object (DESIGN D3): a proxy's login page or an unrelated 404 must never release a volume.
 */
import type { IncomingHttpHeaders } from 'node:http';
import {
  AlreadyExistsError,
  AmbiguousError,
  ClusterError,
  ConflictError,
  NotFoundError,
  ThrottledError,
} from '../controller/errors.ts';
import { GoneError } from './errors.ts';
import type { ApiResponse } from './request.ts';
import type { Target } from './resources.ts';

/** The parts of a Kubernetes Status that are used here. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly code?: number;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly retryAfterSeconds?: number;
  };
}

const MAX_MESSAGE = 1024;

type Json = Readonly<Record<string, unknown>>;

/** The body as a JSON object; undefined when it is none. */
export function jsonOf(body: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}

const STATUS_TYPES = { status: 'string', reason: 'string', message: 'string', code: 'number', details: 'object' };
const DETAILS_TYPES = { name: 'string', group: 'string', kind: 'string', retryAfterSeconds: 'number' };

/** The value as a Status; undefined when it is anything else, also with a field of another type than a server writes. */
export function statusOf(value: Json | undefined): Status | undefined {
  if (value?.['kind'] !== 'Status' || value['apiVersion'] !== 'v1' || !hasTypes(value, STATUS_TYPES)) return undefined;
  return hasTypes((value['details'] ?? {}) as Json, DETAILS_TYPES) ? (value as unknown as Status) : undefined;
}

function hasTypes(object: Json, types: Readonly<Record<string, string>>): boolean {
  return Object.entries(types).every(([field, type]) => {
    const value = object[field];
    return value === undefined || (value !== null && typeof value === type);
  });
}

/** Whether the answer proves that the target does not exist: a 404 whose Status is about exactly that object. */
export function provesAbsence(response: ApiResponse, target: Target): boolean {
  if (response.status !== 404) return false;
  const status = statusOf(jsonOf(response.body));
  if (status === undefined || status.reason !== 'NotFound' || (status.code !== undefined && status.code !== 404)) {
    return false;
  }
  const { name, kind, group = '' } = status.details ?? {};
  return name === target.name && kind === target.type.plural && group === target.type.group;
}

/**
 * The object in a 2xx answer.
 * @throws AmbiguousError when the body is not that object.
 */
export function objectIn(response: ApiResponse, target: Target, what: string): Json {
  const { kind, apiVersion } = target.type;
  const object = jsonOf(response.body);
  const refuse = (why: string): AmbiguousError =>
    new AmbiguousError(`${what}: the answer is ${why}`, { code: response.status });
  if (object === undefined) throw refuse(`no JSON object but ${describe(response)}`);
  if (object['kind'] !== kind || object['apiVersion'] !== apiVersion) {
    throw refuse(`no ${kind} of ${apiVersion} but ${shown(object['kind'])} of ${shown(object['apiVersion'])}`);
  }
  const metadata = (object['metadata'] ?? {}) as Json;
  if (target.name !== undefined && metadata['name'] !== target.name) {
    throw refuse(`about another object: ${shown(metadata['name'])}`);
  }
  if (target.namespace !== undefined && metadata['namespace'] !== target.namespace) {
    throw refuse(`about another namespace: ${shown(metadata['namespace'])}`);
  }
  for (const field of ['uid', 'resourceVersion']) {
    if (typeof metadata[field] !== 'string' || metadata[field] === '') throw refuse(`an object without ${field}`);
  }
  return object;
}

/** The error for an answer that is no success. */
export function errorIn(response: ApiResponse, target: Target, what: string): ClusterError {
  const { status: code } = response;
  const status = statusOf(jsonOf(response.body));
  const reason = status?.reason ?? '';
  const text = status === undefined ? `answered ${code} with ${describe(response)}` : cut(status.message || reason);
  const message = `${what}: ${text}`;
  const options = { code, reason };
  switch (code) {
    case 404:
      if (provesAbsence(response, target)) return new NotFoundError(message, options);
      return isMissingNamespace(status, target)
        ? new ClusterError(message, options)
        : new AmbiguousError(message, options);
    case 409:
      if (reason === 'AlreadyExists') return new AlreadyExistsError(message, options);
      return reason === 'Conflict' ? new ConflictError(message, options) : new AmbiguousError(message, options);
    case 410:
      return new GoneError(message, options);
    case 429:
      return throttled(message, response, status);
    case 503:
      if (response.headers['retry-after'] !== undefined) return throttled(message, response, status);
      break;
    case 502:
    case 504:
      // A gateway gave up, or the server itself: a write may have been done.
      return new AmbiguousError(message, options);
  }
  const untrusted = code < 400 || (code >= 500 && status === undefined) || reason === 'ServerTimeout';
  return untrusted ? new AmbiguousError(message, options) : new ClusterError(message, options);
}

/** A create into a namespace that is not there: a refusal, though not about the object. */
function isMissingNamespace(status: Status | undefined, target: Target): boolean {
  const { kind, name } = status?.details ?? {};
  return status?.reason === 'NotFound' && kind === 'namespaces' && name === target.namespace;
}

function throttled(message: string, response: ApiResponse, status: Status | undefined): ThrottledError {
  const inBody = status?.details?.retryAfterSeconds;
  const seconds = retryAfterSeconds(response.headers) ?? (inBody === undefined ? undefined : believable(inBody));
  return new ThrottledError(message, {
    code: response.status,
    reason: status?.reason ?? '',
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
  });
}

const MAX_RETRY_AFTER_SECONDS = 60;

/**
 * Seconds of a Retry-After header, in both its forms (a number, an HTTP date), between 0 and 60: a key is hidden from
 * everybody for as long, and a proxy that says `3600` is not to be believed.
 * @param now milliseconds since the epoch, for the date form.
 */
export function retryAfterSeconds(headers: IncomingHttpHeaders, now: number = Date.now()): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined || value === '') return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - now) / 1000);
  return believable(seconds);
}

function believable(seconds: number): number | undefined {
  return Number.isFinite(seconds) ? Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(0, seconds)) : undefined;
}

/** Tells an untrusted body without showing it. */
function describe(response: ApiResponse): string {
  const type = response.headers['content-type'] ?? 'no content type';
  return `no Kubernetes Status (${cut(type)}, ${response.body.length} characters)`;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(cut(value)) : typeof value;
}

/** Short, and without a credential: a proxy may send back the header that it got. */
function cut(text: unknown): string {
  const string = String(text).replace(/Bearer\s+\S+/gi, 'Bearer …');
  return string.length > MAX_MESSAGE ? `${string.slice(0, MAX_MESSAGE)}…` : string;
}
