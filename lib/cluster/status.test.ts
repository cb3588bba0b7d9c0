import { describe, expect, it } from 'vitest';
import type { ThrottledError } from '../controller/errors.ts';
import type { ApiResponse } from './request.ts';
import { objectTarget, typeOf } from './resources.ts';
import { errorIn, objectIn, provesAbsence, retryAfterSeconds } from './status.ts';
import { statusBody } from './testing/http-server.ts';

const volume = objectTarget(typeOf('PersistentVolume'), { name: 'a' });
const claim = objectTarget(typeOf('PersistentVolumeClaim'), { namespace: 'ns', name: 'c' });
const storageClass = objectTarget(typeOf('StorageClass'), { name: 'gp3' });

function answer(status: number, body: unknown, headers: Record<string, string> = {}): ApiResponse {
  return { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

function errorOf(response: ApiResponse, target = volume): string {
  return errorIn(response, target, 'GET x').name;
}

describe('provesAbsence', () => {
  it('believes a Status about the very object', () => {
    const details = { name: 'a', kind: 'persistentvolumes' };
    expect(provesAbsence(answer(404, statusBody(404, 'NotFound', details)), volume)).toBe(true);
    const inGroup = { name: 'gp3', kind: 'storageclasses', group: 'storage.k8s.io' };
    expect(provesAbsence(answer(404, statusBody(404, 'NotFound', inGroup)), storageClass)).toBe(true);
    const ofClaim = { name: 'c', kind: 'persistentvolumeclaims' };
    expect(provesAbsence(answer(404, statusBody(404, 'NotFound', ofClaim)), claim)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['a page', '<html>not found</html>'],
    ['plain text, as for a path that is not served', '404 page not found\n'],
    ['JSON of something else', { message: 'no such route' }],
    ['null', 'null'],
    ['a list', '[]'],
    ['no details', statusBody(404, 'NotFound')],
    ['empty details, as for a resource that is not served', statusBody(404, 'NotFound', {})],
    ['another object', statusBody(404, 'NotFound', { name: 'b', kind: 'persistentvolumes' })],
    ['another kind', statusBody(404, 'NotFound', { name: 'a', kind: 'persistentvolumeclaims' })],
    ['the kind in the singular', statusBody(404, 'NotFound', { name: 'a', kind: 'PersistentVolume' })],
    ['another group', statusBody(404, 'NotFound', { name: 'a', kind: 'persistentvolumes', group: 'x.io' })],
    ['the namespace', statusBody(404, 'NotFound', { name: 'ns', kind: 'namespaces' })],
    ['another reason', statusBody(404, 'Gone', { name: 'a', kind: 'persistentvolumes' })],
    ['another code', statusBody(403, 'NotFound', { name: 'a', kind: 'persistentvolumes' })],
    [
      'a Status of another version',
      { ...statusBody(404, 'NotFound', { name: 'a', kind: 'persistentvolumes' }), apiVersion: 'v2' },
    ],
  ])('does not believe a 404 with %s', (_, body) => {
    expect(provesAbsence(answer(404, body), volume)).toBe(false);
    expect(errorOf(answer(404, body))).toBe('AmbiguousError');
  });

  it('does not believe the right Status with another HTTP status', () => {
    const body = statusBody(404, 'NotFound', { name: 'a', kind: 'persistentvolumes' });
    expect(provesAbsence(answer(200, body), volume)).toBe(false);
    expect(provesAbsence(answer(502, body), volume)).toBe(false);
  });

  it('wants the group of a class', () => {
    const body = statusBody(404, 'NotFound', { name: 'gp3', kind: 'storageclasses' });
    expect(provesAbsence(answer(404, body), storageClass)).toBe(false);
  });
});

describe('errorIn', () => {
  it.each([
    [404, statusBody(404, 'NotFound', { name: 'a', kind: 'persistentvolumes' }), 'NotFoundError'],
    [409, statusBody(409, 'AlreadyExists'), 'AlreadyExistsError'],
    [409, statusBody(409, 'Conflict'), 'ConflictError'],
    [409, '<html>', 'AmbiguousError'],
    [410, statusBody(410, 'Expired'), 'GoneError'],
    [429, statusBody(429, 'TooManyRequests'), 'ThrottledError'],
    [429, '', 'ThrottledError'],
    [400, statusBody(400, 'BadRequest'), 'ClusterError'],
    [401, statusBody(401, 'Unauthorized'), 'ClusterError'],
    [403, statusBody(403, 'Forbidden'), 'ClusterError'],
    [403, '<html>', 'ClusterError'],
    [422, statusBody(422, 'Invalid'), 'ClusterError'],
    [500, statusBody(500, 'InternalError'), 'ClusterError'],
    [500, statusBody(500, 'ServerTimeout'), 'AmbiguousError'],
    [500, 'oops', 'AmbiguousError'],
    [502, '<html>', 'AmbiguousError'],
    [503, statusBody(503, 'ServiceUnavailable'), 'ClusterError'],
    [503, '<html>', 'AmbiguousError'],
    [504, statusBody(504, 'Timeout'), 'AmbiguousError'],
    [302, '', 'AmbiguousError'],
    [204, '', 'AmbiguousError'],
  ])('takes %i with %j for a %s', (status, body, name) => {
    expect(errorOf(answer(status, body))).toBe(name);
  });

  it('takes a missing namespace for a refusal', () => {
    const body = statusBody(404, 'NotFound', { name: 'ns', kind: 'namespaces' });
    expect(errorOf(answer(404, body), claim)).toBe('ClusterError');
  });

  it('takes 503 with Retry-After for throttling', () => {
    expect(errorIn(answer(503, '', { 'retry-after': '7' }), volume, 'x')).toMatchObject({
      name: 'ThrottledError',
      code: 503,
      retryAfterSeconds: 7,
    });
  });

  it('reads the time to wait from the Status where there is no header', () => {
    const body = statusBody(429, 'TooManyRequests', { retryAfterSeconds: 3 });
    expect((errorIn(answer(429, body), volume, 'x') as ThrottledError).retryAfterSeconds).toBe(3);
    expect((errorIn(answer(429, ''), volume, 'x') as ThrottledError).retryAfterSeconds).toBeUndefined();
  });

  it('carries code, reason and a cut message', () => {
    const error = errorIn(answer(422, statusBody(422, 'Invalid', {}, 'm'.repeat(9_000))), volume, 'PUT x');
    expect(error).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(error.message).toMatch(/^PUT x: m{1024}…$/);
  });

  it('does not show a body that is no Status', () => {
    const error = errorIn(answer(403, '<html>secret</html>', { 'content-type': 'text/html' }), volume, 'GET x');
    expect(error.message).toBe('GET x: answered 403 with no Kubernetes Status (text/html, 19 characters)');
  });
});

it('shows no bearer token that a proxy sends back', () => {
  const message = 'you sent Authorization: Bearer abc.def-123 to me';
  const body = JSON.stringify({ ...statusBody(500, 'InternalError'), message });
  expect(errorIn(answer(500, body), volume, 'x').message).toContain('you sent Authorization: Bearer … to me');
});

describe('retryAfterSeconds', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    ['12', 12],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30],
    ['Thu, 01 Jan 2026 00:00:00 GMT', 0],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['3600', 60],
    ['999999999999', 60],
    ['Fri, 02 Jan 2026 00:00:00 GMT', 60],
    ['soon', undefined],
    ['', undefined],
    ['-5x', undefined],
  ])('reads %j as %s', (value, seconds) => {
    expect(retryAfterSeconds({ 'retry-after': value }, now)).toBe(seconds);
  });
});

describe('objectIn', () => {
  const good = {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    metadata: { namespace: 'ns', name: 'c', uid: 'u', resourceVersion: '1' },
  };

  it('gives the object that was asked for', () => {
    expect(objectIn(answer(200, good), claim, 'x')).toEqual(good);
  });

  it.each([
    ['a login page', '<html>log in</html>'],
    ['an empty body', ''],
    ['half an object', JSON.stringify(good).slice(0, 40)],
    ['another kind', { ...good, kind: 'PersistentVolume' }],
    ['another version', { ...good, apiVersion: 'v2' }],
    ['a Status', statusBody(200, '')],
    ['no metadata', { kind: good.kind, apiVersion: 'v1' }],
    ['another name', { ...good, metadata: { ...good.metadata, name: 'd' } }],
    ['another namespace', { ...good, metadata: { ...good.metadata, namespace: 'other' } }],
    ['no uid', { ...good, metadata: { ...good.metadata, uid: undefined } }],
    ['no resourceVersion', { ...good, metadata: { ...good.metadata, resourceVersion: '' } }],
  ])('does not trust %s', (_, body) => {
    expect(() => objectIn(answer(200, body), claim, 'GET x')).toThrow(
      expect.objectContaining({ name: 'AmbiguousError', code: 200 }),
    );
  });
});
