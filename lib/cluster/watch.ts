/** A watch: one long answer, one JSON frame per line. */
import { AmbiguousError, ClusterError, messageOf, ThrottledError } from '../controller/errors.ts';
import type { Kind, Kinds } from '../controller/types.ts';
import { GoneError } from './errors.ts';
import { linesOf } from './lines.ts';
import { normalize, type Resource } from './objects.ts';
import { nameOf, type StreamResponse } from './request.ts';
import { requestFor } from './resource-client.ts';
import { collectionTarget, typeOf } from './resources.ts';
import { errorIn, jsonOf, statusOf } from './status.ts';
import type { Transport } from './transport.ts';

export type WatchEvent<K extends Kind = Kind> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Kinds[K] }
  /** Nothing changed up to this version. */
  | { readonly type: 'BOOKMARK'; readonly object: { readonly metadata: { readonly resourceVersion: string } } };

/** What to watch, from which version, and for how long. */
export interface WatchOptions {
  readonly namespace?: string;
  readonly fieldSelector?: string;
  /** Changes after this version are told; from a list, or from the last event or bookmark. */
  readonly resourceVersion: string;
  readonly signal: AbortSignal;
  /** The watch fails when nothing comes for so long. Bookmarks come about once a minute. Default 90,000 ms. */
  readonly idleTimeoutMs?: number;
  /** The server ends the watch after so many seconds. Default: 240 to 480, so that many watches do not end together. */
  readonly timeoutSeconds?: number;
  /** Objects come with their managedFields. */
  readonly withManagers?: boolean;
  /** Called when the server has accepted the watch, before its first event. */
  readonly onOpen?: () => void;
}

const MAX_FRAME_BYTES = 8 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Follows the changes of a kind until the server ends the watch; then the generator returns, and the next watch goes on
 * from the last version seen. It pulls: as long as nobody asks for the next event, little is read ahead.
 * An abort closes the connection and ends the generator at once.
 * @throws GoneError when the version is too old: list again.
 * @throws AmbiguousError when nothing came for `idleTimeoutMs`, the connection was cut, or a frame makes no sense.
 * @throws ClusterError for everything that the server refuses.
 */
export async function* watch<K extends Kind>(
  transport: Transport,
  kind: K,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<K>> {
  const type = typeOf(kind);
  const target = collectionTarget(type, options.namespace);
  const request = requestFor('GET', target);
  const what = `watch of ${nameOf(request)}`;
  let stream: StreamResponse | undefined;
  try {
    stream = await transport.stream({
      ...request,
      query: {
        watch: true,
        allowWatchBookmarks: true,
        fieldSelector: options.fieldSelector,
        resourceVersion: options.resourceVersion,
        timeoutSeconds: options.timeoutSeconds ?? 240 + Math.floor(Math.random() * 241),
      },
      signal: options.signal,
    });
    if (stream.status !== 200)
      throw errorIn({ ...stream, body: stream.redact(await beginningOf(stream)) }, target, what);
    options.onOpen?.();
    const chunks = withIdleTimeout(stream, options.idleTimeoutMs ?? 90_000, what);
    for await (const line of linesOf(chunks, MAX_FRAME_BYTES))
      yield frameOf(kind, line, what, stream.redact, options.withManagers);
  } catch (error) {
    if (options.signal.aborted) return;
    if (error instanceof ClusterError) throw error;
    throw new AmbiguousError(`${what}: ${messageOf(error)}`, { cause: error });
  } finally {
    stream?.close();
  }
}

/** The clock runs only while we wait for the server, not while our own reader is slow. */
async function* withIdleTimeout(stream: StreamResponse, timeoutMs: number, what: string): AsyncGenerator<Buffer> {
  for (;;) {
    const next = await nextChunk(stream, timeoutMs, what);
    if (next === undefined) return;
    yield next;
  }
}

async function nextChunk(stream: StreamResponse, timeoutMs: number, what: string): Promise<Buffer | undefined> {
  let idle = false;
  const timer = setTimeout(() => {
    idle = true;
    stream.close();
  }, timeoutMs);
  try {
    const next = await stream.chunks.next();
    if (!idle) return next.done ? undefined : next.value;
  } catch (error) {
    if (!idle) throw error;
  } finally {
    clearTimeout(timer);
  }
  throw new AmbiguousError(`${what}: idle for ${timeoutMs} ms`);
}

function frameOf<K extends Kind>(
  kind: K,
  line: string,
  what: string,
  redact: StreamResponse['redact'],
  withManagers = false,
): WatchEvent<K> {
  const frame = jsonOf(line);
  const type = frame?.['type'];
  const object = frame?.['object'] as (Resource & Record<string, unknown>) | undefined;
  if (type === 'ERROR') throw errorFrame(jsonOf(redact(JSON.stringify(object ?? {}))), what);
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED' && type !== 'BOOKMARK') {
    throw new AmbiguousError(`${what}: a frame is no watch event`);
  }
  const { kind: expected, apiVersion } = typeOf(kind);
  if (object?.kind !== expected || object.apiVersion !== apiVersion) {
    throw new AmbiguousError(`${what}: an event is not about a ${expected} of ${apiVersion}`);
  }
  const { name, resourceVersion } = object.metadata ?? {};
  // An empty version would have the next watch begin anywhere.
  if (
    typeof resourceVersion !== 'string' ||
    resourceVersion === '' ||
    (type !== 'BOOKMARK' && typeof name !== 'string')
  ) {
    throw new AmbiguousError(`${what}: an event has no name or resourceVersion`);
  }
  return { type, object: normalize(typeOf(kind), object, withManagers) } as unknown as WatchEvent<K>;
}

function errorFrame(object: Record<string, unknown> | undefined, what: string): ClusterError {
  const status = statusOf(object);
  const code = status?.code ?? 0;
  const reason = status?.reason ?? '';
  const message = `${what}: ${String(status?.message ?? reason).slice(0, 1024)}`;
  if (code === 410 || reason === 'Expired' || reason === 'Gone') return new GoneError(message, { code, reason });
  if (code === 429) return new ThrottledError(message, { code, reason });
  return new ClusterError(message, { code, reason });
}

async function beginningOf(stream: StreamResponse): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of withIdleTimeout(stream, 10_000, 'error answer')) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_ERROR_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
