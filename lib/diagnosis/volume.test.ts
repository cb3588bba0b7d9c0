import { describe, expect, test } from 'vitest';
import { StateError } from '../controller/errors.ts';
import {
  boundPair,
  claim,
  orphan,
  podUsing,
  refTo,
  reservationFor,
  storageClass,
  volume,
} from '../controller/testing/objects.ts';
import type { ClusterEvent } from '../controller/types.ts';
import { diagnose } from './diagnose.ts';
import type { DiagnosisReader } from './finding.ts';
import { arrayReader } from './testing/array-reader.ts';
import { ago, explainVolume, NOW } from './testing/explain.ts';

const CSI = { csi: { driver: 'disk.example.com', volumeHandle: 'v' }, persistentVolumeReclaimPolicy: 'Delete' };
const csiDriver = [{ metadata: { name: 'disk.example.com' } }];
const since = (minutes: number) => ({ phase: 'Released', lastPhaseTransitionTime: ago(minutes) });

function external(minutes: number) {
  const { hostPath: _none, ...spec } = orphan('pv', { spec: CSI, status: since(minutes) }).spec;
  return { ...orphan('pv', { status: since(minutes) }), spec };
}

describe('a volume without a claim', () => {
  test('is free', async () => {
    expect(await explainVolume({ PersistentVolume: [volume('pv')] })).toMatchObject({ cause: 'free', severity: 'ok' });
  });

  test('is the controller’s while it is not Available', async () => {
    const finding = await explainVolume({ PersistentVolume: [volume('pv', { status: { phase: 'Released' } })] });
    expect(finding).toMatchObject({ cause: 'controller-behind', next: 'volume pv: phase Released -> Available' });
  });

  test('that does not exist is missing', async () => {
    expect(await explainVolume({})).toMatchObject({ cause: 'missing', state: 'Missing', uid: undefined });
  });
});

describe('a volume that names a claim', () => {
  const one = claim('one');

  test('whose volumeMode differs tells both', async () => {
    const block = volume('pv', { spec: { volumeMode: 'Block', claimRef: refTo(one) } });
    const finding = await explainVolume({ PersistentVolume: [block], PersistentVolumeClaim: [one] });
    expect(finding.cause).toBe('volume-mode-mismatch');
    expect(finding.why[0]).toBe('Volume pv is for claim ns/one, which needs volumeMode Filesystem; it has Block.');
  });

  test('that cannot use it names the rule', async () => {
    const big = claim('one', { spec: { resources: { requests: { storage: '8Gi' } } } });
    const reserved = volume('pv', { spec: { claimRef: reservationFor(one) } });
    const finding = await explainVolume({ PersistentVolume: [reserved], PersistentVolumeClaim: [big] });
    expect(finding).toMatchObject({ cause: 'reserved-volume-unfit', actor: 'user' });
    expect(finding.why[0]).toMatch(/too small/);
  });

  test('that has no volume yet is left to the sync of the claim, whose plans are told', async () => {
    const reserved = volume('pv', { spec: { claimRef: reservationFor(one) } });
    const finding = await explainVolume({ PersistentVolume: [reserved], PersistentVolumeClaim: [one] });
    expect(finding.cause).toBe('controller-behind');
    expect(finding.why[0]).toMatch(/^The sync of claim ns\/one is next: volume pv: binding none -> ns\/one/);
  });

  test('whose own sync fails is a contradiction, in the words of that sync', async () => {
    const { volumeBindingMode: _none, ...modeless } = storageClass('fast');
    const broken = claim('one', { spec: { storageClassName: 'fast' } });
    const reserved = volume('pv', { spec: { claimRef: reservationFor(one) } });
    const objects = { PersistentVolume: [reserved], PersistentVolumeClaim: [broken], StorageClass: [modeless] };
    const finding = await explainVolume(objects);
    expect(finding.cause).toBe('contradiction');
    expect(finding.why[0]).toBe('Claim ns/one: VolumeBindingMode not set for StorageClass "fast".');
  });

  test('that is bound elsewhere is unbound by the next sync', async () => {
    const { claim: elsewhere } = boundPair();
    const picked = volume('pv', { spec: { claimRef: refTo(elsewhere) }, status: { phase: 'Bound' } });
    const finding = await explainVolume({ PersistentVolume: [picked], PersistentVolumeClaim: [elsewhere] });
    expect(finding).toMatchObject({ cause: 'controller-behind' });
    expect(finding.next).toMatch(/phase Bound -> Available/);
  });

  test('that is gone is released by the next sync', async () => {
    const bound = volume('pv', { spec: { claimRef: refTo(one) }, status: { phase: 'Bound' } });
    const finding = await explainVolume({ PersistentVolume: [bound] });
    expect(finding).toMatchObject({ cause: 'controller-behind', next: 'volume pv: phase Bound -> Released' });
  });

  test('by a name that no claim can have is a contradiction, whatever state it is in', async () => {
    const claimRef = { namespace: 'ns', name: '../secrets', uid: 'u' };
    for (const phase of ['Bound', 'Released', 'Failed']) {
      const reader = arrayReader({ PersistentVolume: [volume('pv', { spec: { claimRef }, status: { phase } })] });
      const strict: DiagnosisReader = {
        ...reader,
        get: async (kind, key) => {
          if (kind === 'PersistentVolumeClaim') throw new StateError('no claim can have the name "ns/../secrets"');
          return await reader.get(kind, key);
        },
      };
      const finding = await diagnose(strict, { kind: 'PersistentVolume', name: 'pv' }, { now: NOW });
      expect(finding).toMatchObject({ cause: 'contradiction', severity: 'broken', cures: [] });
    }
  });
});

describe('a Released volume', () => {
  test('that its provisioner deletes waits a moment, then the provisioner is silent', async () => {
    expect((await explainVolume({ PersistentVolume: [external(1)], CSIDriver: csiDriver })).cause).toBe(
      'waits-for-deleter',
    );
    const finding = await explainVolume({ PersistentVolume: [external(60)], CSIDriver: csiDriver });
    expect(finding).toMatchObject({ cause: 'deleter-silent', since: ago(60), severity: 'stuck' });
  });

  test('that its provisioner fails to delete tells the provisioner’s words', async () => {
    const event: ClusterEvent = {
      metadata: { namespace: 'default', name: 'e' },
      involvedObject: { uid: 'uid-of-pv' },
      reason: 'VolumeFailedDelete',
      message: 'disk is in use',
      lastTimestamp: ago(3),
    };
    const finding = await explainVolume({ PersistentVolume: [external(60)], CSIDriver: csiDriver, Event: [event] });
    expect(finding).toMatchObject({ cause: 'delete-failed', actor: 'provisioner' });
    expect(finding.why[0]).toBe('disk.example.com said 3m ago: disk is in use');
  });

  test('that is attached to a living node says so, with the error of the last attempt', async () => {
    const attachment = {
      metadata: { name: 'csi-1' },
      spec: { attacher: 'disk.example.com', nodeName: 'worker-1', source: { persistentVolumeName: 'pv' } },
      status: { attached: true, detachError: { message: 'busy' } },
    };
    const other = { ...attachment, metadata: { name: 'csi-2' }, spec: { ...attachment.spec, source: {} } };
    const objects = { PersistentVolume: [external(60)], VolumeAttachment: [other, attachment] };
    const finding = await explainVolume({ ...objects, Node: [{ metadata: { name: 'worker-1' } }] });
    expect(finding).toMatchObject({ cause: 'still-attached', actor: 'attacher' });
    expect(finding.why[0]).toBe('Attached to node worker-1 (VolumeAttachment csi-1, disk.example.com): busy');
  });

  test('with policy Recycle is scrubbed by a pod', async () => {
    const finding = await explainVolume({
      PersistentVolume: [orphan('pv', { spec: { persistentVolumeReclaimPolicy: 'Recycle' } })],
    });
    expect(finding).toMatchObject({ cause: 'being-recycled', actor: 'controller' });
    expect(finding.next).toMatch(/Pod default\/recycler-for-pv/);
    expect(finding.cures[0]?.danger).toMatch(/goes on, also over what the next claim writes/);
  });

  test('with policy Recycle waits for the pods that use it, and ending them is no cure without a warning', async () => {
    const finding = await explainVolume({
      PersistentVolume: [orphan('pv', { spec: { persistentVolumeReclaimPolicy: 'Recycle' } })],
      Pod: [podUsing('gone', 'web-0'), podUsing('gone', 'web-1')],
    });
    expect(finding.cause).toBe('recycle-in-use');
    expect(finding.cures.map(({ command, danger }) => [command, danger !== undefined])).toEqual([
      ['kubectl delete pod -n ns web-0', true],
      ['kubectl delete pod -n ns web-1', true],
      [expect.stringContaining('"value":"Retain"'), false],
    ]);
  });
});

describe('a Failed volume', () => {
  test('with policy Retain by now is kept, and tells what failed', async () => {
    const failed = orphan('pv', { status: { phase: 'Failed', message: 'disk is on fire' } });
    const finding = await explainVolume({ PersistentVolume: [failed] });
    expect(finding.cause).toBe('retained');
    expect(finding.why[0]).toBe('An earlier reclaim failed: disk is on fire.');
  });

  test('tells the controller’s own words, whatever they end with', async () => {
    const spec = { persistentVolumeReclaimPolicy: 'Recycle' };
    const failed = orphan('pv', { spec, status: { phase: 'Failed', message: 'no recycler plugin found!' } });
    const finding = await explainVolume({ PersistentVolume: [failed] });
    expect(finding.why[0]).toBe('no recycler plugin found!');
  });

  test('without a message tells what the next try would say', async () => {
    const spec = { persistentVolumeReclaimPolicy: 'Delete' };
    const failed = orphan('pv', { spec, status: { phase: 'Failed' } });
    const finding = await explainVolume({ PersistentVolume: [failed] });
    expect(finding.cause).toBe('delete-failed');
    expect(finding.why[0]).toMatch(/no deletable volume plugin matched/);
  });
});
