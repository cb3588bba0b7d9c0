import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiError, badRequest, tooLargeRevision, unsupportedMediaType } from './errors.ts';
import { type ApiObject, encode, isObject, type Json } from './json.ts';
import { encodeList, listPage, readRevision } from './list.ts';
import { unrecognized } from './metadata.ts';
import type { DeleteOptions, Operations } from './operations.ts';
import type { Resource } from './resources.ts';
import type { ApiRequest } from './router.ts';
import { selectorOf } from './selectors.ts';
import type { ObjectStore } from './store.ts';
import { tableOf, wantsTable } from './table.ts';
import { serveWatch } from './watch.ts';

export interface HandlerContext {
  readonly store: ObjectStore;
  readonly operations: Operations;
  readonly bookmarkIntervalMs: number;
}

const bodyTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const patchTypes = ['application/merge-patch+json', 'application/strategic-merge-patch+json'];

/** Answers a request about objects; failures are thrown as `ApiError`. */
export function handle(
  context: HandlerContext,
  api: ApiRequest,
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
): void {
  const asTable = wantsTable(request.headers.accept);
  if (api.verb === 'watch') {
    const { resource, namespace, query } = api;
    const options = { ...context, resource, selects: selectorOf(resource, namespace, query), query };
    serveWatch(response, asTable ? { ...options, encode: (object) => encodeTable(resource, object) } : options);
    return;
  }
  const code = api.verb === 'create' ? 201 : 200;
  const isRead = api.verb === 'get' || api.verb === 'list';
  const text = isRead ? read(context, api, asTable) : write(context, api, request, body);
  sendJson(response, code, text);
}

function read({ store, operations }: HandlerContext, api: ApiRequest, asTable: boolean): string {
  const { resource, namespace, query } = api;
  if (api.verb === 'list') {
    const page = listPage(store, resource, selectorOf(resource, namespace, query), query);
    return asTable ? JSON.stringify(tableOf(resource, page, new Date())) : encodeList(resource, page);
  }
  const revision = readRevision(query.get('resourceVersion') || '0');
  if (revision > store.revision) throw tooLargeRevision(revision, store.revision);
  const object = operations.get(api);
  return asTable ? encodeTable(resource, object) : encode(object);
}

function write({ operations }: HandlerContext, api: ApiRequest, request: IncomingMessage, body: string): string {
  const options = { subresource: api.subresource, dryRun: api.query.get('dryRun') === 'All' };
  switch (api.verb) {
    case 'create':
      return encode(operations.create(api, readJson(api, request, body), options));
    case 'update':
      return encode(operations.update(api, readJson(api, request, body), options));
    case 'patch':
      if (!patchTypes.includes(mediaType(request))) throw unsupportedMediaType('415: Unsupported Media Type', {});
      return encode(operations.patch(api, parse(api, body), options));
    default: {
      const gone = operations.delete(api, deleteOptions(api, request, body));
      return api.resource.kind === 'Event' ? successStatus(api, gone) : encode(gone);
    }
  }
}

function encodeTable(resource: Resource, object: ApiObject): string {
  const page = { items: [object], revision: Number(object.metadata.resourceVersion) };
  return JSON.stringify(tableOf(resource, page, new Date()));
}

/** Sends a JSON text. */
export function sendJson(
  response: ServerResponse,
  code: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json', 'cache-control': 'no-cache, private', ...headers });
  response.end(text);
}

/** Sends a failure as a `Status`, the way that the real server does. */
export function sendError(response: ServerResponse, error: ApiError): void {
  const retryAfter = error.status.details?.retryAfterSeconds;
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  sendJson(response, error.code, JSON.stringify(error.status), headers);
}

/** Not every kind comes back from its deletion: the real server answers a success for events. */
function successStatus({ resource }: ApiRequest, gone: ApiObject): string {
  const { name, uid } = gone.metadata;
  const details = { name, kind: resource.plural, uid };
  return JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
}

function deleteOptions(api: ApiRequest, request: IncomingMessage, body: string): DeleteOptions {
  const given = body === '' ? {} : readJson(api, request, body);
  if (!isObject(given)) throw badRequest('DeleteOptions must be a JSON object');
  const grace = given['gracePeriodSeconds'] ?? api.query.get('gracePeriodSeconds');
  return {
    preconditions: isObject(given['preconditions']) ? given['preconditions'] : undefined,
    gracePeriodSeconds: grace === null || grace === '' ? undefined : Number(grace),
    dryRun: api.query.get('dryRun') === 'All' || includes(given['dryRun'], 'All'),
  };
}

function includes(list: Json | undefined, item: string): boolean {
  return Array.isArray(list) && list.includes(item);
}

function readJson(api: ApiRequest, request: IncomingMessage, body: string): Json {
  const type = mediaType(request);
  if (type !== '' && type !== 'application/json') {
    const message = `the body of the request was in an unknown format - accepted media types include: ${bodyTypes.join(', ')}`;
    throw unsupportedMediaType(message);
  }
  return parse(api, body);
}

function parse({ resource }: ApiRequest, body: string): Json {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw unrecognized(resource, `json parse error: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function mediaType(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
}
