import { describe, expect, test } from 'vitest';
import { BETA_STORAGE_PROVISIONER, PROVISIONED_BY, STORAGE_PROVISIONER } from '../controller/annotations.ts';
import { claim, storageClass, volume } from '../controller/testing/objects.ts';
import type { ClusterEvent } from '../controller/types.ts';
import { ago, explainClaim } from './testing/explain.ts';

const DRIVER = 'disk.vendor.com';
const asked = { [STORAGE_PROVISIONER]: DRIVER, [BETA_STORAGE_PROVISIONER]: DRIVER };

function claimOf(minutes: number, annotations = asked) {
  return claim('one', {
    metadata: { annotations, creationTimestamp: ago(minutes) },
    spec: { storageClassName: 'fast' },
  });
}

function said(reason: string, message: string, minutes: number, component = `${DRIVER}_provisioner-0`): ClusterEvent {
  return {
    metadata: { namespace: 'ns', name: `${reason}-${minutes}` },
    involvedObject: { uid: 'uid-of-one' },
    reason,
    message,
    lastTimestamp: ago(minutes),
    source: { component },
  };
}

const installed = {
  CSIDriver: [{ metadata: { name: DRIVER } }],
  StorageClass: [storageClass('fast', { provisioner: DRIVER })],
};
const explain = (minutes: number, more: object = {}) =>
  explainClaim({ ...installed, PersistentVolumeClaim: [claimOf(minutes)], ...more });

describe('a claim whose provisioner was asked', () => {
  test('waits a moment', async () => {
    expect(await explain(1)).toMatchObject({ cause: 'waits-for-provisioner', actor: 'provisioner', since: ago(1) });
  });

  test('was not asked yet: that is the controller’s', async () => {
    const objects = { ...installed, PersistentVolumeClaim: [claimOf(1, {} as typeof asked)] };
    expect((await explainClaim(objects)).cause).toBe('controller-behind');
  });

  test('hears nothing: silent since the claim was made', async () => {
    const finding = await explain(90);
    expect(finding).toMatchObject({ cause: 'provisioner-silent', severity: 'stuck', since: ago(90) });
    expect(finding.why[0]).toBe('It has said nothing about this claim in 90m.');
    expect(finding.cures[0]?.command).toBe('kubectl get events -n ns --field-selector involvedObject.uid=uid-of-one');
  });

  test('heard something long ago: silent since then; the controller’s own events are no answer', async () => {
    const events = [
      said('Provisioning', 'External provisioner is provisioning', 30),
      said('ExternalProvisioning', '', 0, 'persistentvolume-controller'),
    ];
    const finding = await explain(90, { Event: events });
    expect(finding).toMatchObject({ cause: 'provisioner-silent', since: ago(30) });
    expect(finding.why[0]).toBe('It last spoke of this claim 30m ago (Provisioning).');
  });

  test('heard why it failed, which a later attempt does not take back', async () => {
    const events = [said('Provisioning', 'again', 1), said('ProvisioningFailed', 'quota exceeded', 2)];
    const finding = await explain(90, { Event: events });
    expect(finding.cause).toBe('provisioning-failed');
    expect(finding.why[0]).toBe('disk.vendor.com said 2m ago: quota exceeded');
  });

  test('hears nothing of what was said about another claim', async () => {
    const about = { ...said('ProvisioningFailed', 'quota exceeded', 2), involvedObject: { uid: 'uid-of-two' } };
    expect((await explain(90, { Event: [about] })).cause).toBe('provisioner-silent');
  });

  test('asks a driver that is provably not there', async () => {
    expect(await explain(1, { CSIDriver: [] })).toMatchObject({ cause: 'driver-missing', actor: 'driver' });
  });

  test('asks no CSI driver: one that has made a volume is there', async () => {
    const made = volume('pv', { annotations: { [PROVISIONED_BY]: DRIVER }, status: { phase: 'Bound' } });
    expect((await explain(90, { CSIDriver: [], PersistentVolume: [made] })).cause).toBe('provisioner-silent');
  });

  test('asks a provisioner whose name no CSIDriver can have: that there is none says nothing', async () => {
    const name = 'rancher.io/local-path';
    const annotations = { [STORAGE_PROVISIONER]: name, [BETA_STORAGE_PROVISIONER]: name };
    const finding = await explainClaim({
      PersistentVolumeClaim: [claimOf(1, annotations)],
      StorageClass: [storageClass('fast', { provisioner: name })],
    });
    expect(finding.cause).toBe('waits-for-provisioner');
  });
});
