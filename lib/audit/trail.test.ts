/** What becomes a record, what it says, and that every one is of the published form. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { boundPair, claim, orphan, refTo, volume } from '../controller/testing/objects.ts';
import type { SyncKey } from '../controller/types.ts';
import type { SyncMessage } from '../queue/message.ts';
import type { Transition } from '../worker/transition.ts';
import type { AuditRecord } from './record.ts';
import { AUDIT_SCHEMA } from './schema.ts';
import { AuditTrail, seenRecords } from './trail.ts';
import { BUILT_IN_MANAGER } from './writer.ts';

const NOW = Date.parse('2026-05-01T10:00:05.250Z');
const KEY: SyncKey = { kind: 'PersistentVolume', name: 'pv-1' };
const RELEASED: Transition = { kind: 'PersistentVolume', name: 'pv-1', of: 'phase', from: 'Bound', to: 'Released' };
const MESSAGE: SyncMessage = { v: 1, ...KEY, uid: 'claim-uid', resourceVersion: '41', reason: 'deleted' };

let records: AuditRecord[];
let trail: AuditTrail;
beforeEach(() => {
  records = [];
  trail = new AuditTrail(
    (record) => records.push(record),
    () => NOW,
  );
});

describe('a change that we made', () => {
  test('says who, why, between which versions, after which message and how long it took', () => {
    const written = {
      before: volume('pv-1', { metadata: { resourceVersion: '42' } }),
      after: volume('pv-1', { metadata: { resourceVersion: '43' } }),
    };
    trail.started(KEY, [MESSAGE], { messageIds: ['m-1'], sentAt: NOW - 180 });
    trail.noted(KEY, 'volume pv-1: its claim is gone');
    trail.noted(KEY, 'volume pv-1: phase Bound -> Released');
    trail.wrote(KEY, RELEASED, written, 'uid-of-pv-1');
    expect(records).toEqual([
      {
        v: 1,
        time: '2026-05-01T10:00:05.250Z',
        kind: 'PersistentVolume',
        name: 'pv-1',
        uid: 'uid-of-pv-1',
        volumeUid: 'uid-of-pv-1',
        of: 'phase',
        from: 'Bound',
        to: 'Released',
        who: 'us',
        how: 'made',
        reason: 'volume pv-1: its claim is gone',
        versions: { before: '42', after: '43' },
        cause: { reason: 'deleted', uid: 'claim-uid', resourceVersion: '41', messages: ['m-1'] },
        latencyMs: 180,
      },
    ]);
  });

  test('says no more than is known', () => {
    trail.wrote(KEY, RELEASED);
    expect(Object.keys(records[0] ?? {})).toEqual(['v', 'time', 'kind', 'name', 'of', 'from', 'to', 'who', 'how']);
  });

  test('of a claim has its own uid, and that of its volume', () => {
    const key: SyncKey = { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'data' };
    const after = claim('data', { spec: { volumeName: 'pv-1' } });
    const bound: Transition = { kind: key.kind, name: 'ns/data', of: 'binding', from: 'none', to: 'pv-1' };
    trail.wrote(key, bound, { before: undefined, after }, 'uid-of-pv-1');
    expect(records).toMatchObject([{ uid: 'uid-of-data', volumeUid: 'uid-of-pv-1', versions: { after: '1' } }]);
  });

  test('has the reason of its own sync when two go on side by side', () => {
    const other: SyncKey = { ...KEY };
    trail.noted(KEY, 'mine');
    trail.noted(other, 'not mine');
    trail.wrote(KEY, RELEASED);
    expect(records[0]?.reason).toBe('mine');
  });

  test('is not made longer by what a user wrote', () => {
    trail.wrote(KEY, { ...RELEASED, of: 'binding', to: 'x'.repeat(5_000) });
    expect(records[0]?.to).toHaveLength(1_001);
  });

  test('never took less than no time, whatever the clocks say', () => {
    trail.started(KEY, [], { sentAt: NOW + 5_000 });
    trail.wrote(KEY, RELEASED);
    expect(records[0]?.latencyMs).toBe(0);
  });
});

describe('a change that was seen', () => {
  const { claim: bound, volume: pv } = boundPair();
  const by = (manager: string, fieldsV1: object, subresource?: string) => [
    { manager, operation: 'Update', time: '2026-05-01T10:00:04Z', fieldsV1, ...(subresource && { subresource }) },
  ];

  test('is laid to who wrote it', () => {
    const before = volume('pv-of-one');
    const managedFields = by(BUILT_IN_MANAGER, { 'f:spec': { 'f:claimRef': { 'f:uid': {} } } });
    const after = volume('pv-of-one', {
      spec: { claimRef: refTo(bound) },
      metadata: { resourceVersion: '2', managedFields },
    });
    expect(seenRecords({ type: 'MODIFIED', kind: 'PersistentVolume', before, after, at: NOW })).toMatchObject([
      {
        of: 'binding',
        from: 'none',
        to: 'ns/one',
        who: 'built-in',
        manager: BUILT_IN_MANAGER,
        how: 'seen',
        versions: { before: '1', after: '2' },
        latencyMs: 1_250,
      },
    ]);
  });

  test('may be two at once: a phase and a binding, each with its writer', () => {
    const managedFields = [
      ...by('kubectl-edit', { 'f:metadata': {} }),
      ...by(BUILT_IN_MANAGER, { 'f:status': { 'f:phase': {} } }, 'status'),
    ];
    const after = volume(pv.metadata.name, { metadata: { managedFields }, status: { phase: 'Available' } });
    const seen = seenRecords({ type: 'MODIFIED', kind: 'PersistentVolume', before: pv, after, at: NOW });
    expect(seen.map(({ of, who, manager }) => ({ of, who, manager }))).toEqual([
      { of: 'binding', who: 'other', manager: 'kubectl-edit' },
      { of: 'phase', who: 'built-in', manager: BUILT_IN_MANAGER },
    ]);
  });

  test('that is a delete is nobody’s, as no server keeps whose it was', () => {
    const managedFields = by(BUILT_IN_MANAGER, { 'f:status': { 'f:phase': {} } }, 'status');
    const last = orphan('pv-1', { metadata: { managedFields } });
    const [record] = seenRecords({ type: 'DELETED', kind: 'PersistentVolume', before: last, after: last, at: NOW });
    expect(record).toMatchObject({ from: 'Released', to: 'deleted', who: 'unknown' });
    expect(record).not.toHaveProperty('manager');
  });

  test('is none when only something else changed, the object is new here, or another one has its name', () => {
    const relabelled = { ...pv, metadata: { ...pv.metadata, labels: { tier: 'gold' } } };
    const again = { ...volume('pv-of-one'), metadata: { ...pv.metadata, uid: 'another' } };
    for (const [before, after] of [
      [pv, relabelled],
      [undefined, pv],
      [pv, again],
    ] as const) {
      expect(seenRecords({ type: 'MODIFIED', kind: 'PersistentVolume', before, after, at: NOW })).toEqual([]);
    }
  });
});

test('every record is of the published form, whatever the texts are', () => {
  const anyText = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('x'.repeat(3_000)));
  const anyTransition = fc.record({
    kind: fc.constantFrom('PersistentVolume' as const, 'PersistentVolumeClaim' as const),
    name: anyText.map((text) => `n${text}`),
    of: fc.constantFrom('phase' as const, 'binding' as const),
    from: anyText,
    to: anyText,
  });
  fc.assert(
    fc.property(anyTransition, anyText, anyText, (transition, manager, time) => {
      const after = volume('pv-1', { metadata: { managedFields: [{ manager, time, fieldsV1: { 'f:status': {} } }] } });
      trail.started(KEY, [{ ...MESSAGE, uid: manager || 'u' }]);
      trail.noted(KEY, time);
      trail.wrote(KEY, transition, { before: undefined, after });
      const before = volume('pv-1', { status: { phase: 'Pending' } });
      records.push(...seenRecords({ type: 'MODIFIED', kind: 'PersistentVolume', before, after, at: NOW }));
      for (const record of records.splice(0)) {
        const fields = AUDIT_SCHEMA.strict().safeParse(JSON.parse(JSON.stringify(record)));
        expect(fields.error).toBeUndefined();
      }
    }),
    { numRuns: 300 },
  );
});
