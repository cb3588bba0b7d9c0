/** Who wrote it, told from managedFields as an API server keeps them. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { volume } from '../controller/testing/objects.ts';
import type { ObjectMeta, PersistentVolume } from '../controller/types.ts';
import { BUILT_IN_MANAGER, OUR_MANAGER, whoIs, writerOf } from './writer.ts';

type Entries = NonNullable<ObjectMeta['managedFields']>;

const PHASE = { 'f:status': { 'f:phase': {} } };
const BOUND = { 'f:spec': { 'f:claimRef': { 'f:uid': {}, 'f:resourceVersion': {} } } };
const RESERVED = { 'f:spec': { 'f:claimRef': { 'f:name': {}, 'f:namespace': {} } } };
const LABELS = { 'f:metadata': { 'f:labels': { 'f:tier': {} } } };

function entry(manager: string, second: number, fieldsV1: object, subresource?: 'status'): Entries[number] {
  const time = `2026-05-01T10:00:${String(second).padStart(2, '0')}Z`;
  return { manager, operation: 'Update', apiVersion: 'v1', time, fieldsV1, ...(subresource && { subresource }) };
}

function with_(...managedFields: Entries): PersistentVolume {
  return volume('pv-1', { metadata: { managedFields } });
}

const phaseBy = (manager: string, second = 1) => entry(manager, second, PHASE, 'status');
const boundBy = (manager: string, second = 1) => entry(manager, second, BOUND);

describe('the writer of a field', () => {
  test('is who owns it, however many have written since', () => {
    const after = with_(boundBy(BUILT_IN_MANAGER), phaseBy(BUILT_IN_MANAGER, 2), entry('kubectl-label', 30, LABELS));
    expect(writerOf(undefined, after, 'PersistentVolume', 'phase')).toEqual({
      who: 'built-in',
      manager: 'kube-controller-manager',
      at: '2026-05-01T10:00:02Z',
    });
  });

  test('of a binding is who gave it a uid, not who reserved the volume', () => {
    const after = with_(entry('kubectl-edit', 9, RESERVED), boundBy(BUILT_IN_MANAGER, 3));
    expect(writerOf(undefined, after, 'PersistentVolume', 'binding').who).toBe('built-in');
  });

  test('is us under the name that our user agent has', () => {
    expect(writerOf(undefined, with_(phaseBy(OUR_MANAGER)), 'PersistentVolume', 'phase').who).toBe('us');
    expect(readFileSync('lib/cluster/transport.ts', 'utf8')).toContain(`'User-Agent': \`${OUR_MANAGER}/`);
  });

  test.each(['kubectl-edit', 'kube-scheduler', 'csi-provisioner'])('is %s under its own name', (manager) => {
    const writer = writerOf(undefined, with_(phaseBy(manager)), 'PersistentVolume', 'phase');
    expect(writer).toMatchObject({ who: 'other', manager });
  });

  test('among two owners is the one whose entry is new', () => {
    const before = with_(phaseBy(BUILT_IN_MANAGER, 5));
    const after = with_(phaseBy(BUILT_IN_MANAGER, 5), phaseBy('kubectl', 5));
    expect(writerOf(before, after, 'PersistentVolume', 'phase').manager).toBe('kubectl');
  });

  test('is the one owner also when the same second hides that it wrote again', () => {
    const held = with_(phaseBy(BUILT_IN_MANAGER, 5));
    expect(writerOf(held, held, 'PersistentVolume', 'phase').who).toBe('built-in');
  });

  test('that is an atomic whole is who owns that', () => {
    const after = with_(entry('kubectl', 1, { 'f:spec': { 'f:claimRef': {} } }));
    expect(writerOf(undefined, after, 'PersistentVolume', 'binding').manager).toBe('kubectl');
  });
});

describe('a field that was removed', () => {
  test('was removed by whoever changed what he owns', () => {
    const before = with_(boundBy(BUILT_IN_MANAGER, 1), entry('kubectl-edit', 2, LABELS), phaseBy('other', 8));
    const after = with_(entry('kubectl-edit', 7, LABELS), phaseBy('other', 8));
    expect(writerOf(before, after, 'PersistentVolume', 'binding').manager).toBe('kubectl-edit');
  });

  test('of the spec is never laid to a writer of the status', () => {
    const after = with_(entry('kubectl-edit', 2, LABELS), phaseBy(BUILT_IN_MANAGER, 9));
    expect(writerOf(undefined, after, 'PersistentVolume', 'binding').manager).toBe('kubectl-edit');
  });
});

test('an object without managedFields says nothing', () => {
  expect(writerOf(undefined, volume('pv-1'), 'PersistentVolume', 'phase')).toEqual({ who: 'unknown' });
  expect(writerOf(volume('pv-1'), with_({}), 'PersistentVolume')).toEqual({ who: 'unknown' });
});

test('without a field it is who wrote last', () => {
  const after = with_(phaseBy(BUILT_IN_MANAGER, 2), entry('kubectl-label', 30, LABELS));
  expect(writerOf(undefined, after, 'PersistentVolume').manager).toBe('kubectl-label');
  expect(
    writerOf(after, with_(phaseBy(BUILT_IN_MANAGER, 3), entry('kubectl-label', 30, LABELS)), 'PersistentVolume').who,
  ).toBe('built-in');
});

test('no managedFields make it fail, and nobody is us who does not say so', () => {
  const anyEntries = fc.array(
    fc.record(
      { manager: fc.string(), time: fc.string(), subresource: fc.string(), fieldsV1: fc.jsonValue() },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(anyEntries, anyEntries, (was, is) => {
      const [before, after] = [with_(...(was as Entries)), with_(...(is as Entries))];
      for (const of of ['phase', 'binding', undefined] as const) {
        const { who, manager } = writerOf(before, after, 'PersistentVolume', of);
        expect(who).toBe(manager === undefined ? 'unknown' : whoIs(manager));
        if (manager !== undefined) expect(is.map((each) => each.manager)).toContain(manager);
      }
    }),
    { numRuns: 300 },
  );
});
