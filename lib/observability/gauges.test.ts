import { describe, expect, test } from 'vitest';
import type { Holdings } from '../bridge/bridge.ts';
import { storageClass } from '../bridge/testing/objects.ts';
import { SELECTED_NODE } from '../controller/annotations.ts';
import { claim, volume } from '../controller/testing/objects.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import { countStuck } from './gauges.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const STUCK_AFTER_MS = 900_000;
const OLD = '2026-06-01T11:44:59Z';
const YOUNG = '2026-06-01T11:45:01Z';

const classes = new Map([
  ['later', storageClass('later', { volumeBindingMode: 'WaitForFirstConsumer' })],
  ['now', storageClass('now')],
]);

function holding(volumes: readonly PersistentVolume[], claims: readonly PersistentVolumeClaim[] = []): Holdings {
  return { volumes: () => volumes, claims: () => claims, storageClass: (name) => classes.get(name) };
}

/** The gauges that are not 0. */
function stuck(held: Holdings): Record<string, number> {
  const gauges = countStuck(held, NOW, STUCK_AFTER_MS);
  return Object.fromEntries(Object.entries(gauges).filter(([, value]) => value !== 0));
}

function inPhase(phase: string, since: string | undefined, policy = 'Delete', metadata: object = {}): PersistentVolume {
  return volume('pv', {
    metadata: { creationTimestamp: OLD, ...metadata },
    spec: { persistentVolumeReclaimPolicy: policy },
    status: { phase, ...(since !== undefined && { lastPhaseTransitionTime: since }) },
  });
}

describe('a volume is stuck', () => {
  test.each([
    ['Released', OLD, 'Delete', { VolumesStuckReleased: 1 }],
    ['Released', YOUNG, 'Delete', {}],
    ['Released', OLD, 'Retain', {}],
    ['Released', OLD, 'Recycle', {}],
    ['Failed', OLD, 'Retain', { VolumesStuckFailed: 1 }],
    ['Failed', YOUNG, 'Delete', {}],
    ['Bound', OLD, 'Delete', {}],
    ['Available', OLD, 'Delete', {}],
  ])('%s since %s, policy %s: %j', (phase, since, policy, expected) => {
    expect(stuck(holding([inPhase(phase, since, policy)]))).toEqual(expected);
  });

  test.each([
    [OLD, { VolumesStuckReleased: 1 }],
    [YOUNG, {}],
  ])('as old as itself when nothing says since when it is Released: created %s, %j', (creationTimestamp, expected) => {
    expect(stuck(holding([inPhase('Released', undefined, 'Delete', { creationTimestamp })]))).toEqual(expected);
  });

  test('not when it has no time at all', () => {
    expect(stuck(holding([inPhase('Failed', undefined, 'Delete', { creationTimestamp: undefined })]))).toEqual({});
  });

  test.each([
    ['Bound', OLD, { VolumesStuckTerminating: 1 }],
    ['Released', OLD, { VolumesStuckTerminating: 1 }],
    ['Released', YOUNG, {}],
  ])('once, as kubectl shows it: %s and deleted at %s is %j', (phase, deletionTimestamp, expected) => {
    expect(stuck(holding([inPhase(phase, OLD, 'Delete', { deletionTimestamp })]))).toEqual(expected);
  });
});

describe('a claim is stuck', () => {
  const pending = (parts: Parameters<typeof claim>[1] = {}, creationTimestamp = OLD) =>
    claim('data', { ...parts, metadata: { creationTimestamp, ...parts.metadata } });

  test.each([
    ['Pending for long', pending(), { ClaimsStuckPending: 1 }],
    ['Pending for a while', pending({}, YOUNG), {}],
    ['Bound', pending({ status: { phase: 'Bound' } }), {}],
    ['without a status yet', { ...pending(), status: {} }, { ClaimsStuckPending: 1 }],
    ['going away', pending({ metadata: { deletionTimestamp: OLD } }), {}],
    ['of a class that binds at once', pending({ spec: { storageClassName: 'now' } }), { ClaimsStuckPending: 1 }],
    ['of a class that is missing', pending({ spec: { storageClassName: 'none' } }), { ClaimsStuckPending: 1 }],
    ['waiting for its first pod', pending({ spec: { storageClassName: 'later' } }), {}],
    [
      'whose pod has a node',
      pending({ spec: { storageClassName: 'later' }, annotations: { [SELECTED_NODE]: 'node-1' } }),
      { ClaimsStuckPending: 1 },
    ],
    [
      'that names its volume',
      pending({ spec: { storageClassName: 'later', volumeName: 'pv' } }),
      { ClaimsStuckPending: 1 },
    ],
    ['Lost, however young', pending({ status: { phase: 'Lost' } }, YOUNG), { ClaimsLost: 1 }],
  ])('%s', (_, held, expected) => {
    expect(stuck(holding([], [held]))).toEqual(expected);
  });
});
