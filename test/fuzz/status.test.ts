/** Answers of the API server, or of whatever stands before it: what they prove, and what they can only claim. */
import type { IncomingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listIn } from '../../lib/cluster/objects.ts';
import { objectTarget, type Target, typeOf } from '../../lib/cluster/resources.ts';
import { errorIn, jsonOf, objectIn, provesAbsence, retryAfterSeconds } from '../../lib/cluster/status.ts';
import { AmbiguousError, ClusterError, ThrottledError } from '../../lib/controller/errors.ts';
import { anyJson, anyText, damaged, HOSTILE_NAMES, MEBIBYTE, mutationsOf } from './hostile.ts';
import { outcomeOf, valueIn } from './outcome.ts';
import { inTime, runs } from './runs.ts';
import { leaksIn, SECRET, textOf } from './secrets.ts';

const target = objectTarget(typeOf('PersistentVolumeClaim'), { namespace: 'default', name: 'data' });
const ABSENT = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'persistentvolumeclaims "data" not found',
  reason: 'NotFound',
  details: { name: 'data', kind: 'persistentvolumeclaims' },
  code: 404,
};
const OBJECT = {
  kind: 'PersistentVolumeClaim',
  apiVersion: 'v1',
  metadata: { namespace: 'default', name: 'data', uid: 'u', resourceVersion: '7', managedFields: [{}] },
};
const LIST = {
  kind: 'PersistentVolumeClaimList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '9' },
  items: [OBJECT],
};
const KEYS = [
  ...Object.keys(ABSENT),
  ...Object.keys(OBJECT.metadata),
  'items',
  'retryAfterSeconds',
  'group',
  'continue',
];

const statusCode = fc.oneof(
  fc.integer({ min: 100, max: 599 }),
  fc.constantFrom(200, 404, 409, 410, 429, 500, 503, 504),
);
const body = (valid: unknown) =>
  fc.oneof(
    mutationsOf(valid, KEYS).map((value) => JSON.stringify(value)),
    anyJson(KEYS).map((value) => JSON.stringify(value)),
    damaged(JSON.stringify(valid)),
    anyText,
    fc.constant(JSON.stringify(valid)),
  );
const headers: fc.Arbitrary<IncomingHttpHeaders> = fc.record(
  { 'retry-after': anyText, 'content-type': anyText },
  { requiredKeys: [] },
);
const answer = (valid: unknown) => fc.record({ status: statusCode, headers, body: body(valid) });

describe('a 404', () => {
  test('proves an absence only when it says everything that the server says of that very object', () => {
    fc.assert(
      fc.property(answer(ABSENT), (response) => {
        if (!provesAbsence(response, target)) return;
        const { kind, apiVersion, reason, code, details } = JSON.parse(response.body);
        expect({ kind, apiVersion, reason, details }).toMatchObject({
          kind: 'Status',
          apiVersion: 'v1',
          reason: 'NotFound',
          details: { name: 'data', kind: 'persistentvolumeclaims' },
        });
        expect([404, undefined]).toContain(code);
        expect(response.status).toBe(404);
      }),
      runs(),
    );
    expect(provesAbsence({ status: 404, headers: {}, body: JSON.stringify(ABSENT) }, target)).toBe(true);
  });

  test('about another name, however alike, proves nothing', () => {
    const names = [...HOSTILE_NAMES, 'dat\u0430', 'Data', 'data ', 'data/', 'data\u0000'];
    for (const name of names) {
      const other = { ...ABSENT, details: { ...ABSENT.details, name } };
      expect(provesAbsence({ status: 404, headers: {}, body: JSON.stringify(other) }, target)).toBe(false);
    }
  });
});

describe('any answer', () => {
  test('that is no success becomes an error of the cluster, short and with fields of their types', () => {
    fc.assert(
      fc.property(answer(ABSENT), (response) => {
        const error = errorIn(response, target, 'GET x');
        expect(error).toBeInstanceOf(ClusterError);
        expect(error.message.length).toBeLessThan(2_500);
        expect(error.code).toBe(response.status);
        expect(error.reason).toBeTypeOf('string');
        if (!(error instanceof ThrottledError) || error.retryAfterSeconds === undefined) return;
        expect(error.retryAfterSeconds).toBeGreaterThanOrEqual(0);
        expect(error.retryAfterSeconds).toBeLessThanOrEqual(60);
      }),
      {
        ...runs(),
        examples: [
          { message: { toString: 1 } },
          { message: '', reason: {} },
          { reason: 'x'.repeat(MEBIBYTE) },
          { details: { retryAfterSeconds: [3] } },
        ].map((part) => [{ status: 500, headers: {}, body: JSON.stringify({ ...ABSENT, ...part }) }] as const) as never,
      },
    );
  });

  test('that is a success is that very object or nothing', () => {
    fc.assert(
      fc.property(answer(OBJECT), (response) => {
        const object = valueIn(outcomeOf(() => objectIn(response, target, 'GET x'), AmbiguousError));
        if (object === undefined) return;
        const { kind, apiVersion, metadata } = OBJECT;
        expect(object).toMatchObject({ kind, apiVersion, metadata: { name: metadata.name, namespace: 'default' } });
        expect((object['metadata'] as { uid: unknown }).uid).toMatch(/./);
      }),
      runs(),
    );
  });

  test('that is a list has items with names and versions, or is none', () => {
    fc.assert(
      fc.property(answer(LIST), (response) => {
        const read = () => listIn(response, typeOf('PersistentVolumeClaim'), 'LIST x', (item) => item);
        const list = valueIn(outcomeOf(read, AmbiguousError));
        expect(list?.info.resourceVersion ?? 'none').toMatch(/./);
        for (const { metadata } of list?.items ?? []) {
          expect([metadata.name, metadata.resourceVersion]).toEqual([expect.any(String), expect.any(String)]);
        }
      }),
      runs(),
    );
  });

  test('is read as JSON without an error, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, body(ABSENT)), (text) => {
        expect(jsonOf(text) ?? {}).toBeTypeOf('object');
      }),
      runs(),
    );
  });

  test('of a megabyte takes no time and is not quoted', async () => {
    const bodies = [
      '['.repeat(MEBIBYTE),
      '{"a":'.repeat(MEBIBYTE / 5),
      JSON.stringify({ ...ABSENT, message: 'Bearer '.repeat(MEBIBYTE / 7) }),
      JSON.stringify({ ...ABSENT, message: `Bearer${' '.repeat(MEBIBYTE)}` }),
      JSON.stringify({ ...ABSENT, reason: 'x'.repeat(MEBIBYTE), message: '' }),
      `<html>${'x'.repeat(MEBIBYTE)}</html>`,
    ];
    for (const text of bodies) {
      const error = await inTime(() => errorIn({ status: 500, headers: {}, body: text }, target, 'GET x'));
      expect(error.message.length).toBeLessThan(2_500);
    }
  });
});

test('Retry-After is a number of seconds between 0 and 60, or nothing, whatever the header says', () => {
  const value = fc.oneof(
    anyText,
    fc.nat().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  );
  fc.assert(
    fc.property(value, fc.nat(), (header, now) => {
      const seconds = retryAfterSeconds({ 'retry-after': header }, now);
      if (seconds !== undefined) expect(seconds >= 0 && seconds <= 60).toBe(true);
    }),
    runs(),
  );
});

test('a credential that a proxy sends back is not quoted, in whatever case and place it stands', () => {
  const said = fc.tuple(
    anyText.filter((text) => !/bearer/i.test(text)),
    fc.constantFrom('Bearer', 'bearer', 'BEARER'),
    fc.constantFrom(' ', '  ', '\t', '\n'),
    fc.constantFrom('', ' and more', '"}', '\r\nX: y'),
  );
  fc.assert(
    fc.property(statusCode, said, (status, [before, word, space, after]) => {
      const message = `${before} Authorization: ${word}${space}${SECRET.token}${after}`;
      const text = JSON.stringify({ ...ABSENT, message });
      expect(leaksIn(textOf(errorIn({ status, headers: {}, body: text }, target, 'GET x')))).toEqual([]);
    }),
    runs(),
  );
});

test('no name that a path could be made of leaves its place in it', () => {
  const type = fc
    .constantFrom('PersistentVolume', 'PersistentVolumeClaim', 'Pod', 'StorageClass', 'Event')
    .map((kind) => typeOf(kind as 'Pod'));
  const name = fc.oneof(anyText, fc.stringMatching(/^[a-z0-9.-]{1,20}$/));
  fc.assert(
    fc.property(type, name, name, (of, namespace, objectName) => {
      const made: Target | undefined = valueIn(
        outcomeOf(() => objectTarget(of, { namespace, name: objectName }), ClusterError),
      );
      if (made === undefined) return;
      const { pathname } = new URL(made.path, 'https://api.example');
      const root = of.group === '' ? `/api/${of.apiVersion}` : `/apis/${of.apiVersion}`;
      const scope = of.namespaced ? `/namespaces/${namespace}` : '';
      expect(pathname).toBe(`${root}${scope}/${of.plural}/${objectName}`);
    }),
    runs(),
  );
});
