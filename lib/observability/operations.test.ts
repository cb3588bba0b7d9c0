/** When an operation of the built-in controller's metrics ends, how long it took, and whose plugin failed. */
import { describe, expect, test } from 'vitest';
import type { SeenChange } from '../audit/trail.ts';
import { STORAGE_PROVISIONER } from '../controller/annotations.ts';
import { OperationError } from '../controller/errors.ts';
import { claim, orphan } from '../controller/testing/objects.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import { endedOperation, failedOperation } from './operations.ts';

const AT = Date.parse('2026-05-01T10:00:30Z');

describe('provisioning ends', () => {
  const parts = (phase: string) => ({
    annotations: { [STORAGE_PROVISIONER]: 'ebs.csi.aws.com' },
    metadata: { creationTimestamp: '2026-05-01T10:00:00Z' },
    status: { phase },
  });
  const change = (before: PersistentVolumeClaim | undefined, after: PersistentVolumeClaim): SeenChange => {
    return { type: 'MODIFIED', kind: 'PersistentVolumeClaim', before, after, at: AT };
  };
  const [pending, bound] = [claim('data', parts('Pending')), claim('data', parts('Bound'))];

  test('when a claim with a provisioner becomes Bound, and has taken since its creation', () => {
    const labels = { plugin_name: 'ebs.csi.aws.com', operation_name: 'provision' };
    expect(endedOperation(change(pending, bound))).toEqual({ labels, seconds: 30 });
  });

  test('at no other change', () => {
    expect(endedOperation(change(bound, bound))).toBeUndefined();
    expect(endedOperation(change(undefined, bound))).toBeUndefined();
    expect(endedOperation(change(claim('data'), claim('data', { status: { phase: 'Bound' } })))).toBeUndefined();
    expect(endedOperation({ ...change(pending, bound), type: 'DELETED' })).toBeUndefined();
  });
});

describe('a delete ends', () => {
  const released = orphan('pv-1', {
    spec: { persistentVolumeReclaimPolicy: 'Delete' },
    status: { phase: 'Released', lastPhaseTransitionTime: '2026-05-01T10:00:10.500Z' },
  });
  const gone = (before: PersistentVolume): SeenChange => {
    return { type: 'DELETED', kind: 'PersistentVolume', before, after: before, at: AT };
  };

  test('when a released volume of policy Delete is gone, and has taken since its release', () => {
    const labels = { plugin_name: 'kubernetes.io/host-path', operation_name: 'delete' };
    expect(endedOperation(gone(released))).toEqual({ labels, seconds: 19.5 });
  });

  test('not when somebody deleted a volume that was not released, is retained, or does not say since when', () => {
    const bound = { ...released, status: { ...released.status, phase: 'Bound' } };
    const retained = { ...released, spec: { ...released.spec, persistentVolumeReclaimPolicy: 'Retain' } };
    const timeless = { ...released, status: { phase: 'Released' } };
    for (const other of [bound, retained, timeless]) expect(endedOperation(gone(other))).toBeUndefined();
  });
});

describe('a failed operation', () => {
  test.each([
    ['operation provision-ns/data[uid]: no node', { plugin_name: 'N/A', operation_name: 'provision' }],
    ['operation recycle-pv[uid]: pods use it', undefined],
  ])('%s', (message, expected) => {
    expect(failedOperation(new OperationError(message))).toEqual(expected);
  });

  test('is none of another error', () => {
    expect(failedOperation(new Error('operation delete-pv[uid]: quoted'))).toBeUndefined();
    expect(failedOperation(undefined)).toBeUndefined();
  });
});
