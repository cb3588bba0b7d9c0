import { describe, expect, test } from 'vitest';
import { BETA_STORAGE_PROVISIONER, MIGRATED_TO, STORAGE_PROVISIONER } from '../../lib/controller/annotations.ts';
import { ClusterError, ConflictError } from '../../lib/controller/errors.ts';
import type { MigrationTable } from '../../lib/controller/migration.ts';
import type { VolumePlugin } from '../../lib/controller/plugins.ts';
import { claim, storageClass } from '../../lib/controller/testing/objects.ts';
import { failing, Scene, type SceneParts } from './scene.ts';

const classy = (annotations: Record<string, string> = {}) =>
  claim('one', { annotations, spec: { storageClassName: 'fast' } });

function sceneOf(provisioner: string, pvc = classy(), plugins: VolumePlugin[] = [], parts: SceneParts = {}) {
  const objects = { PersistentVolumeClaim: [pvc], StorageClass: [storageClass('fast', { provisioner })] };
  return new Scene(objects, plugins, parts);
}

const waitingFor = (name: string) =>
  `Normal ExternalProvisioning: Waiting for a volume to be created either by the external provisioner '${name}' or manually by the system administrator. ` +
  'If volume creation is delayed, please verify that the provisioner is running and correctly registered.';

describe('who provisions (BEHAVIOUR 8)', () => {
  test('nobody where dynamic provisioning is off: no event, no error', async () => {
    const scene = sceneOf('vendor.com/disk');
    Object.assign(scene.ctx, { settings: { ...scene.ctx.settings, dynamicProvisioning: false } });
    await scene.syncClaim('one');
    expect([...scene.writes, ...scene.events, ...scene.operations]).toEqual([]);
  });

  test.each([
    ['kubernetes.io/no-provisioner', 'no volume plugin matched name: kubernetes.io/no-provisioner'],
    ['kubernetes.io/nfs', 'no provisionable volume plugin matched'],
  ])('%s: a warning, nothing is scheduled, the sync succeeds', async (provisioner, message) => {
    const nfs: VolumePlugin = { name: 'kubernetes.io/nfs', supportsMountOptions: true, supports: () => true };
    const scene = sceneOf(provisioner, classy(), [nfs]);
    await scene.syncClaim('one');
    expect(scene.events).toEqual([`Warning ProvisioningFailed: ${message}`]);
    expect(scene.operations).toEqual([]);
    expect(scene.writes).toEqual([]);
  });

  test('an external name stays external where a plugin of that name cannot provision', async () => {
    const half: VolumePlugin = { name: 'vendor.com/disk', supportsMountOptions: true, supports: () => true };
    const scene = sceneOf('vendor.com/disk', classy(), [half]);
    await scene.syncClaim('one');
    expect(scene.events).toEqual([waitingFor('vendor.com/disk')]);
  });

  test('a class that cannot be read fails the sync, without an event', async () => {
    const scene = sceneOf('vendor.com/disk');
    failing(scene, 'get', 'storageclasses', new ClusterError('forbidden', { code: 403 }));
    await expect(scene.syncClaim('one')).rejects.toThrow('forbidden');
    expect(scene.events).toEqual([]);
  });
});

describe('external provisioning (BEHAVIOUR 8.1)', () => {
  test('both annotations in one write, then the event; the next sync repeats only the event', async () => {
    const scene = sceneOf('vendor.com/disk');
    await scene.syncClaim('one');
    await scene.syncClaim('one');
    expect(scene.writes).toEqual(['update PersistentVolumeClaim one']);
    expect(scene.claim('one').metadata.annotations).toEqual({
      [STORAGE_PROVISIONER]: 'vendor.com/disk',
      [BETA_STORAGE_PROVISIONER]: 'vendor.com/disk',
    });
    expect(scene.events).toEqual([waitingFor('vendor.com/disk'), waitingFor('vendor.com/disk')]);
  });

  test('the write is skipped only for the GA annotation', async () => {
    const beta = sceneOf('vendor.com/disk', classy({ [BETA_STORAGE_PROVISIONER]: 'vendor.com/disk' }));
    await beta.syncClaim('one');
    expect(beta.writes).toHaveLength(1);
    const ga = sceneOf('vendor.com/disk', classy({ [STORAGE_PROVISIONER]: 'vendor.com/disk' }));
    await ga.syncClaim('one');
    expect(ga.writes).toEqual([]);
  });

  test('a migrated plugin is asked for under its driver’s name', async () => {
    const scene = sceneOf('kubernetes.io/aws-ebs');
    await scene.syncClaim('one');
    expect(scene.claim('one').metadata.annotations).toEqual({
      [STORAGE_PROVISIONER]: 'ebs.csi.aws.com',
      [BETA_STORAGE_PROVISIONER]: 'ebs.csi.aws.com',
    });
    expect(scene.events).toEqual([waitingFor('ebs.csi.aws.com')]);
  });

  test('the write takes a wrong migrated-to annotation along', async () => {
    const pvc = classy({ [STORAGE_PROVISIONER]: 'kubernetes.io/aws-ebs', [MIGRATED_TO]: 'ebs.csi.aws.com' });
    const scene = sceneOf('vendor.com/disk', pvc);
    await scene.syncClaim('one');
    expect(scene.writes).toHaveLength(1);
    expect(scene.claim('one').metadata.annotations).not.toHaveProperty(MIGRATED_TO);
  });

  test('a migrated plugin without a known driver: warning, and the operation fails', async () => {
    const migration: MigrationTable = { isMigrated: () => true, driverOf: () => undefined };
    const scene = sceneOf('kubernetes.io/x', classy(), [], { migration });
    await expect(scene.syncClaim('one')).rejects.toThrow('error getting CSI name for In tree plugin kubernetes.io/x: ');
    expect(scene.events).toHaveLength(1);
    expect(scene.events[0]).toContain('Warning ProvisioningFailed: error getting CSI name for In tree plugin');
    expect(scene.writes).toEqual([]);
  });

  test('a write that fails: warning, and the operation fails', async () => {
    const scene = sceneOf('vendor.com/disk');
    failing(scene, 'update', 'persistentvolumeclaims', new ClusterError('forbidden', { code: 403 }));
    await expect(scene.syncClaim('one')).rejects.toThrow('Error saving claim: forbidden');
    expect(scene.events).toEqual(['Warning ProvisioningFailed: Error saving claim: forbidden']);
  });

  test('a conflict is no failure: it is decided again at once, and the user is told nothing', async () => {
    const scene = sceneOf('vendor.com/disk');
    failing(scene, 'update', 'persistentvolumeclaims', new ConflictError('changed', { code: 409 }), 1);
    await scene.syncClaim('one');
    expect(scene.events).toEqual([waitingFor('vendor.com/disk')]);
  });
});
