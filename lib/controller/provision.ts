/** Provisioning for a claim that has a class and found no volume (BEHAVIOUR 8): by whom, and that it is asked for. */
import { isInTreeName, storageClassOf } from './annotations.ts';
import { askProvisioner, provisioningFailed } from './ask-provisioner.ts';
import { ConflictError, messageOf } from './errors.ts';
import type { VolumePlugin } from './plugins.ts';
import type { SyncContext, SyncRules } from './ports.ts';
import { provisionInTree } from './provision-in-tree.ts';
import type { PersistentVolumeClaim, StorageClass } from './types.ts';

/**
 * @param storageClass the claim's class as just read, undefined when there is none of that name.
 * @throws ClusterError, or what `runOperation` makes of a failed operation.
 */
export async function provisionClaim(
  ctx: SyncContext,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
): Promise<void> {
  if (!ctx.settings.dynamicProvisioning) {
    ctx.note('dynamic provisioning is disabled');
    return;
  }
  const { namespace, name, uid = '' } = claim.metadata;
  if (storageClass === undefined) {
    await provisioningFailed(ctx, claim, `storageclass.storage.k8s.io "${storageClassOf(claim)}" not found`);
    return;
  }
  let plugin: VolumePlugin | undefined;
  try {
    plugin = findProvisioner(ctx, storageClass);
  } catch (error) {
    if (!(error instanceof ProvisioningError)) throw error;
    await provisioningFailed(ctx, claim, error.message);
    return;
  }
  await ctx.runOperation(`provision-${namespace}/${name}[${uid}]`, () =>
    plugin === undefined
      ? provisionExternal(ctx, claim, storageClass)
      : provisionInTree(ctx, claim, storageClass, plugin),
  );
}

/** A reason why nothing can be provisioned, told to the user as an event. */
class ProvisioningError extends Error {}

/**
 * @returns the plugin that provisions for this class, undefined when an external provisioner does.
 * @throws ProvisioningError when the class names an in-tree plugin that is not there.
 */
export function findProvisioner(rules: Pick<SyncRules, 'plugins' | 'migration'>, storageClass: StorageClass) {
  const { provisioner } = storageClass;
  if (rules.migration.isMigrated(provisioner)) return undefined;
  const plugin = rules.plugins.byName(provisioner);
  if (plugin?.newProvisioner !== undefined) return plugin;
  if (!isInTreeName(provisioner)) return undefined;
  throw new ProvisioningError(
    plugin === undefined ? `no volume plugin matched name: ${provisioner}` : 'no provisionable volume plugin matched',
  );
}

/** Name under which the class' provisioner is asked: the CSI driver's where the plugin is migrated, if one is known. */
export function provisionerNameOf(storageClass: StorageClass, rules: Pick<SyncRules, 'migration'>): string | undefined {
  const { provisioner } = storageClass;
  return rules.migration.isMigrated(provisioner) ? rules.migration.driverOf(provisioner) : provisioner;
}

/** 8.1: names the provisioner on the claim; the volume that it makes is found by matching. */
async function provisionExternal(ctx: SyncContext, claim: PersistentVolumeClaim, storageClass: StorageClass) {
  const provisioner = provisionerNameOf(storageClass, ctx);
  if (provisioner === undefined) {
    const message = `error getting CSI name for In tree plugin ${storageClass.provisioner}: could not find CSI driver name for plugin`;
    await provisioningFailed(ctx, claim, message);
    throw new Error(message);
  }
  let asked: PersistentVolumeClaim;
  try {
    asked = await askProvisioner(ctx, claim, provisioner);
  } catch (error) {
    if (error instanceof ConflictError) throw error; // decided again at once
    const message = `Error saving claim: ${messageOf(error)}`;
    await provisioningFailed(ctx, claim, message);
    throw new Error(message, { cause: error });
  }
  await ctx.cluster.event({
    kind: 'PersistentVolumeClaim',
    object: asked,
    type: 'Normal',
    reason: 'ExternalProvisioning',
    message:
      `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the ` +
      'system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.',
  });
}
