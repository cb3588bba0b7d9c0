import { describe, expect, test } from 'vitest';
import { PRE_RESIZE_CAPACITY } from './annotations.ts';
import { withoutVolume, withVolume } from './claim-phase.ts';
import { claim, volume } from './testing/objects.ts';
import type { PersistentVolume, PersistentVolumeClaim } from './types.ts';

const on = { volumeAttributesClass: true };
const off = { volumeAttributesClass: false };
const bound = (pvc: PersistentVolumeClaim, pv: PersistentVolume, features = on) => withVolume(pvc, pv, features).status;
const empty = (phase: string) => claim('one', { status: { phase } });

describe('the status of a claim without a volume (BEHAVIOUR 3.5)', () => {
  test('nothing changes when it is in that phase and empty', () => {
    const pending = claim('one');
    expect(withoutVolume(pending, 'Pending')).toBe(pending);
    const emptied = claim('one', { status: { accessModes: [], capacity: {} } });
    expect(withoutVolume(emptied, 'Pending')).toBe(emptied);
  });

  test.each([
    { accessModes: ['ReadWriteOnce'] },
    { capacity: { storage: '1Gi' } },
    { currentVolumeAttributesClassName: 'gold' },
    { phase: 'Bound' },
    { phase: 'Lost', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } },
  ])('%j becomes an empty Pending', (status) => {
    expect(withoutVolume(claim('one', { status }), 'Pending').status).toEqual({ phase: 'Pending' });
    expect(withoutVolume(claim('one', { status }), 'Lost').status).toEqual({ phase: 'Lost' });
  });

  test('fields of others stay', () => {
    const resizing = claim('one', { status: { phase: 'Bound', allocatedResources: { storage: '2Gi' } } });
    expect(withoutVolume(resizing, 'Lost').status).toEqual({ phase: 'Lost', allocatedResources: { storage: '2Gi' } });
  });

  test('a claim without any status becomes Pending', () => {
    const { status: _none, ...fresh } = claim('one');
    expect(withoutVolume(fresh as PersistentVolumeClaim, 'Pending').status).toEqual({ phase: 'Pending' });
  });
});

describe('the status of a claim with a volume (BEHAVIOUR 3.5)', () => {
  test('becoming Bound it takes access modes and the whole capacity map', () => {
    const pv = volume('pv', { spec: { accessModes: ['ReadOnlyMany'], capacity: { storage: '5Gi', inodes: '7' } } });
    expect(bound(claim('one'), pv)).toEqual({
      phase: 'Bound',
      accessModes: ['ReadOnlyMany'],
      capacity: { storage: '5Gi', inodes: '7' },
    });
  });

  test('already Bound it keeps its capacity, since a resize may be in progress, and follows the access modes', () => {
    const resizing = claim('one', {
      status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } },
    });
    expect(withVolume(resizing, volume('pv', { spec: { capacity: { storage: '5Gi' } } }), on)).toBe(resizing);
    const pv = volume('pv', { spec: { accessModes: ['ReadWriteMany'], capacity: { storage: '5Gi' } } });
    expect(bound(resizing, pv)).toEqual({
      phase: 'Bound',
      accessModes: ['ReadWriteMany'],
      capacity: { storage: '1Gi' },
    });
  });

  test('access modes are compared one by one; a volume without any takes them from the claim', () => {
    const spec = { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] };
    const was = claim('one', { status: { phase: 'Bound', accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] } });
    expect(bound(was, volume('pv', { spec }))?.accessModes).toEqual(spec.accessModes);
    const { accessModes: _, ...without } = volume('pv').spec;
    expect(bound(was, { ...volume('pv'), spec: without as PersistentVolume['spec'] })).not.toHaveProperty(
      'accessModes',
    );
  });

  test('a capacity that is no quantity is replaced, and kept where the volume’s is the same', () => {
    const odd = claim('one', { status: { capacity: { storage: 'odd', inodes: '7' } } });
    expect(bound(odd, volume('pv'))?.capacity).toEqual({ storage: '1Gi' });
    expect(bound(odd, volume('pv', { spec: { capacity: { storage: 'odd' } } }))?.capacity).toEqual({
      storage: 'odd',
      inodes: '7',
    });
  });

  test('an equal capacity stays as it is written', () => {
    const pvc = claim('one', { status: { capacity: { storage: '1024Mi' } } });
    expect(bound(pvc, volume('pv'))?.capacity).toEqual({ storage: '1024Mi' });
  });

  test('a different capacity is replaced by the whole map', () => {
    const pvc = claim('one', { status: { capacity: { storage: '2Gi', inodes: '7' } } });
    expect(bound(pvc, volume('pv'))?.capacity).toEqual({ storage: '1Gi' });
  });

  test('a volume without a storage capacity is an error, but only while the phase changes', () => {
    const pv = volume('pv', { spec: { capacity: {} } });
    expect(() => bound(claim('one'), pv)).toThrow('PersistentVolume "pv" is without a storage capacity');
    expect(bound(claim('one', { status: { phase: 'Bound' } }), pv)?.phase).toBe('Bound');
  });

  test('the size before an expansion is what the claim gets; what is no quantity is not', () => {
    const resized = (value: string) =>
      volume('pv', { annotations: { [PRE_RESIZE_CAPACITY]: value }, spec: { capacity: { storage: '5Gi' } } });
    expect(bound(claim('one'), resized('2Gi'))?.capacity).toEqual({ storage: '2Gi' });
    expect(bound(claim('one'), resized('big'))?.capacity).toEqual({ storage: '5Gi' });
    expect(bound(claim('one'), resized(''))?.capacity).toEqual({ storage: '5Gi' });
    const had = claim('one', { status: { capacity: { storage: '9Gi', inodes: '7' } } });
    expect(bound(had, resized('2Gi'))?.capacity).toEqual({ storage: '2Gi', inodes: '7' });
  });

  test('gate on, from exactly Pending: the current attributes class is the volume’s', () => {
    const gold = volume('pv', { spec: { volumeAttributesClassName: 'gold' } });
    expect(bound(empty('Pending'), gold)?.currentVolumeAttributesClassName).toBe('gold');
    expect(bound(empty('Lost'), gold)).not.toHaveProperty('currentVolumeAttributesClassName');
    expect(bound(empty(''), gold)).not.toHaveProperty('currentVolumeAttributesClassName');
    expect(bound(empty('Bound'), gold)).not.toHaveProperty('currentVolumeAttributesClassName');
    const was = claim('one', { status: { currentVolumeAttributesClassName: 'iron' } });
    expect(bound(was, volume('pv'))).not.toHaveProperty('currentVolumeAttributesClassName');
  });

  test('gate off: the current attributes class is left alone', () => {
    const gold = volume('pv', { spec: { volumeAttributesClassName: 'gold' } });
    expect(bound(empty('Pending'), gold, off)).not.toHaveProperty('currentVolumeAttributesClassName');
    const was = claim('one', { status: { currentVolumeAttributesClassName: 'iron' } });
    expect(bound(was, gold, off)?.currentVolumeAttributesClassName).toBe('iron');
  });
});
