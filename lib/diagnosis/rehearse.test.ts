import { describe, expect, test } from 'vitest';
import { ClusterError } from '../controller/errors.ts';
import { boundPair, claim, orphan, volume } from '../controller/testing/objects.ts';
import { diagnose } from './diagnose.ts';
import type { DiagnosisKinds, DiagnosisReader } from './finding.ts';
import { arrayReader } from './testing/array-reader.ts';
import { explainVolume, NOW } from './testing/explain.ts';

const PV = { kind: 'PersistentVolume', name: 'pv' } as const;

describe('a rehearsal', () => {
  test('touches no storage, though it tells that it would be deleted', async () => {
    let deleted = 0;
    const plugin = {
      name: 'kubernetes.io/host-path',
      supportsMountOptions: false,
      supports: () => true,
      newDeleter: () => async () => void deleted++,
    };
    const released = orphan('pv', { spec: { persistentVolumeReclaimPolicy: 'Delete' } });
    const finding = await explainVolume({ PersistentVolume: [released] }, { rules: { plugins: () => [plugin] } });
    expect(finding).toMatchObject({ cause: 'controller-behind', next: 'volume pv: phase Released -> deleted' });
    expect(deleted).toBe(0);
  });

  test('of a Released volume whose claim is there after all ends Bound', async () => {
    const { claim: bound } = boundPair();
    const one = { ...bound, spec: { ...bound.spec, volumeName: 'pv' } };
    const pv = volume('pv', {
      spec: { claimRef: { namespace: 'ns', name: 'one', uid: 'uid-of-one' } },
      status: { phase: 'Released' },
    });
    const finding = await explainVolume({ PersistentVolume: [pv], PersistentVolumeClaim: [one] });
    expect(finding).toMatchObject({ cause: 'controller-behind', next: 'volume pv: phase Released -> Bound' });
  });

  test('of a volume whose uid a user took away makes it Available', async () => {
    const freed = volume('pv', {
      spec: { claimRef: { namespace: 'ns', name: 'gone' } },
      status: { phase: 'Released' },
    });
    const finding = await explainVolume({ PersistentVolume: [freed] });
    expect(finding).toMatchObject({ cause: 'controller-behind', next: 'volume pv: phase Released -> Available' });
  });
});

describe('what cannot be read', () => {
  /** Answers for everything but one kind. */
  function refusing(kind: keyof DiagnosisKinds, code: number): DiagnosisReader {
    const csi = { csi: { driver: 'disk.example.com', volumeHandle: 'v' }, persistentVolumeReclaimPolicy: 'Delete' };
    const reader = arrayReader({
      PersistentVolume: [orphan('pv', { spec: csi })],
      PersistentVolumeClaim: [claim('x')],
    });
    const refuse = () => {
      throw new ClusterError(`${kind} is refused`, { code });
    };
    return {
      get: async (asked, key) => (asked === kind ? refuse() : await reader.get(asked, key)),
      list: async (asked, options) => (asked === kind ? refuse() : await reader.list(asked, options)),
    };
  }
  const explain = (kind: keyof DiagnosisKinds, code: number) => diagnose(refusing(kind, code), PV, { now: NOW });

  test.each(['CSIDriver', 'VolumeAttachment'] as const)('%s: nothing is concluded from it', async (kind) => {
    expect((await explain(kind, 403)).cause).toBe(kind === 'CSIDriver' ? 'waits-for-deleter' : 'driver-missing');
    expect((await explain(kind, 404)).cause).toBe(kind === 'CSIDriver' ? 'waits-for-deleter' : 'driver-missing');
    await expect(explain(kind, 500)).rejects.toThrow(/refused/);
  });

  test('the claim: nothing is said at all', async () => {
    await expect(explain('PersistentVolumeClaim', 403)).rejects.toThrow('PersistentVolumeClaim is refused');
  });
});
