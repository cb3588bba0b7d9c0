import { type ApiError, badRequest, methodNotAllowed, noSuchEndpoint } from './errors.ts';
import { findResource, type Resource } from './resources.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** What a request asks for, in the words of Kubernetes. */
export interface ApiRequest {
  readonly verb: Verb;
  readonly resource: Resource;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  /** Empty for lists, watches of a collection and creates. */
  readonly name: string;
  readonly query: URLSearchParams;
}

/** A URL in its two parts. The path is kept as it came: `URL` would resolve its dots, and so hide bad names. */
export interface Target {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Takes the URL of a request apart. */
export function targetOf(url: string): Target {
  const [path = '', ...query] = url.split('?');
  return { path, query: new URLSearchParams(query.join('?')) };
}

/** Finds out what a method and a target ask for; `undefined` for paths outside of the served groups. */
export function route(method: string, { path, query }: Target): ApiRequest | undefined {
  const place = placeOf(path);
  if (place === undefined) return undefined;
  const { resource, subresource, namespace, name } = place;
  if (namespace !== undefined && !resource.namespaced) throw noSuchEndpoint();
  if (subresource !== undefined && !(subresource === 'status' && resource.hasStatus)) throw noSuchEndpoint();
  const verb = verbOf(method, query, place);
  return { verb, resource, subresource, namespace, name, query };
}

type Place = Pick<ApiRequest, 'resource' | 'subresource' | 'namespace' | 'name'>;

function placeOf(path: string): Place | undefined {
  const parts = decode(path).split('/').slice(1);
  const [root, ...rest] = parts;
  const [group, version] = root === 'api' ? ['', rest.shift()] : [rest.shift(), rest.shift()];
  const isServed =
    root === 'api'
      ? version === 'v1'
      : root === 'apis' && (group === 'storage.k8s.io' || group === 'coordination.k8s.io') && version === 'v1';
  if (!isServed || rest.length === 0) return undefined;
  // `namespaces/x/pods` is a place in a namespace; `namespaces/x` and `namespaces/x/status` are the namespace itself.
  const isInNamespace = rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'status';
  const namespace = isInNamespace ? rest[1] : undefined;
  const [plural = '', name = '', subresource, ...more] = isInNamespace ? rest.slice(2) : rest;
  const resource = findResource(group ?? '', version ?? '', plural);
  if (resource === undefined || more.length > 0) throw noSuchEndpoint();
  if (name !== '') checkName(name);
  return { resource, subresource, namespace, name };
}

/** Decodes first and splits then, as the real server does: an encoded slash separates like any other. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw badRequest('the path is not well encoded');
  }
}

function checkName(name: string): void {
  const problem =
    name === '.' || name === '..' ? `may not be '${name}'` : name.includes('%') ? "may not contain '%'" : undefined;
  if (problem !== undefined) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${problem}`);
}

function verbOf(method: string, query: URLSearchParams, { resource, subresource, namespace, name }: Place): Verb {
  const isObject = name !== '';
  const isOneCollection = resource.namespaced === (namespace !== undefined);
  const watches = query.get('watch');
  switch (method) {
    case 'GET':
      // Only collections are watched: `watch` on one object is read over, as the real server does.
      if (isObject) return 'get';
      return watches === '' || watches === 'true' || watches === '1' ? 'watch' : 'list';
    case 'POST':
      if (!isObject && isOneCollection) return 'create';
      break;
    case 'PUT':
      if (isObject) return 'update';
      break;
    case 'PATCH':
      if (isObject) return 'patch';
      break;
    case 'DELETE':
      if (isObject && subresource === undefined) return 'delete';
      break;
    default:
  }
  throw methodNotAllowed() satisfies ApiError;
}
