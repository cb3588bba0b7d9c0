/** What is expected at rest is what the rules say, and each way of not being so is told. */
import { describe, expect, test } from 'vitest';
import { boundPair, claim, refTo, reservationFor, volume } from '../../lib/controller/testing/objects.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../lib/controller/types.ts';
import type { Snapshot } from '../differential/snapshot.ts';
import { unmet } from './expected.ts';

const NOTHING: Snapshot = { volumes: [], claims: [], classes: [], pods: [] };
const pair = boundPair();
const inPhase = <T extends PersistentVolume | PersistentVolumeClaim>(object: T, phase: string): T => ({
  ...object,
  status: { ...object.status, phase },
});
const told = (state: Partial<Snapshot>) => unmet({ ...NOTHING, ...state }, 'here.example.com');

describe('volumes', () => {
  test.each([
    ['free', volume('one'), 'Available'],
    ['reserved', volume('one', { spec: { claimRef: reservationFor(claim('later')) } }), 'Available'],
  ])('one that is %s is Available', (_, free, phase) => {
    expect(told({ volumes: [inPhase(free, phase)] })).toEqual([]);
    expect(told({ volumes: [inPhase(free, 'Released')] })).toEqual(['volume one is Released, not Available']);
  });

  test('one whose claim is bound to it is Bound', () => {
    expect(told({ volumes: [pair.volume], claims: [pair.claim] })).toEqual([]);
    expect(told({ volumes: [inPhase(pair.volume, 'Available')], claims: [pair.claim] })).toEqual([
      `volume ${pair.volume.metadata.name} is Available, not Bound`,
    ]);
  });

  test.each<[string, string | undefined]>([
    ['Retain', undefined],
    ['Recycle', 'is Released and not recycled, though its claim is gone'],
    ['Delete', 'is Released and not deleted, though its claim is gone'],
  ])('one whose claim is gone, with policy %s', (persistentVolumeReclaimPolicy, what) => {
    const spec = { hostPath: { path: '/tmp/one' }, claimRef: refTo(claim('gone')), persistentVolumeReclaimPolicy };
    const released = volume('one', { spec, status: { phase: 'Released' } });
    expect(told({ volumes: [released] })).toEqual(what === undefined ? [] : [`volume one ${what}`]);
    expect(told({ volumes: [inPhase(released, 'Bound')] })).toHaveLength(1);
  });
});

describe('claims', () => {
  const waiting = inPhase(claim('one'), 'Pending');
  const free = inPhase(volume('one'), 'Available');
  const key = `claim ${waiting.metadata.namespace}/one`;

  test('one that a free volume would do for is not left waiting', () => {
    expect(told({ claims: [waiting], volumes: [free] })).toEqual([`${key} is Pending, though volume one would do`]);
    const others = [
      volume('one', { spec: { capacity: { storage: '1Mi' } } }),
      volume('one', { spec: { storageClassName: 'other' } }),
      volume('one', { spec: { volumeMode: 'Block' } }),
      volume('one', { spec: { accessModes: ['ReadOnlyMany'] } }),
      volume('one', { spec: { claimRef: reservationFor(claim('two')) } }),
      volume('one', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
    ];
    for (const other of others) expect(told({ claims: [waiting], volumes: [inPhase(other, 'Available')] })).toEqual([]);
  });

  test('one that a volume is kept for is not left waiting', () => {
    const kept = volume('one', { spec: { storageClassName: 'other', claimRef: reservationFor(waiting) } });
    expect(told({ claims: [waiting], volumes: [inPhase(kept, 'Available')] })).toHaveLength(1);
  });

  test('one whose class has a provisioner that runs is not left waiting', () => {
    const storageClass = (provisioner: string, volumeBindingMode = 'Immediate') =>
      ({ metadata: { name: 'fast' }, provisioner, volumeBindingMode }) as StorageClass;
    const claims = [inPhase(claim('one', { spec: { storageClassName: 'fast' } }), 'Pending')];
    expect(told({ claims, classes: [storageClass('here.example.com')] })).toHaveLength(1);
    expect(told({ claims, classes: [storageClass('away.example.com')] })).toEqual([]);
    expect(told({ claims, classes: [storageClass('here.example.com', 'WaitForFirstConsumer')] })).toEqual([]);
    expect(told({ claims })).toEqual([]);
  });

  test('one that was bound is Lost without its volume, and only then', () => {
    expect(told({ claims: [inPhase(pair.claim, 'Lost')] })).toEqual([]);
    expect(told({ claims: [pair.claim] })).toHaveLength(1);
    expect(told({ claims: [inPhase(pair.claim, 'Lost')], volumes: [pair.volume] })).toHaveLength(1);
  });

  test('one that names a volume that is not there waits', () => {
    const naming = claim('one', { spec: { volumeName: 'later' } });
    expect(told({ claims: [inPhase(naming, 'Pending')] })).toEqual([]);
    expect(told({ claims: [inPhase(naming, 'Bound')] })).toEqual([`${key} is Bound, not Pending`]);
  });
});
