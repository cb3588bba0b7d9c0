/** What of the controller manager's writes keeps enforce from starting, by managedFields as API servers keep them. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { json, statusBody, type TestServer, testServer } from '../cluster/testing/http-server.ts';
import { volume } from '../controller/testing/objects.ts';
import type { ObjectMeta, PersistentVolume } from '../controller/types.ts';
import { refuseLiveBinder } from './live-binder.ts';
import { phaseWriteOf } from './live-binder-writes.ts';

type Entry = NonNullable<ObjectMeta['managedFields']>[number];

const NOW = Date.parse('2026-05-04T12:00:00Z');
const MINUTE = 60_000;
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const BUILT_IN = 'kube-controller-manager';

const ago = (ms: number) => new Date(NOW - ms).toISOString().replace('.000Z', 'Z');
const PHASE = { 'f:status': { 'f:lastPhaseTransitionTime': {}, 'f:phase': {} } };
const CLAIM_REF = {
  'f:apiVersion': {},
  'f:kind': {},
  'f:name': {},
  'f:namespace': {},
  'f:resourceVersion': {},
  'f:uid': {},
};
const MARKED = { 'f:annotations': { '.': {}, 'f:pv.kubernetes.io/bound-by-controller': {} } };
const BOUND = { 'f:metadata': MARKED, 'f:spec': { 'f:claimRef': CLAIM_REF } };
const FINALIZERS = { '.': {}, 'v:"kubernetes.io/pv-protection"': {} };
const CREATED = {
  'f:metadata': { 'f:annotations': { '.': {}, 'f:pv.kubernetes.io/provisioned-by': {} } },
  'f:spec': { 'f:accessModes': {}, 'f:capacity': { '.': {}, 'f:storage': {} }, 'f:csi': { '.': {}, 'f:driver': {} } },
};

function entry(manager: string, ageMs: number, fieldsV1: object, subresource?: 'status'): Entry {
  const common = { manager, operation: 'Update', apiVersion: 'v1', time: ago(ageMs), fieldsType: 'FieldsV1', fieldsV1 };
  return { ...common, ...(subresource && { subresource }) };
}

const volumeBy = (name: string, ...managedFields: Entry[]) => volume(name, { metadata: { managedFields } });
/** As a CSI volume looks after the built-in binder has bound it. */
const boundBy = (manager: string, ageMs: number, name = 'pv-1') =>
  volumeBy(
    name,
    entry('csi-provisioner', ageMs, CREATED),
    entry(manager, ageMs, BOUND),
    entry(manager, ageMs, PHASE, 'status'),
  );

let server: TestServer;
let volumes: readonly PersistentVolume[];
let review: object;
let listStatus: number;
let lease: object | undefined;

beforeEach(async () => {
  [volumes, listStatus, lease] = [[], 200, undefined];
  review = { kind: 'SelfSubjectAccessReview', status: { allowed: true } };
  server = await testServer(({ url }, response) => {
    if (url === REVIEWS) return json(response, 201, review);
    if (url === '/api/v1/persistentvolumes?limit=500') {
      if (listStatus !== 200) return json(response, listStatus, statusBody(listStatus, 'InternalError'));
      const metadata = { resourceVersion: '9', continue: 'more' };
      return json(response, 200, { kind: 'PersistentVolumeList', apiVersion: 'v1', metadata, items: volumes });
    }
    if (lease !== undefined) return json(response, 200, { kind: 'Lease', spec: lease });
    const details = { name: 'kube-controller-manager', group: 'coordination.k8s.io', kind: 'leases' };
    return json(response, 404, statusBody(404, 'NotFound', details));
  });
});
afterEach(() => server.close());

const refuse = () => refuseLiveBinder({ server: server.url }, { wayOut: 'PV_BESIDE=true', now: NOW });

describe('a phase that the built-in controller wrote lately', () => {
  test('refuses, with the volume, the field, both times and the way out', async () => {
    volumes = [
      boundBy(BUILT_IN, 9 * MINUTE),
      boundBy(BUILT_IN, 3 * MINUTE, 'pv-2'),
      boundBy(BUILT_IN, 5 * MINUTE, 'pv-3'),
    ];
    const refusal = await refuse().catch((error: unknown) => error as Error);
    expect(refusal?.message).toContain(
      'kube-controller-manager wrote status.phase of the PersistentVolume pv-2 at 2026-05-04T11:57:00Z',
    );
    expect(refusal?.message).toContain('2026-05-04T12:07:00Z at the earliest');
    expect(refusal?.message).toContain('or say PV_BESIDE=true');
  });

  test('refuses also by a clock that is ahead of ours', async () => {
    volumes = [boundBy(BUILT_IN, -MINUTE)];
    await expect(refuse()).rejects.toThrow('pv-1');
  });

  test('refuses nothing when ten minutes have passed', async () => {
    volumes = [boundBy(BUILT_IN, 10 * MINUTE), boundBy(BUILT_IN, 90 * 24 * 60 * MINUTE, 'pv-2')];
    await expect(refuse()).resolves.toBeUndefined();
  });
});

describe('what else is written lately refuses nothing', () => {
  test.each<[string, Entry[]]>([
    ['a phase of ours', [entry('serverless-pv-controller', 0, PHASE, 'status')]],
    ['a phase of a user', [entry('kubectl-edit', 0, PHASE, 'status')]],
    [
      'a finalizer of the protection controller',
      [entry(BUILT_IN, 0, { 'f:metadata': { 'f:finalizers': FINALIZERS } })],
    ],
    [
      // One entry for all that one manager writes there, with the time of the latest.
      'a finalizer beside an old bind',
      [
        entry(BUILT_IN, 0, { 'f:metadata': { ...MARKED, 'f:finalizers': FINALIZERS }, 'f:spec': BOUND['f:spec'] }),
        entry(BUILT_IN, 60 * MINUTE, PHASE, 'status'),
      ],
    ],
    ['a capacity of the expansion', [entry(BUILT_IN, 0, { 'f:spec': { 'f:capacity': { '.': {}, 'f:storage': {} } } })]],
    ['a status without a phase', [entry(BUILT_IN, 0, { 'f:status': { 'f:conditions': {} } }, 'status')]],
    ['a phase in an entry with other fields, as before 1.22', [entry(BUILT_IN, 0, { ...BOUND, ...PHASE })]],
    ['a phase without a time', [{ ...entry(BUILT_IN, 0, PHASE, 'status'), time: undefined } as unknown as Entry]],
    ['nothing that anybody owns', []],
  ])('%s', async (_, entries) => {
    volumes = [volumeBy('pv-1', ...entries)];
    await expect(refuse()).resolves.toBeUndefined();
  });
});

describe('the question', () => {
  test('is asked of one page, after the lease, by those who may list volumes', async () => {
    await refuse();
    expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager',
      `POST ${REVIEWS}`,
      'GET /api/v1/persistentvolumes?limit=500',
    ]);
    expect(JSON.parse(server.received[1]?.body ?? '')).toMatchObject({
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { verb: 'list', resource: 'persistentvolumes' } },
    });
  });

  test.each([
    ['a no', { kind: 'SelfSubjectAccessReview', status: { allowed: false } }],
    ['something else', { kind: 'Status', status: { allowed: true } }],
    ['nothing', {}],
  ])('is left out where the review says %s', async (_, body) => {
    review = body;
    volumes = [boundBy(BUILT_IN, 0)];
    await expect(refuse()).resolves.toBeUndefined();
    expect(server.received).toHaveLength(2);
  });

  test('is left out where the lease refuses already', async () => {
    lease = { holderIdentity: 'master-1', renewTime: ago(0), leaseDurationSeconds: 15 };
    await expect(refuse()).rejects.toThrow('master-1');
    expect(server.received).toHaveLength(1);
  });

  test('without an answer refuses, since nobody knows', async () => {
    listStatus = 500;
    await expect(refuse()).rejects.toThrow(/volumes cannot be listed.*PV_BESIDE=true/);
  });
});

test('no managedFields make it fail, and only the controller manager is found in them', () => {
  const anyEntry = fc.record(
    {
      manager: fc.constantFrom(BUILT_IN, 'x'),
      time: fc.string(),
      subresource: fc.constant('status'),
      fieldsV1: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(anyEntry), (entries) => {
      const found = phaseWriteOf(volumeBy('pv-1', ...(entries as Entry[])));
      if (found !== undefined) expect(entries.some(({ manager }) => manager === BUILT_IN)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
