import type { ServerResponse } from 'node:http';
import type { Change } from './collection.ts';
import { expired, forbidden, invalidOptions, type Status } from './errors.ts';
import { type ApiObject, encode } from './json.ts';
import { readRevision } from './list.ts';
import { apiVersionOf, type Resource } from './resources.ts';
import type { Selector } from './selectors.ts';
import type { ObjectStore } from './store.ts';

export interface WatchOptions {
  readonly store: ObjectStore;
  readonly resource: Resource;
  readonly selects: Selector;
  readonly query: URLSearchParams;
  readonly bookmarkIntervalMs: number;
  /** How an object is written, where the client asked for another form than the object itself. */
  readonly encode?: (object: ApiObject) => string;
}

const seconds = 1000;
/** Half an hour to an hour, spread so that watches which began together do not all end together. */
const defaultTimeoutMs = () => (1800 + Math.random() * 1800) * seconds;
/** The real server sends a last bookmark this long before it ends a watch. */
const lastBookmarkMs = 2 * seconds;
const longestTimerMs = 2_147_483_647;

/** Answers a watch: one JSON document per line, until the time is over or somebody hangs up. */
export function serveWatch(response: ServerResponse, options: WatchOptions): void {
  const { store, resource, selects, query } = options;
  const text = query.get('resourceVersion') ?? '';
  const from = text === '' || text === '0' ? undefined : readRevision(text);
  const sendsInitial = query.get('sendInitialEvents') === 'true';
  if (sendsInitial && query.get('resourceVersionMatch') !== 'NotOlderThan') throw initialEventsForbidden();
  const hasBookmarks = query.get('allowWatchBookmarks') === 'true' || query.get('allowWatchBookmarks') === '1';
  const encodeObject = options.encode ?? encode;

  const send = (type: string, object: string) => void response.write(`{"type":"${type}","object":${object}}\n`);
  const sendChange = (change: Change) => {
    const type = typeFor(change, selects);
    if (type !== undefined) send(type, encodeObject(stateFor(change, type)));
  };
  const sendBookmark = (annotations?: Record<string, string>) =>
    send('BOOKMARK', bookmark(resource, store.revision, annotations));

  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
  response.flushHeaders();

  if (from === undefined || sendsInitial) {
    for (const object of store.collection(resource.plural).list()) {
      if (selects(object)) send('ADDED', encodeObject(object));
    }
    if (sendsInitial && hasBookmarks) sendBookmark({ 'k8s.io/initial-events-end': 'true' });
  } else {
    const missed = store.collection(resource.plural).changesAfter(from);
    if (missed === undefined) {
      const { status } = expired(`too old resource version: ${from} (${store.revision})`);
      send('ERROR', JSON.stringify(status satisfies Status));
      response.end();
      return;
    }
    missed.forEach(sendChange);
  }

  // A resourceVersion of the future silences the watch until the server gets there.
  const unsubscribe = store.subscribe(resource.plural, (change) => {
    if (from === undefined || change.revision > from) sendChange(change);
  });
  const timeoutMs = Number(query.get('timeoutSeconds') ?? 0) * seconds || defaultTimeoutMs();
  const timers: NodeJS.Timeout[] = [setTimeout(() => response.end(), Math.min(timeoutMs, longestTimerMs))];
  if (hasBookmarks) {
    timers.push(setInterval(sendBookmark, options.bookmarkIntervalMs));
    if (timeoutMs > lastBookmarkMs)
      timers.push(setTimeout(sendBookmark, Math.min(timeoutMs - lastBookmarkMs, longestTimerMs)));
  }
  const end = () => {
    unsubscribe();
    timers.forEach(clearTimeout);
  };
  response.once('finish', end).once('close', end);
}

/** An object may come into or go out of the selection; for the watch it is then added or deleted. */
function typeFor({ type, object, previous }: Change, selects: Selector): Change['type'] | undefined {
  const was = previous !== undefined && selects(previous);
  const is = type !== 'DELETED' && selects(object);
  if (was) return is ? 'MODIFIED' : 'DELETED';
  return is ? 'ADDED' : undefined;
}

/** A watch that loses an object sees the last state that it could see, with the resourceVersion of the change. */
function stateFor({ type, object, previous }: Change, shown: Change['type']): ApiObject {
  if (shown === type || shown !== 'DELETED' || previous === undefined) return object;
  const { resourceVersion } = object.metadata;
  return { ...previous, metadata: { ...previous.metadata, resourceVersion } };
}

function bookmark(resource: Resource, revision: number, annotations?: Record<string, string>): string {
  return JSON.stringify({
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    metadata: { resourceVersion: String(revision), ...(annotations === undefined ? {} : { annotations }) },
    ...(resource.hasStatus ? { spec: {}, status: {} } : {}),
  });
}

function initialEventsForbidden(): Error {
  const detail = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
  return invalidOptions(forbidden('resourceVersionMatch', detail));
}
