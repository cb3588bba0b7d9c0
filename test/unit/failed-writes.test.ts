/** Writes that fail or are not needed: a conflict stays one, everything else is told in upstream's words. */
import { describe, expect, test } from 'vitest';
import { saveAnnealedClaim, saveAnnealedVolume } from '../../lib/controller/anneal.ts';
import {
  BETA_STORAGE_PROVISIONER,
  DEFAULT_CLASS,
  PROVISIONED_BY,
  STORAGE_PROVISIONER,
} from '../../lib/controller/annotations.ts';
import { askProvisioner } from '../../lib/controller/ask-provisioner.ts';
import { assignDefaultClass } from '../../lib/controller/default-class.ts';
import { ClusterError, ConflictError } from '../../lib/controller/errors.ts';
import { claim, storageClass, volume } from '../../lib/controller/testing/objects.ts';
import { failing, Scene } from './scene.ts';

const EBS = 'kubernetes.io/aws-ebs';
const migrated = volume('pv', { annotations: { [PROVISIONED_BY]: EBS } });
const asking = claim('one', { annotations: { [STORAGE_PROVISIONER]: EBS, [BETA_STORAGE_PROVISIONER]: EBS } });
const isDefault = { name: 'standard', annotations: { [DEFAULT_CLASS]: 'true' } };
const standard = storageClass('standard', { metadata: isDefault });

const ANNEAL = "persistent Volume Controller can't anneal migration annotations";

describe('a write that fails', () => {
  test.each<[string, string, string, (scene: Scene) => Promise<unknown>]>([
    [
      'of corrected annotations of a claim',
      'persistentvolumeclaims',
      `${ANNEAL}: 500`,
      ({ ctx }) => saveAnnealedClaim(ctx, asking),
    ],
    [
      'of corrected annotations of a volume',
      'persistentvolumes',
      `${ANNEAL} or finalizer: 500`,
      ({ ctx }) => saveAnnealedVolume(ctx, migrated),
    ],
    [
      'of the default class',
      'persistentvolumeclaims',
      'can\'t update PersistentVolumeClaim["ns/one"]: 500',
      ({ ctx }) => assignDefaultClass(ctx, claim('one')),
    ],
  ])('%s is told with its cause, and stays a conflict where it is one', async (_, resource, says, write) => {
    const scene = new Scene({
      PersistentVolume: [migrated],
      PersistentVolumeClaim: [asking],
      StorageClass: [standard],
    });
    const broken = new ClusterError('500', { code: 500 });
    failing(scene, 'update', resource, broken);
    await expect(write(scene)).rejects.toMatchObject({ name: 'Error', message: says, cause: broken });
    const conflict = new ConflictError('409', { code: 409 });
    failing(scene, 'update', resource, conflict);
    await expect(write(scene)).rejects.toBe(conflict);
  });
});

describe('a provisioner that was asked', () => {
  test('is not asked again: the claim stays as it is, without a request', async () => {
    const asked = claim('one', { annotations: { [STORAGE_PROVISIONER]: 'vendor.com/disk' } });
    const scene = new Scene({ PersistentVolumeClaim: [asked] });
    failing(scene, 'update', 'persistentvolumeclaims', new Error('asked'));
    expect(await askProvisioner(scene.ctx, asked, 'vendor.com/disk')).toBe(asked);
    await expect(askProvisioner(scene.ctx, asked, 'vendor.com/other')).rejects.toThrow('asked');
  });
});
