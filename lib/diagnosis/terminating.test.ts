import { describe, expect, test } from 'vitest';
import { boundPair, claim, podUsing, refTo, volume } from '../controller/testing/objects.ts';
import { ago, explainClaim, explainVolume } from './testing/explain.ts';

const { claim: bound } = boundPair();
const leaving = (minutes: number, ...finalizers: string[]) => ({ deletionTimestamp: ago(minutes), finalizers });

function claimWith(minutes: number, ...finalizers: string[]) {
  return { ...bound, metadata: { ...bound.metadata, ...leaving(minutes, ...finalizers) } };
}

describe('a claim that is being deleted', () => {
  test('is held by an ended pod until that is deleted', async () => {
    const pod = podUsing('one', 'job-1', { status: { phase: 'Succeeded' } });
    const ended = { ...pod, spec: { containers: [], ...pod.spec, nodeName: 'worker-1' } };
    const objects = { PersistentVolumeClaim: [claimWith(5, 'kubernetes.io/pvc-protection')], Pod: [ended] };
    const finding = await explainClaim(objects);
    expect(finding).toMatchObject({ cause: 'terminating-used', state: 'Terminating', since: ago(5) });
    expect(finding.why[0]).toBe(
      'Pod job-1 on node worker-1 uses the claim (Succeeded): an ended pod counts until it is deleted.',
    );
    expect(finding.cures).toMatchObject([{ command: 'kubectl delete pod -n ns job-1', danger: expect.any(String) }]);
  });

  test('is not held by a pod that has no node', async () => {
    const objects = {
      PersistentVolumeClaim: [claimWith(5, 'kubernetes.io/pvc-protection')],
      Pod: [podUsing('one', 'p')],
    };
    expect((await explainClaim(objects)).cause).toBe('terminating-protected');
  });

  test('has just lost its last pod: the protection controller needs a moment', async () => {
    const objects = { PersistentVolumeClaim: [claimWith(0, 'kubernetes.io/pvc-protection')] };
    expect((await explainClaim(objects)).cause).toBe('controller-behind');
  });

  test('is held by a finalizer whose owner is known', async () => {
    const finalizer = 'snapshot.storage.kubernetes.io/pvc-as-source-protection';
    const finding = await explainClaim({ PersistentVolumeClaim: [claimWith(5, finalizer)] });
    expect(finding.cause).toBe('foreign-finalizer');
    expect(finding.why[0]).toMatch(/the snapshot controller, while a snapshot is taken/);
    expect(finding.cures[0]?.command).toMatch(/^kubectl patch pvc -n ns one /);
    expect(finding.cures[0]?.danger).toMatch(
      /volume pv-of-one is then released, and with policy Delete its data is destroyed/,
    );
  });
});

describe('a volume that is being deleted', () => {
  test('waits for its attacher while it is attached', async () => {
    const pv = volume('pv', { metadata: leaving(5, 'external-attacher/disk-example-com') });
    const spec = { attacher: 'disk.example.com', nodeName: 'worker-9', source: { persistentVolumeName: 'pv' } };
    const finding = await explainVolume({
      PersistentVolume: [pv],
      VolumeAttachment: [{ metadata: { name: 'a' }, spec }],
    });
    expect(finding).toMatchObject({ cause: 'still-attached', state: 'Terminating' });
    expect(finding.why[0]).toContain('node worker-9, which does not exist any more');
    expect(finding.why[1]).toContain('the CSI external-attacher of disk-example-com, while the volume is attached');
  });

  test('waits for nobody but its protection: is the controller manager running?', async () => {
    const pv = (minutes: number) => volume('pv', { metadata: leaving(minutes, 'kubernetes.io/pv-protection') });
    const late = await explainVolume({ PersistentVolume: [pv(5)] });
    expect(late).toMatchObject({ cause: 'terminating-protected', severity: 'stuck' });
    expect(late.why[1]).toMatch(/controller manager/);
    expect((await explainVolume({ PersistentVolume: [pv(0)] })).cause).toBe('controller-behind');
  });

  test('and was released is its provisioner’s, and keeping it is no cure any more', async () => {
    const { hostPath: _none, ...spec } = volume('pv').spec;
    const pv = {
      ...volume('pv', { metadata: leaving(5, 'external-provisioner.volume.kubernetes.io/finalizer') }),
      spec: {
        ...spec,
        csi: { driver: 'disk.example.com', volumeHandle: 'v' },
        persistentVolumeReclaimPolicy: 'Delete',
      },
      status: { phase: 'Released', lastPhaseTransitionTime: ago(5) },
    };
    const finding = await explainVolume({ PersistentVolume: [pv], CSIDriver: [{ metadata: { name: 'other' } }] });
    expect(finding).toMatchObject({ cause: 'driver-missing', cures: [] });
  });

  test('and whose claim is gone is first Released by the controller', async () => {
    const { volume: bound } = boundPair({ metadata: leaving(5, 'kubernetes.io/pv-protection') });
    const pv = { ...bound, metadata: { ...bound.metadata, name: 'pv' } };
    const newer = { ...claim('one'), metadata: { ...claim('one').metadata, uid: 'newer' } };
    for (const PersistentVolumeClaim of [[], [newer]]) {
      const finding = await explainVolume({ PersistentVolume: [pv], PersistentVolumeClaim });
      expect(finding).toMatchObject({ cause: 'controller-behind', next: 'volume pv: phase Bound -> Released' });
    }
  });

  test('loses the finalizer of in-tree plugins without a warning only where no storage is to be deleted', async () => {
    const { hostPath: _none, ...spec } = volume('pv').spec;
    const pv = (phase: string) => ({
      ...volume('pv', { metadata: leaving(5, 'kubernetes.io/pv-controller') }),
      spec: { ...spec, csi: { driver: 'disk.example.com', volumeHandle: 'v' } },
      status: { phase },
    });
    const warning = async (phase: string) => {
      const { cause, cures } = await explainVolume({ PersistentVolume: [pv(phase)] });
      return [cause, cures[0]?.danger !== undefined];
    };
    expect(await warning('Available')).toEqual(['stray-finalizer', false]);
    expect(await warning('Released')).toEqual(['stray-finalizer', true]);
  });

  test.each(['Delete', 'Recycle'])(
    'with policy %s loses its data with its claim, and may be kept first',
    async (policy) => {
      const pair = boundPair({
        metadata: leaving(5, 'kubernetes.io/pv-protection'),
        spec: { persistentVolumeReclaimPolicy: policy },
      });
      const pv = {
        ...pair.volume,
        metadata: { ...pair.volume.metadata, name: 'pv' },
        spec: { ...pair.volume.spec, claimRef: refTo(pair.claim) },
      };
      const owner = { ...pair.claim, spec: { ...pair.claim.spec, volumeName: 'pv' } };
      const finding = await explainVolume({ PersistentVolume: [pv], PersistentVolumeClaim: [owner] });
      expect(finding.cause).toBe('terminating-bound');
      expect(finding.why[1]).toMatch(/the data is deleted then/);
      expect(finding.cures).toMatchObject([
        { does: 'Keep the data, whatever happens to the claim' },
        { danger: expect.stringContaining('the data is destroyed') },
      ]);
    },
  );
});
