import { badRequest, expired, forbidden, invalidOptions, invalidRevision, tooLargeRevision } from './errors.ts';
import { type ApiObject, encode, isObject } from './json.ts';
import { apiVersionOf, type Resource, storageKey } from './resources.ts';
import type { Selector } from './selectors.ts';
import type { ObjectStore } from './store.ts';

/** One page of a list, as the server holds it. */
export interface Page {
  readonly items: readonly ApiObject[];
  readonly revision: number;
  readonly continueToken?: string;
  readonly remaining?: number;
}

const continueExpired =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

interface Position {
  /** The revision of the first page; -1: go on with whatever is there now. */
  readonly revision: number;
  readonly after: string;
}

/** Lists by `limit`, `continue` and `resourceVersion`. All pages of one list show one moment. */
export function listPage(store: ObjectStore, resource: Resource, selects: Selector, query: URLSearchParams): Page {
  const limit = readLimit(query.get('limit'));
  const position = readToken(query.get('continue'));
  const revision = position === undefined ? requestedRevision(store, query) : position.revision;
  const fixed = revision === undefined || revision === -1 ? store.revision : revision;
  const all = store.collection(resource.plural).listAt(fixed);
  if (all === undefined) throw tooOld(position);
  const selected = all.filter((object) => selects(object) && isAfter(object, position?.after));
  if (limit <= 0 || selected.length <= limit) return { items: selected, revision: fixed };
  const items = selected.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    revision: fixed,
    continueToken: writeToken({ revision: fixed, after: last === undefined ? '' : keyOf(last) }),
    // With a selector the real server does not know what is left, and says nothing.
    ...(query.has('fieldSelector') || query.has('labelSelector') ? {} : { remaining: selected.length - limit }),
  };
}

/** The JSON of a list. Items go without kind and apiVersion, as everywhere in lists of built-in kinds. */
export function encodeList(resource: Resource, page: Page): string {
  const metadata = {
    resourceVersion: String(page.revision),
    ...(page.continueToken === undefined ? {} : { continue: page.continueToken }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
  const head = JSON.stringify({ kind: `${resource.kind}List`, apiVersion: apiVersionOf(resource), metadata });
  return `${head.slice(0, -1)},"items":[${page.items.map(encodeItem).join(',')}]}`;
}

function encodeItem(object: ApiObject): string {
  const { apiVersion, kind } = object;
  const text = encode(object);
  const head = `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},`;
  if (text.startsWith(head)) return `{${text.slice(head.length)}`;
  return JSON.stringify({ ...object, apiVersion: undefined, kind: undefined });
}

function keyOf(object: ApiObject): string {
  return storageKey(object.metadata.namespace, object.metadata.name);
}

function isAfter(object: ApiObject, key: string | undefined): boolean {
  return key === undefined || keyOf(object) > key;
}

function readLimit(text: string | null): number {
  if (text === null || text === '') return 0;
  if (!/^-?\d{1,15}$/.test(text)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  return Number(text);
}

/** The revision that a list must show exactly, `undefined` where the newest one will do. */
function requestedRevision(store: ObjectStore, query: URLSearchParams): number | undefined {
  const text = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch');
  if (match !== null && match !== '' && text === '') {
    const error = forbidden(
      'resourceVersionMatch',
      'resourceVersionMatch is forbidden unless resourceVersion is provided',
    );
    throw invalidOptions(error);
  }
  if (text === '' || text === '0') return undefined;
  const revision = readRevision(text);
  if (revision > store.revision) throw tooLargeRevision(revision, store.revision);
  const isExact = match === 'Exact' || (match === null && query.has('limit'));
  return isExact ? revision : undefined;
}

/** Reads a resourceVersion that a client sent. */
export function readRevision(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw invalidRevision(text);
  return Number(text);
}

function tooOld(position: Position | undefined): Error {
  if (position === undefined) return expired(`The resourceVersion for the provided list is too old.`);
  const error = expired(continueExpired);
  error.status.metadata.continue = writeToken({ ...position, revision: -1 });
  return error;
}

function writeToken({ revision, after }: Position): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: after })).toString('base64url');
}

function readToken(token: string | null): Position | undefined {
  if (token === null || token === '') return undefined;
  try {
    const content: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (isObject(content) && typeof content['rv'] === 'number' && typeof content['start'] === 'string') {
      return { revision: content['rv'], after: content['start'] };
    }
  } catch {
    // Told below, like every other token that is not ours.
  }
  throw badRequest('invalid continue token: continue key is not valid');
}
