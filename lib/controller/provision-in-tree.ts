/** In-tree provisioning (BEHAVIOUR 8.2): the plugin makes the storage, this saves the volume that stands for it. */
import {
  annotationOf,
  BOUND_BY_CONTROLLER,
  claimKeyOf,
  IN_TREE_FINALIZER,
  PROVISIONED_BY,
  reclaimPolicyOf,
  SELECTED_NODE,
  storageClassOf,
  withAnnotations,
  withoutAnnotation,
} from './annotations.ts';
import { askProvisioner, provisioningFailed } from './ask-provisioner.ts';
import { claimRefTo } from './claim-ref.ts';
import { destroyStorage, findDeleter } from './delete-volume.ts';
import { AlreadyExistsError, messageOf } from './errors.ts';
import { withFinalizers } from './migration.ts';
import type { VolumePlugin } from './plugins.ts';
import type { SyncContext } from './ports.ts';
import type { Node, PersistentVolume, PersistentVolumeClaim, StorageClass } from './types.ts';

/** @throws Error when the operation failed and is to be tried again with back-off; the user has then been told why. */
export async function provisionInTree(
  ctx: SyncContext,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  plugin: VolumePlugin,
): Promise<void> {
  const fail = async (message: string, cause?: unknown): Promise<never> => {
    await provisioningFailed(ctx, claim, message);
    throw new Error(message, { cause });
  };
  if (claim.spec.dataSource !== undefined && plugin.name !== 'kubernetes.io/csi') {
    await fail(`plugin "${plugin.name}" is not a CSI plugin. Only CSI plugin can provision a claim with a datasource`);
  }
  const asked = await askProvisioner(ctx, claim, storageClass.provisioner);
  const volumeName = `pvc-${claim.metadata.uid}`;
  if ((await ctx.cluster.get('PersistentVolume', { name: volumeName })) !== undefined) {
    ctx.note(`volume ${volumeName} is provisioned already`);
    return;
  }
  const { mountOptions = [] } = storageClass;
  if (!plugin.supportsMountOptions && mountOptions.length > 0) {
    const options = `[${mountOptions.join(' ')}]`;
    await fail(
      `Mount options are not supported by the provisioner but StorageClass "${storageClass.metadata.name}" has mount options ${options}`,
    );
  }
  let provision: (node?: Node) => Promise<PersistentVolume>;
  try {
    if (plugin.newProvisioner === undefined) throw new Error('no provisionable volume plugin matched');
    provision = plugin.newProvisioner({ volumeName, claim: asked, storageClass });
  } catch (error) {
    return await fail(`Failed to create provisioner: ${messageOf(error)}`, error);
  }
  const node = await selectedNode(ctx, asked).catch((error) =>
    fail(`Failed to get target node: ${messageOf(error)}`, error),
  );
  let provisioned: PersistentVolume;
  try {
    provisioned = await provision(node);
  } catch (error) {
    await rescheduleNode(ctx, asked);
    return await fail(
      `Failed to provision volume with StorageClass "${storageClass.metadata.name}": ${messageOf(error)}`,
      error,
    );
  }
  await saveVolume(ctx, asked, completed(provisioned, volumeName, asked, plugin), plugin);
}

/** Step 8: what the controller adds to the bare volume of the plugin. */
function completed(bare: PersistentVolume, volumeName: string, claim: PersistentVolumeClaim, plugin: VolumePlugin) {
  const volume = withAnnotations(
    {
      ...bare,
      metadata: { ...bare.metadata, name: bare.metadata.name || volumeName },
      spec: {
        ...bare.spec,
        storageClassName: storageClassOf(claim),
        claimRef: claimRefTo(claim),
      },
      status: { phase: 'Bound' },
    },
    { [BOUND_BY_CONTROLLER]: 'yes', [PROVISIONED_BY]: plugin.name },
  );
  return reclaimPolicyOf(volume) === 'Delete' ? withFinalizers(volume, [IN_TREE_FINALIZER]) : volume;
}

async function saveVolume(
  ctx: SyncContext,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  plugin: VolumePlugin,
) {
  const { name } = volume.metadata;
  const { createVolumeAttempts: attempts, createVolumeIntervalMs: intervalMs } = ctx.settings;
  const failure = await attempt(ctx, attempts, intervalMs, async () => {
    try {
      ctx.pool.store(await ctx.cluster.create('PersistentVolume', volume));
    } catch (error) {
      if (!(error instanceof AlreadyExistsError)) throw error;
    }
  });
  // A create whose answer was lost may have worked: only storage that no volume object stands for is cleaned up.
  if (failure === undefined || (await ctx.cluster.get('PersistentVolume', { name })) !== undefined) {
    await ctx.cluster.event({
      kind: 'PersistentVolumeClaim',
      object: claim,
      type: 'Normal',
      reason: 'ProvisioningSucceeded',
      message: `Successfully provisioned volume ${name} using ${plugin.name}`,
    });
    return;
  }
  const key = claimKeyOf(claim);
  await provisioningFailed(
    ctx,
    claim,
    `Error creating provisioned PV object for claim ${key}: ${messageOf(failure.error)}. Deleting the volume.`,
  );
  const leftover = await attempt(ctx, attempts, intervalMs, () => cleanUp(ctx, volume));
  if (leftover === undefined) return;
  const message = `Error cleaning provisioned volume for claim ${key}: ${messageOf(leftover.error)}. Please delete manually.`;
  const reason = 'ProvisioningCleanupFailed';
  await ctx.cluster.event({ kind: 'PersistentVolumeClaim', object: claim, type: 'Warning', reason, message });
}

async function cleanUp(ctx: SyncContext, volume: PersistentVolume): Promise<void> {
  const deleter = findDeleter(ctx, volume);
  if (deleter === undefined) throw new Error(`no deleter for volume ${volume.metadata.name}`);
  await destroyStorage(ctx, deleter, volume);
}

/** @returns undefined once it succeeded, the last error when it never did. */
async function attempt(ctx: SyncContext, attempts: number, intervalMs: number, action: () => Promise<void>) {
  let failure: { error: unknown } | undefined;
  for (let i = 0; i < attempts; i++) {
    if (i > 0) await ctx.clock.sleep(intervalMs);
    try {
      await action();
      return undefined;
    } catch (error) {
      failure = { error };
    }
  }
  return failure;
}

async function selectedNode(ctx: SyncContext, claim: PersistentVolumeClaim): Promise<Node | undefined> {
  const name = annotationOf(claim, SELECTED_NODE);
  if (name === undefined) return undefined;
  const node = await ctx.cluster.get('Node', { name });
  if (node === undefined) throw new Error(`node "${name}" not found`);
  return node;
}

/** So that the scheduler chooses again; a failure of this write is only noted. */
async function rescheduleNode(ctx: SyncContext, claim: PersistentVolumeClaim): Promise<void> {
  if (annotationOf(claim, SELECTED_NODE) === undefined) return;
  try {
    await ctx.cluster.update('PersistentVolumeClaim', withoutAnnotation(claim, SELECTED_NODE));
  } catch (error) {
    ctx.note(`claim ${claimKeyOf(claim)} keeps its selected node: ${messageOf(error)}`);
  }
}
