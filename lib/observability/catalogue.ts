/**
 * Every metric: what its name stands for, in which unit, and who sends it. The dashboard, the alarms and
 * docs/metrics.md are made from this; code can send no name that is not here.
 */
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** CloudWatch namespace of all metrics. */
export const NAMESPACE = 'ServerlessPvController';

type Sender = 'workers' | 'bridge' | 'resync' | 'functions';

/** One metric. */
export interface Metric {
  readonly unit: (typeof MetricUnit)[keyof typeof MetricUnit];
  readonly sender: Sender;
  /** Who sends the same numbers too. */
  readonly alsoBy?: Sender;
  /** One sentence, for the reference page. */
  readonly meaning: string;
  /** Dimensions besides `service` and `stage`. */
  readonly dimensions?: readonly string[];
  /** Where PV_METRICS_DETAIL is on it is sent once more, split by these. */
  readonly detail?: readonly string[];
  /** A series of the built-in controller, under its own name. */
  readonly isParity?: true;
}

const { Count, Milliseconds, Seconds } = MetricUnit;

function count(sender: Sender, meaning: string): Metric {
  return { unit: Count, sender, meaning };
}

/** As the built-in controller has it (BEHAVIOUR 11). */
function parity(unit: Metric['unit'], sender: Sender, meaning: string) {
  return { unit, sender, meaning, isParity: true } as const;
}

/** Its labels are our detail. */
function split<const D extends readonly string[]>(unit: Metric['unit'], sender: Sender, detail: D, meaning: string) {
  return { ...parity(unit, sender, meaning), detail };
}

/** How many there are: of what the bridge holds, and of what the resync lists. */
function gauge<const D extends readonly string[]>(detail: D, meaning: string) {
  return { ...split(Count, 'bridge', detail, meaning), alsoBy: 'resync' } as const;
}

const BY_CLASS = ['storage_class'] as const;
const BY_CLAIM_CLASS = ['namespace', 'storage_class', 'volume_attributes_class'] as const;
const BY_OPERATION = ['plugin_name', 'operation_name'] as const;

export const METRICS = {
  KeysSynced: count('workers', 'Keys whose sync ended well.'),
  SyncDuration: { unit: Milliseconds, sender: 'workers', meaning: 'Time that one key’s sync took.' },
  SyncFailures: count('workers', 'Syncs that failed and will be tried again.'),
  Conflicts: count(
    'workers',
    'Syncs that met a newer version of an object and will be tried again: everyday business.',
  ),
  Throttled: count('workers', 'Syncs that the API server asked to wait.'),
  KeysHandedBack: count(
    'workers',
    'Keys handed back unworked, for lack of time or behind a failed one of their group.',
  ),
  DeadLetters: count('workers', 'Messages that no retry can heal, sent to the dead-letter queue.'),
  QueueErrors: count('workers', 'Requests that SQS refused.'),
  Contradictions: count('workers', 'Keys whose objects contradict each other; done until one of them changes.'),
  Flips: count('workers', 'Syncs that stopped because somebody else keeps undoing what they write.'),
  Verdicts: count('workers', 'Observe mode: keys for which something would have been written.'),
  AuditRecordsLost: count(
    'workers',
    'Audit records that the bus of PV_AUDIT_BUS did not take; the log has them. Bridges send it too.',
  ),
  Postponed: count('workers', 'Assist: keys that are looked at again when the grace time of their objects is over.'),

  EventsSeen: count('bridge', 'Changes that arrived from the API server.'),
  KeysFiltered: count('bridge', 'Keys that were looked at and needed no sync.'),
  KeysSent: count('bridge', 'Messages that the queue accepted.'),
  Lists: count('bridge', 'Full lists: one of each kind at a start, others because a watch was too old.'),
  ClaimsWoken: count('bridge', 'Waiting claims that were told of a volume that became free.'),
  BridgeLag: {
    unit: Milliseconds,
    sender: 'bridge',
    meaning: 'Time from the arrival of a change to the queue’s acceptance of all that it caused.',
  },
  BridgeErrors: count('bridge', 'Lists, watches or sends that failed and will be tried again.'),
  BridgeHeartbeat: count(
    'bridge',
    'Sent every PV_BRIDGE_HEARTBEAT_MS by each bridge that follows the cluster and gets its messages through.',
  ),
  VolumesStuckReleased: count(
    'bridge',
    'Volumes of policy Delete that are Released for longer than PV_STUCK_AFTER_SECONDS.',
  ),
  VolumesStuckFailed: count('bridge', 'Volumes that are Failed for as long.'),
  VolumesStuckTerminating: count('bridge', 'Volumes that were deleted as long ago and are still there.'),
  ClaimsStuckPending: count('bridge', 'Claims that are Pending for as long; not those that wait for their first pod.'),
  ClaimsLost: count('bridge', 'Claims that are Lost: their volume is gone.'),

  pv_collector_total_pv_count: gauge(['plugin_name', 'volume_mode'], 'Volumes.'),
  pv_collector_bound_pv_count: gauge(BY_CLASS, 'Volumes that are Bound.'),
  pv_collector_unbound_pv_count: gauge(BY_CLASS, 'Volumes that are not Bound.'),
  pv_collector_bound_pvc_count: gauge(BY_CLAIM_CLASS, 'Claims that are Bound.'),
  pv_collector_unbound_pvc_count: gauge(BY_CLAIM_CLASS, 'Claims that are not Bound.'),
  volume_operation_total_seconds: split(
    Seconds,
    'bridge',
    BY_OPERATION,
    'What users waited: from a claim’s creation to its Bound, where a volume was provisioned for it; from a volume’s release to its end, where its policy is Delete. Whoever did it.',
  ),
  volume_operation_total_errors: split(
    Count,
    'workers',
    BY_OPERATION,
    'Attempts to provision or to delete a volume that failed. The built-in controller’s old name of the next one.',
  ),
  volume_operation_errors_total: split(Count, 'workers', BY_OPERATION, 'The same, under its new name.'),
  retroactive_storageclass_total: parity(
    Count,
    'workers',
    'Claims without a class that were to get the default one: written, or failed.',
  ),
  retroactive_storageclass_errors_total: parity(Count, 'workers', 'Of these, those that failed.'),

  ResyncKeys: count('resync', 'Keys that a scheduled resync sent.'),

  ColdStart: {
    unit: Count,
    sender: 'functions',
    meaning: 'New environments of a function. Sent by Powertools, for each function alone.',
    dimensions: ['function_name'],
  },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof METRICS;

/** Metrics that our code sends; the cold start is Powertools' own. */
type SentName = Exclude<MetricName, 'ColdStart'>;
/** Those that can be split. */
export type DetailName = {
  [N in SentName]: (typeof METRICS)[N] extends { detail: readonly string[] } ? N : never;
}[SentName];
/** A value for each dimension that a metric is split by. */
export type DetailOf<N extends DetailName> = Readonly<Record<(typeof METRICS)[N]['detail'][number], string>>;

/** Adds one value of a metric, under the dimensions that `metrics` has just now. Several are sent as a list. */
export function record(metrics: Metrics, name: SentName, value = 1): void {
  metrics.addMetric(name, METRICS[name].unit, value);
}

/** Sends one value by its details, at once and in a blob of its own: dimensions are those of a whole blob. */
export function recordDetail<N extends DetailName>(
  metrics: Metrics,
  name: N,
  value: number,
  detail: DetailOf<N>,
): void {
  const { unit }: Metric = METRICS[name];
  const single = metrics.singleMetric();
  single.addDimensions({ ...detail });
  single.addMetric(name, unit, value);
}

/** Adds one value to what is sent with all others, and with detail sends it by its labels too. */
export function recordSplit<N extends DetailName>(
  metrics: Metrics,
  name: N,
  value: number,
  detail: DetailOf<N>,
  hasDetail: boolean,
): void {
  record(metrics, name, value);
  if (hasDetail) recordDetail(metrics, name, value, detail);
}
