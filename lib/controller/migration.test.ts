import { describe, expect, test } from 'vitest';
import {
  BETA_STORAGE_PROVISIONER,
  EXTERNAL_FINALIZER,
  IN_TREE_FINALIZER,
  MIGRATED_TO,
  PROVISIONED_BY,
  STORAGE_PROVISIONER,
} from './annotations.ts';
import { annealClaim, annealVolume, type MigrationTable, STANDARD_MIGRATION } from './migration.ts';
import { claim, volume } from './testing/objects.ts';

const EBS = 'kubernetes.io/aws-ebs';
const HOST_PATH = 'kubernetes.io/host-path';
const PROTECTION = 'kubernetes.io/pv-protection';

const table = {
  'kubernetes.io/aws-ebs': 'ebs.csi.aws.com',
  'kubernetes.io/gce-pd': 'pd.csi.storage.gke.io',
  'kubernetes.io/azure-disk': 'disk.csi.azure.com',
  'kubernetes.io/azure-file': 'file.csi.azure.com',
  'kubernetes.io/cinder': 'cinder.csi.openstack.org',
  'kubernetes.io/vsphere-volume': 'csi.vsphere.vmware.com',
  'kubernetes.io/portworx-volume': 'pxd.portworx.com',
};

describe('the migrated-to annotation (BEHAVIOUR 9)', () => {
  const migratedTo = (annotations: Record<string, string>) =>
    annealClaim(claim('one', { annotations }), STANDARD_MIGRATION).metadata.annotations?.[MIGRATED_TO];

  test.each(Object.entries(table))('%s is migrated to %s', (plugin, driver) => {
    expect(migratedTo({ [STORAGE_PROVISIONER]: plugin })).toBe(driver);
    expect(migratedTo({ [BETA_STORAGE_PROVISIONER]: plugin })).toBe(driver);
    expect(migratedTo({ [STORAGE_PROVISIONER]: plugin, [MIGRATED_TO]: 'wrong' })).toBe(driver);
    const pv = annealVolume(volume('pv', { annotations: { [PROVISIONED_BY]: plugin } }), STANDARD_MIGRATION);
    expect(pv.metadata.annotations?.[MIGRATED_TO]).toBe(driver);
  });

  test('the GA annotation wins over the beta one', () => {
    expect(migratedTo({ [STORAGE_PROVISIONER]: 'vendor.com/disk', [BETA_STORAGE_PROVISIONER]: EBS })).toBeUndefined();
    expect(migratedTo({ [STORAGE_PROVISIONER]: EBS, [BETA_STORAGE_PROVISIONER]: 'vendor.com/disk' })).toBe(
      'ebs.csi.aws.com',
    );
  });

  test('a provisioner that is not migrated loses a non-empty annotation', () => {
    expect(migratedTo({ [STORAGE_PROVISIONER]: HOST_PATH, [MIGRATED_TO]: 'ebs.csi.aws.com' })).toBeUndefined();
    expect(migratedTo({ [STORAGE_PROVISIONER]: '', [MIGRATED_TO]: 'ebs.csi.aws.com' })).toBeUndefined();
    const empty = claim('one', { annotations: { [STORAGE_PROVISIONER]: HOST_PATH, [MIGRATED_TO]: '' } });
    expect(annealClaim(empty, STANDARD_MIGRATION)).toBe(empty);
  });

  test('without a provisioner, or with the right driver, the very same object comes back', () => {
    const orphaned = claim('one', { annotations: { [MIGRATED_TO]: 'left' } });
    const right = claim('one', { annotations: { [STORAGE_PROVISIONER]: EBS, [MIGRATED_TO]: 'ebs.csi.aws.com' } });
    for (const same of [claim('one'), orphaned, right]) expect(annealClaim(same, STANDARD_MIGRATION)).toBe(same);
  });

  test('a migrated plugin whose driver nobody knows changes nothing', () => {
    const unknown: MigrationTable = { isMigrated: () => true, driverOf: () => undefined };
    const same = claim('one', { annotations: { [STORAGE_PROVISIONER]: EBS, [MIGRATED_TO]: 'old' } });
    expect(annealClaim(same, unknown)).toBe(same);
  });

  test('names of Object.prototype are no plugins', () => {
    expect(STANDARD_MIGRATION.isMigrated('constructor')).toBe(false);
    expect(STANDARD_MIGRATION.driverOf('toString')).toBeUndefined();
  });
});

describe('deletion finalizers (BEHAVIOUR 9)', () => {
  function finalizers(provisioner: string | undefined, policy: string, finalizers: string[]) {
    const annotations = provisioner === undefined ? {} : { [PROVISIONED_BY]: provisioner };
    const pv = volume('pv', {
      annotations,
      metadata: { finalizers },
      spec: { persistentVolumeReclaimPolicy: policy },
    });
    return annealVolume(pv, STANDARD_MIGRATION).metadata.finalizers;
  }

  test.each<[string | undefined, string, string[], string[] | undefined]>([
    [undefined, 'Delete', [IN_TREE_FINALIZER, EXTERNAL_FINALIZER], [IN_TREE_FINALIZER, EXTERNAL_FINALIZER]],
    [EBS, 'Delete', [IN_TREE_FINALIZER, PROTECTION], [PROTECTION]],
    [EBS, 'Delete', [EXTERNAL_FINALIZER], [EXTERNAL_FINALIZER]],
    [EBS, 'Delete', [IN_TREE_FINALIZER], undefined],
    ['vendor.com/disk', 'Delete', [IN_TREE_FINALIZER, EXTERNAL_FINALIZER], [IN_TREE_FINALIZER, EXTERNAL_FINALIZER]],
    [HOST_PATH, 'Delete', [], [IN_TREE_FINALIZER]],
    [HOST_PATH, 'Delete', [PROTECTION], [PROTECTION, IN_TREE_FINALIZER]],
    [HOST_PATH, 'Delete', [EXTERNAL_FINALIZER, PROTECTION], [PROTECTION, IN_TREE_FINALIZER]],
    [HOST_PATH, 'Delete', [IN_TREE_FINALIZER, PROTECTION], [IN_TREE_FINALIZER, PROTECTION]],
    [HOST_PATH, 'Retain', [IN_TREE_FINALIZER, PROTECTION], [PROTECTION]],
    [HOST_PATH, 'Retain', [EXTERNAL_FINALIZER], undefined],
    [HOST_PATH, 'Recycle', [IN_TREE_FINALIZER], undefined],
  ])('provisioned by %s, policy %s: %j becomes %j', (provisioner, policy, before, after) => {
    expect(finalizers(provisioner, policy, before)).toEqual(after);
  });

  test('a volume that is right comes back as the very same object', () => {
    const right = volume('pv', {
      annotations: { [PROVISIONED_BY]: HOST_PATH },
      metadata: { finalizers: [IN_TREE_FINALIZER] },
      spec: { persistentVolumeReclaimPolicy: 'Delete' },
    });
    expect(annealVolume(right, STANDARD_MIGRATION)).toBe(right);
  });
});

test('a volume that is being deleted gets no new finalizer: the API server would refuse it (BEHAVIOUR 9)', () => {
  const pv = volume('pv', {
    annotations: { [PROVISIONED_BY]: HOST_PATH },
    spec: { persistentVolumeReclaimPolicy: 'Delete' },
  });
  pv.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
  pv.metadata.finalizers = [PROTECTION];
  expect(annealVolume(pv, STANDARD_MIGRATION).metadata.finalizers).toEqual([PROTECTION]);
});
