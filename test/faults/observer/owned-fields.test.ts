/** I6: a write of ours that touches what belongs to somebody else is seen, in whatever field that is. */
import { describe, expect, test } from 'vitest';
import { BOUND_BY_CONTROLLER } from '../../../lib/controller/annotations.ts';
import { boundPair, claim, refTo, reservationFor, volume } from '../../../lib/controller/testing/objects.ts';
import type { PersistentVolume } from '../../../lib/controller/types.ts';
import { foreignChanges } from './owned-fields.ts';
import type { State } from './state.ts';

const isOurs = true;
const base = { type: 'MODIFIED', at: 2, isOurs } as const;
const ofVolume = (before: PersistentVolume, object: PersistentVolume) =>
  foreignChanges({ ...base, kind: 'volume', before, object } as State);

const free = volume('one', {
  annotations: { note: 'by a user' },
  metadata: { labels: { team: 'a' }, finalizers: ['example.com/keep'] },
});
const reserver = claim('two');

describe('a write of a volume', () => {
  test.each<[string, PersistentVolume]>([
    ['metadata.annotations.note', { ...free, metadata: { ...free.metadata, annotations: {} } }],
    ['metadata.labels.team', { ...free, metadata: { ...free.metadata, labels: { team: 'b' } } }],
    ['metadata.labels.new', { ...free, metadata: { ...free.metadata, labels: { team: 'a', new: 'x' } } }],
    ['metadata.finalizers', { ...free, metadata: { ...free.metadata, finalizers: [] } }],
    ['spec.capacity', { ...free, spec: { ...free.spec, capacity: { storage: '2Gi' } } }],
    [
      'spec.persistentVolumeReclaimPolicy',
      { ...free, spec: { ...free.spec, persistentVolumeReclaimPolicy: 'Delete' } },
    ],
    ['spec.mountOptions', { ...free, spec: { ...free.spec, mountOptions: ['ro'] } as PersistentVolume['spec'] }],
  ])('that changes %s', (field, after) => {
    expect(ofVolume(free, after)).toEqual([field]);
  });

  test('may bind it, and change its phase', () => {
    const annotations = { ...free.metadata.annotations, [BOUND_BY_CONTROLLER]: 'yes' };
    const bound = {
      ...free,
      metadata: { ...free.metadata, annotations, resourceVersion: '2' },
      spec: { ...free.spec, claimRef: refTo(reserver) },
      status: { phase: 'Bound' },
    };

    expect(ofVolume(free, bound)).toEqual([]);
    expect(ofVolume(bound, { ...free, status: { phase: 'Available' } })).toEqual([]);
  });

  test('may complete a reservation and take that back, but neither remove nor change it', () => {
    const reserved = volume('one', { spec: { claimRef: reservationFor(reserver) } });
    const completed = volume('one', { spec: { claimRef: refTo(reserver) } });
    const other = volume('one', { spec: { claimRef: refTo(claim('three')) } });

    expect(ofVolume(reserved, completed)).toEqual([]);
    expect(ofVolume(completed, reserved)).toEqual([]);
    expect(ofVolume(reserved, volume('one'))).toEqual(['spec.claimRef, which a user has set']);
    expect(ofVolume(reserved, other)).toEqual(['spec.claimRef from two to three']);
  });
});

describe('a write of a claim', () => {
  const { claim: bound } = boundPair();
  const ofClaim = (after: object) =>
    foreignChanges({ ...base, kind: 'claim', before: bound, object: { ...bound, ...after } } as State);

  test('that changes what was asked for', () => {
    const resources = { requests: { storage: '2Gi' } };
    expect(ofClaim({ spec: { ...bound.spec, resources } })).toEqual(['spec.resources']);
    expect(ofClaim({ status: { ...bound.status, phase: 'Lost', capacity: undefined } })).toEqual([]);
  });

  test('that takes a volume from it that a user chose', () => {
    const chosen = claim('one', { spec: { volumeName: 'chosen' } });
    const after = claim('one', { spec: { volumeName: 'another' } });
    const change = foreignChanges({ ...base, kind: 'claim', before: chosen, object: after } as State);

    expect(change).toEqual(['spec.volumeName from chosen to another']);
  });

  test('may give it the default class, and no other one afterwards', () => {
    const { storageClassName: _, ...spec } = bound.spec;
    const without = { ...bound, spec };
    const withClass = { ...bound, spec: { ...spec, storageClassName: 'default' } };
    const write = (before: object, object: object) =>
      foreignChanges({ ...base, kind: 'claim', before, object } as unknown as State);

    expect(write(without, withClass)).toEqual([]);
    expect(write(withClass, without)).toEqual(['spec.storageClassName']);
  });
});
