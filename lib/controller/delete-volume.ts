/** The delete operation (BEHAVIOUR 7.2): the backing storage is destroyed by an in-tree plugin, or left to others. */
import { annotationOf, IN_TREE_FINALIZER, isInTreeName, MIGRATED_TO, PROVISIONED_BY } from './annotations.ts';
import { ClusterError, findCause, messageOf, NotFoundError } from './errors.ts';
import { stillReleased } from './is-released.ts';
import { withFinalizers } from './migration.ts';
import { VolumeInUseError, type VolumePlugin } from './plugins.ts';
import type { SyncContext } from './ports.ts';
import type { PersistentVolume } from './types.ts';
import { updateVolumePhaseWithEvent } from './volume-phase.ts';

type Deletable = VolumePlugin & Required<Pick<VolumePlugin, 'newDeleter'>>;

/**
 * @param volume as the sync saw it; it is read again before anything is destroyed.
 * @throws Error when the deleter failed: the operation is tried again with back-off.
 */
export async function deleteVolumeOperation(ctx: SyncContext, volume: PersistentVolume): Promise<void> {
  const { name } = volume.metadata;
  let plugin: Deletable | undefined;
  try {
    plugin = findDeleter(ctx, volume);
  } catch (error) {
    await failDelete(ctx, volume, error);
    return;
  }
  if (plugin === undefined) {
    ctx.note(`volume ${name} is left to its external deleter`);
    return;
  }
  const fresh = await ctx.cluster.get('PersistentVolume', { name });
  if (fresh === undefined) {
    ctx.note(`volume ${name} is gone already`);
    return;
  }
  if (!(await stillReleased(ctx, volume, fresh))) {
    ctx.note(`volume ${name} is not to be deleted any more`);
    return;
  }
  let emptied: PersistentVolume;
  try {
    emptied = await destroyStorage(ctx, plugin, fresh);
  } catch (error) {
    // An API server that did not answer says nothing about the storage: the phase stays.
    if (findCause(error, ClusterError)) throw error;
    if (error instanceof VolumeInUseError) {
      const message = messageOf(error);
      await ctx.cluster.event({
        kind: 'PersistentVolume',
        object: fresh,
        type: 'Normal',
        reason: 'VolumeDelete',
        message,
      });
    } else {
      await failDelete(ctx, fresh, error);
    }
    throw error;
  }
  await ctx.cluster.delete('PersistentVolume', emptied);
}

/**
 * Which plugin deletes this volume.
 * @returns undefined when an external deleter will.
 * @throws Error with upstream's text when no plugin can.
 */
export function findDeleter(ctx: Pick<SyncContext, 'plugins'>, volume: PersistentVolume): Deletable | undefined {
  const provisioner = annotationOf(volume, PROVISIONED_BY);
  if (provisioner) {
    const plugin = ctx.plugins.byName(provisioner);
    if (plugin === undefined && isInTreeName(provisioner)) {
      throw new Error(`no volume plugin matched name: ${provisioner}`);
    }
    if (plugin === undefined || (plugin.newDeleter === undefined && !isInTreeName(provisioner))) return undefined;
    return deletable(plugin, '');
  }
  if (annotationOf(volume, MIGRATED_TO) !== undefined || volume.spec.csi !== undefined) return undefined;
  const prefix = `error getting deleter volume plugin for volume "${volume.metadata.name}": `;
  let plugin: VolumePlugin;
  try {
    plugin = ctx.plugins.bySource(volume);
  } catch (error) {
    throw new Error(prefix + messageOf(error), { cause: error });
  }
  return deletable(plugin, prefix);
}

/**
 * Runs the deleter, then takes our finalizer off.
 * @returns the volume as now stored, whose resourceVersion guards the delete of the object.
 */
export async function destroyStorage(ctx: SyncContext, plugin: VolumePlugin, volume: PersistentVolume) {
  const { name, uid } = volume.metadata;
  await newDeleter(plugin, volume)();
  ctx.note(`storage of volume ${name} is deleted`);
  const fresh = await ctx.cluster.get('PersistentVolume', { name });
  if (fresh === undefined || fresh.metadata.uid !== uid) {
    throw new NotFoundError(`persistentvolumes "${name}" not found`, { code: 404, reason: 'NotFound' });
  }
  const finalizers = fresh.metadata.finalizers ?? [];
  if (!finalizers.includes(IN_TREE_FINALIZER)) return fresh;
  const others = finalizers.filter((finalizer) => finalizer !== IN_TREE_FINALIZER);
  try {
    return await ctx.cluster.update('PersistentVolume', withFinalizers(fresh, others));
  } catch (error) {
    throw new Error(`persistent volume controller can't update finalizer: ${messageOf(error)}`, { cause: error });
  }
}

function deletable(plugin: VolumePlugin, prefix: string): Deletable {
  const { newDeleter } = plugin;
  if (newDeleter === undefined) throw new Error(`${prefix}no deletable volume plugin matched`);
  return plugin as Deletable;
}

function newDeleter(plugin: VolumePlugin, volume: PersistentVolume): () => Promise<void> {
  try {
    return deletable(plugin, '').newDeleter(volume);
  } catch (error) {
    const what = `failed to create deleter for volume "${volume.metadata.name}"`;
    throw new Error(`${what}: ${messageOf(error)}`, { cause: error });
  }
}

async function failDelete(ctx: SyncContext, volume: PersistentVolume, error: unknown): Promise<void> {
  await updateVolumePhaseWithEvent(ctx, volume, 'Failed', {
    type: 'Warning',
    reason: 'VolumeFailedDelete',
    message: messageOf(error),
  });
}
