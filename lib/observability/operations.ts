/**
 * The built-in controller's operation metrics (BEHAVIOUR 11) without its timing cache: times come from what the objects
 * say of themselves, and the plugin of a failed operation from the error that it threw.
 */
import type { Written } from '../audit/record.ts';
import type { SeenChange } from '../audit/trail.ts';
import {
  annotationOf,
  BETA_STORAGE_PROVISIONER,
  reclaimPolicyOf,
  STORAGE_PROVISIONER,
} from '../controller/annotations.ts';
import { findCause, OperationError } from '../controller/errors.ts';
import type { VolumePlugin } from '../controller/plugins.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import type { Transition } from '../worker/transition.ts';
import type { DetailOf } from './catalogue.ts';
import { pluginNameOf } from './collector.ts';

/** An operation that users waited for, and how long. */
export interface Operation {
  readonly labels: DetailOf<'volume_operation_total_seconds'>;
  readonly seconds: number;
}

/**
 * The operation that ends with this change: a claim with a provisioner that becomes Bound, counted from its creation; a
 * volume of policy Delete that is gone, counted from its release. Undefined for any other change, or without the times.
 */
export function endedOperation({ type, kind, before, after, at }: SeenChange): Operation | undefined {
  const isEnd = before !== undefined && before.metadata.uid === after.metadata.uid;
  if (!isEnd) return undefined;
  const found =
    kind === 'PersistentVolume'
      ? type === 'DELETED' && deleted(after as PersistentVolume)
      : type !== 'DELETED' && provisioned(before as PersistentVolumeClaim, after as PersistentVolumeClaim);
  if (!found) return undefined;
  const seconds = (at - Date.parse(found.since ?? '')) / 1_000;
  return Number.isFinite(seconds) ? { labels: found.labels, seconds: Math.max(0, seconds) } : undefined;
}

function provisioned(before: PersistentVolumeClaim, after: PersistentVolumeClaim) {
  const plugin_name = annotationOf(after, STORAGE_PROVISIONER) ?? annotationOf(after, BETA_STORAGE_PROVISIONER);
  const isBound = before.status?.phase === 'Pending' && after.status?.phase === 'Bound';
  if (!isBound || !plugin_name) return undefined;
  return { labels: { plugin_name, operation_name: 'provision' }, since: after.metadata.creationTimestamp };
}

function deleted(volume: PersistentVolume) {
  const { phase, lastPhaseTransitionTime: since } = volume.status ?? {};
  if (phase !== 'Released' || reclaimPolicyOf(volume) !== 'Delete') return undefined;
  return { labels: { plugin_name: pluginNameOf(volume), operation_name: 'delete' }, since };
}

/** Which plugin threw an error; an error is let go of with its sync. */
const pluginsOfErrors = new WeakMap<Error, string>();

/** Undefined unless it is an attempt to provision or to delete that failed. */
export function failedOperation(error: unknown): DetailOf<'volume_operation_errors_total'> | undefined {
  const operation = findCause(error, OperationError);
  const [, operation_name] = /^operation (provision|delete)-/.exec(operation?.message ?? '') ?? [];
  if (operation_name === undefined) return undefined;
  for (let cause: unknown = operation; cause instanceof Error; cause = cause.cause) {
    const plugin_name = pluginsOfErrors.get(cause);
    if (plugin_name !== undefined) return { plugin_name, operation_name };
  }
  return { plugin_name: 'N/A', operation_name };
}

/** A volume that became Failed because it could not be deleted: no plugin may have come to throw anything. */
export function failedDelete(
  { kind, of, to }: Transition,
  written: Written | undefined,
): DetailOf<'volume_operation_errors_total'> | undefined {
  if (kind !== 'PersistentVolume' || of !== 'phase' || to !== 'Failed' || written === undefined) return undefined;
  const volume = written.after as PersistentVolume;
  if (reclaimPolicyOf(volume) !== 'Delete') return undefined;
  return { plugin_name: pluginNameOf(volume), operation_name: 'delete' };
}

/** Told of each call of a plugin. */
export type OnStorageOperation = (seconds: number, labels: DetailOf<'storage_operation_duration_seconds'>) => void;

/** The same plugin, with its provisioning and deleting timed. */
export function meteredPlugin(plugin: VolumePlugin, onOperation: OnStorageOperation): VolumePlugin {
  const timed = async <T>(operation_name: string, work: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const end = (status: string) =>
      onOperation((performance.now() - start) / 1_000, {
        volume_plugin: plugin.name,
        operation_name,
        status,
        migrated: 'false',
      });
    try {
      const result = await work();
      end('success');
      return result;
    } catch (error) {
      if (error instanceof Error) pluginsOfErrors.set(error, plugin.name);
      end('fail-unknown');
      throw error;
    }
  };
  const { newDeleter, newProvisioner, recycle, recyclesByPod, cleanUpRecycle, forgetVolume } = plugin;
  return {
    name: plugin.name,
    supportsMountOptions: plugin.supportsMountOptions,
    supports: (volume) => plugin.supports(volume),
    ...(recyclesByPod !== undefined && { recyclesByPod }),
    ...(recycle && { recycle: (volume) => recycle.call(plugin, volume) }),
    ...(cleanUpRecycle && { cleanUpRecycle: (volume) => cleanUpRecycle.call(plugin, volume) }),
    ...(forgetVolume && { forgetVolume: (name) => forgetVolume.call(plugin, name) }),
    ...(newDeleter && {
      newDeleter: (volume) => {
        const destroy = newDeleter.call(plugin, volume);
        return () => timed('volume_delete', destroy);
      },
    }),
    ...(newProvisioner && {
      newProvisioner: (options) => {
        const provision = newProvisioner.call(plugin, options);
        return (node) => timed('volume_provision', () => provision(node));
      },
    }),
  };
}
