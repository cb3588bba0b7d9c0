/** What can go wrong between the controller and the cluster, as types: the caller decides by them, never by text. */

/** A read, write or list that the API server refused or that never got a trustworthy answer. Changes nothing. */
export class ClusterError extends Error {
  override readonly name: string = 'ClusterError';
  /** HTTP status, 0 when there was no answer. */
  readonly code: number;
  /** The `reason` of the server's Status object, empty when there was none. */
  readonly reason: string;

  constructor(message: string, options: { code?: number; reason?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code ?? 0;
    this.reason = options.reason ?? '';
  }
}

/** The object was changed (or replaced) since it was read: read again and decide again. */
export class ConflictError extends ClusterError {
  override readonly name = 'ConflictError';
}

/** A create met an object of that name. */
export class AlreadyExistsError extends ClusterError {
  override readonly name = 'AlreadyExistsError';
}

/** A write met no object, proven by a Status about that very object. Reads say `undefined` instead. */
export class NotFoundError extends ClusterError {
  override readonly name = 'NotFoundError';
}

/** The server asks to come back later (429, or 503 with Retry-After). */
export class ThrottledError extends ClusterError {
  override readonly name = 'ThrottledError';
  /** Seconds that the server asked to wait, if it named any. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    options: { code: number; reason?: string; retryAfterSeconds?: number; cause?: unknown },
  ) {
    super(message, options);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** No answer that can be trusted: time-out, cut connection, a proxy's page. A write may or may not have happened. */
export class AmbiguousError extends ClusterError {
  override readonly name = 'AmbiguousError';
}

/** A plugin operation (delete, provision) failed: the key is retried with the operation back-off, not the sync's. */
export class OperationError extends Error {
  override readonly name = 'OperationError';
}

/**
 * The objects contradict each other, and trying again with the same objects says the same: only a change of one of them
 * helps, and its event brings the key back. Upstream retries such a key; a queue must not carry it around.
 */
export class StateError extends Error {
  override readonly name = 'StateError';
}

/** The first error of that class in an error and its causes. */
export function findCause<E extends Error>(error: unknown, type: abstract new (...args: never[]) => E): E | undefined {
  // Bounded, since nothing forbids a circle of causes.
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    if (at instanceof type) return at;
  }
  return undefined;
}

/** The text of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
