/** What assist finishes, and what it leaves to others. */
import { describe, expect, test } from 'vitest';
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  MIGRATED_TO,
  PROVISIONED_BY,
  STORAGE_PROVISIONER,
} from '../controller/annotations.ts';
import { boundPair, claim, refTo, reservationFor, volume } from '../controller/testing/objects.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import { assistClaimHalf, assistClaimPhase, assistVolumeHalf, assistVolumePhase } from './assist.ts';

const data = claim('data');
const provisioned = { annotations: { [PROVISIONED_BY]: 'ebs.csi.aws.com' } };
const doomed = { persistentVolumeReclaimPolicy: 'Delete' };
const held = volume('pv', { spec: { claimRef: refTo(data) } });
const reserved = volume('pv', { spec: { claimRef: reservationFor(data) } });

const inPhase = <T extends PersistentVolume | PersistentVolumeClaim>(object: T, phase: string): T => ({
  ...object,
  status: { phase },
});

describe('the phase of a volume', () => {
  test.each([
    ['Available, of one without a claim', volume('pv', { status: { phase: 'Pending' } }), 'Available'],
    ['Available, of one that is reserved by name', inPhase(reserved, 'Pending'), 'Available'],
    ['Bound, of one that a claim holds', held, 'Bound'],
    ['Released, of one that a claim held', inPhase(held, 'Bound'), 'Released'],
  ])('is written: %s', (_, stored, phase) => {
    expect(assistVolumePhase(stored, inPhase(stored, phase))).toEqual({ write: inPhase(stored, phase) });
  });

  test.each([
    ['Failed: an operation decides it', inPhase(held, 'Released'), 'Failed'],
    ['Bound without a claim', volume('pv'), 'Bound'],
    ['Released without a claim', volume('pv'), 'Released'],
    ['Available with one', held, 'Available'],
    ['one that is there', inPhase(held, 'Bound'), 'Bound'],
    ['of a free volume that would be deleted', volume('pv', { ...provisioned, spec: doomed, status: {} }), 'Available'],
    [
      'of one that is only reserved, and would be deleted',
      volume('pv', {
        ...provisioned,
        spec: { ...doomed, claimRef: reservationFor(data) },
        status: { phase: 'Pending' },
      }),
      'Available',
    ],
  ])('is left: %s', (_, stored, phase) => {
    const wanted = stored.status?.phase === phase ? stored : inPhase(stored, phase);
    expect(assistVolumePhase(stored, wanted)).toEqual({ leave: expect.any(String) });
  });

  test('takes nothing along: not the annotations and finalizers of migration', () => {
    const wanted = inPhase(
      volume('pv', { spec: held.spec, annotations: { [MIGRATED_TO]: 'ebs.csi.aws.com' } }),
      'Bound',
    );
    wanted.metadata.finalizers = ['kubernetes.io/pv-controller'];
    expect(assistVolumePhase(held, wanted)).toEqual({ write: inPhase(held, 'Bound') });
  });

  test('is written at the version that was decided about', () => {
    const wanted = inPhase({ ...held, metadata: { ...held.metadata, resourceVersion: '9' } }, 'Bound');
    const { write } = assistVolumePhase(held, wanted) as { write: PersistentVolume };
    expect(write.metadata.resourceVersion).toBe('9');
  });
});

describe('the volume’s half of a bind', () => {
  const bound = (stored: PersistentVolume, marks = {}): PersistentVolume => ({
    ...stored,
    metadata: { ...stored.metadata, annotations: { ...stored.metadata.annotations, ...marks } },
    spec: { ...stored.spec, claimRef: refTo(data) },
  });
  const mark = { [BOUND_BY_CONTROLLER]: 'yes' };
  const naming = claim('data', { spec: { volumeName: 'pv' } });

  test.each([
    ['the volume has the claim reserved', reserved, data, {}],
    ['the claim names the volume', volume('pv'), naming, mark],
    ['both', reserved, naming, {}],
  ])('is finished where %s', (_, stored, partner, marks) => {
    const wanted = bound(stored, marks);
    const { write } = assistVolumeHalf(stored, wanted, partner) as { write: PersistentVolume };
    expect(write.spec).toEqual(wanted.spec);
    expect(write.metadata.annotations ?? {}).toEqual(marks);
  });

  test.each([
    ['no half is there: it would pick a free volume', volume('pv'), data],
    ['the claim names another volume', reserved, claim('data', { spec: { volumeName: 'pv-2' } })],
    [
      'the volume is reserved for another claim',
      volume('pv', { spec: { claimRef: reservationFor(claim('other')) } }),
      naming,
    ],
    ['another claim holds the volume', volume('pv', { spec: { claimRef: refTo(claim('other')) } }), naming],
    ['the claim is gone', reserved, undefined],
    ['the claim is another one of that name', reserved, claim('data', { metadata: { uid: 'newer' } })],
    ['it holds the claim already', held, data],
    ['the volume is free and would be deleted', volume('pv', { ...provisioned, spec: doomed }), naming],
    [
      'it is reserved and would be deleted',
      volume('pv', { ...provisioned, spec: { ...doomed, claimRef: reservationFor(data) } }),
      data,
    ],
  ])('is left where %s', (_, stored, partner) => {
    expect(assistVolumeHalf(stored, bound(stored, mark), partner)).toEqual({ leave: expect.any(String) });
  });

  test('is never taken away', () => {
    const { claimRef: _, ...spec } = held.spec;
    expect(assistVolumeHalf(held, { ...held, spec }, data)).toEqual({ leave: expect.any(String) });
    expect(assistVolumeHalf(held, { ...held, spec: { ...spec, claimRef: reservationFor(data) } }, data)).toEqual({
      leave: expect.any(String),
    });
  });
});

describe('the claim’s half of a bind', () => {
  const marks = { [BIND_COMPLETED]: 'yes', [BOUND_BY_CONTROLLER]: 'yes' };
  const bound = claim('data', { annotations: marks, spec: { volumeName: 'pv' } });

  test('is finished where the volume holds the claim, with the marks', () => {
    expect(assistClaimHalf(data, bound, held)).toEqual({ write: bound });
  });

  test('leaves out what is no part of it', () => {
    const more = claim('data', {
      annotations: { ...marks, [MIGRATED_TO]: 'ebs.csi.aws.com', [STORAGE_PROVISIONER]: 'ebs.csi.aws.com' },
      spec: { volumeName: 'pv', storageClassName: 'fast' },
    });
    expect(assistClaimHalf(data, more, held)).toEqual({ write: bound });
  });

  test.each([
    ['the volume does not hold it', bound, data, reserved],
    ['the volume is free', bound, data, volume('pv')],
    ['there is no volume', bound, data, undefined],
    ['the volume holds a claim of that name that is gone', bound, claim('data', { metadata: { uid: 'newer' } }), held],
    ['it names another volume', bound, claim('data', { spec: { volumeName: 'pv-2' } }), held],
    ['only a class is to be set', claim('data', { spec: { storageClassName: 'fast' } }), data, held],
    ['it is there', bound, bound, held],
  ])('is left where %s', (_, wanted, stored, partner) => {
    expect(assistClaimHalf(stored, wanted, partner)).toEqual({ leave: expect.any(String) });
  });
});

describe('the phase of a claim', () => {
  test.each(['Pending', 'Lost'])('%s is written', (phase) => {
    const { claim: stored } = boundPair();
    expect(assistClaimPhase(stored, inPhase(stored, phase), undefined)).toEqual({ write: inPhase(stored, phase) });
  });

  test('Bound is written where the volume holds it, and left where it does not', () => {
    const wanted = inPhase(data, 'Bound');
    expect(assistClaimPhase(data, wanted, held)).toEqual({ write: wanted });
    for (const partner of [reserved, volume('pv'), undefined]) {
      expect(assistClaimPhase(data, wanted, partner)).toEqual({ leave: expect.any(String) });
    }
  });

  test('another one is left', () => {
    expect(assistClaimPhase(data, inPhase(data, 'Odd'), held)).toEqual({ leave: expect.any(String) });
  });
});
