import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError, forbiddenObject, unauthorized } from './errors.ts';
import type { ApiRequest } from './router.ts';

const publicPaths = new Set(['/version', '/readyz', '/healthz', '/livez']);

/** Whether a path is answered to everybody. */
export function isPublic(path: string): boolean {
  return publicPaths.has(path);
}

/** Whoever a request comes from: somebody with the token (or nobody asked for one), or an unknown. */
export function identify(token: string | undefined, authorization: string | undefined): 'admin' | 'anonymous' {
  if (token === undefined) return 'admin';
  if (authorization === undefined) return 'anonymous';
  const given = /^Bearer\s+(\S+)$/i.exec(authorization)?.[1] ?? '';
  if (!timingSafeEqual(digest(given), digest(token))) throw unauthorized();
  return 'admin';
}

/** What the real server tells a client that sent no credentials at all. */
export function refuseAnonymous(path: string, request: ApiRequest | undefined): ApiError {
  if (request === undefined) {
    return new ApiError(403, 'Forbidden', `forbidden: User "system:anonymous" cannot get path "${path}"`, {});
  }
  const { verb, resource, subresource, namespace, name } = request;
  const place = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const object = subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`;
  const why = `User "system:anonymous" cannot ${verb} resource "${object}" in API group "${resource.group}" ${place}`;
  return forbiddenObject(resource, name, why);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
