/** The recycle operation (BEHAVIOUR 7.3): the volume is scrubbed by its plugin and made Available again. */
import { ClusterError, findCause, messageOf } from './errors.ts';
import { stillReleased } from './is-released.ts';
import type { VolumePlugin } from './plugins.ts';
import { podsUsingClaim } from './pods.ts';
import type { SyncContext, SyncRules } from './ports.ts';
import type { ClaimRef, PersistentVolume } from './types.ts';
import { unbindVolume } from './unbind.ts';
import { updateVolumePhaseWithEvent } from './volume-phase.ts';

type Recycler = VolumePlugin & Required<Pick<VolumePlugin, 'recycle'>>;

/**
 * One step: a plugin that needs time answers `waiting`, and the event of its progress brings the volume back here.
 * @param seen the volume as the sync saw it; it is read again before anything is scrubbed.
 * @throws ClusterError when a read or the final unbind fails; the volume is then recycled again.
 */
export async function recycleVolumeOperation(ctx: SyncContext, seen: PersistentVolume): Promise<void> {
  const { name } = seen.metadata;
  const volume = await ctx.cluster.get('PersistentVolume', { name });
  if (volume === undefined || !(await stillReleased(ctx, seen, volume))) return;

  const users = await usersThatBlock(ctx, volume.spec.claimRef ?? {});
  if (users.length > 0) {
    const message = `Volume is used by pods: ${users.join(',')}`;
    await ctx.cluster.event({
      kind: 'PersistentVolume',
      object: volume,
      type: 'Normal',
      reason: 'VolumeFailedRecycle',
      message,
    });
    return;
  }
  const plugin = findRecycler(ctx, volume);
  if (plugin === undefined) {
    await failRecycle(ctx, volume, 'No recycler plugin found for the volume!');
    return;
  }
  try {
    if ((await plugin.recycle(volume)) === 'waiting') {
      ctx.note(`volume ${name} is being recycled`);
      return;
    }
  } catch (error) {
    if (findCause(error, ClusterError)) throw error;
    await failRecycle(ctx, volume, `Recycle failed: ${messageOf(error)}`);
    return;
  }
  await ctx.cluster.event({
    kind: 'PersistentVolume',
    object: volume,
    type: 'Normal',
    reason: 'VolumeRecycled',
    message: 'Volume recycled',
  });
  await unbindVolume(ctx, volume);
  await plugin.cleanUpRecycle?.(volume);
}

/** Pods of a claim that is gone; a claim of that name that exists is a newer one, with a volume of its own. */
async function usersThatBlock(ctx: SyncContext, { namespace = '', name = '' }: ClaimRef): Promise<string[]> {
  const users = await podsUsingClaim(ctx, { namespace, name });
  if (users.length === 0) return [];
  const newer = await ctx.cluster.get('PersistentVolumeClaim', { namespace, name });
  return newer === undefined ? users.map((pod) => `${pod.metadata.namespace}/${pod.metadata.name}`).sort() : [];
}

/** The one plugin that can scrub this volume's source, undefined when there is none. */
export function findRecycler(rules: Pick<SyncRules, 'plugins'>, volume: PersistentVolume): Recycler | undefined {
  try {
    const plugin = rules.plugins.bySource(volume);
    return plugin.recycle === undefined ? undefined : (plugin as Recycler);
  } catch {
    return undefined;
  }
}

async function failRecycle(ctx: SyncContext, volume: PersistentVolume, message: string): Promise<void> {
  await updateVolumePhaseWithEvent(ctx, volume, 'Failed', { type: 'Warning', reason: 'VolumeFailedRecycle', message });
}
