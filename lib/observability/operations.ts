/**
 * The built-in controller's operation metrics (BEHAVIOUR 11) without its timing cache: times come from what the objects
 * say of themselves.
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

/** Undefined unless it is an attempt to provision or to delete that failed; its error does not say whose plugin it was. */
export function failedOperation(error: unknown): DetailOf<'volume_operation_errors_total'> | undefined {
  const operation = findCause(error, OperationError);
  const [, operation_name] = /^operation (provision|delete)-/.exec(operation?.message ?? '') ?? [];
  if (operation_name === undefined) return undefined;
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
