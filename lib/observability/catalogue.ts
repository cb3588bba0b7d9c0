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
  /** One sentence, for the reference page. */
  readonly meaning: string;
  /** Dimensions besides `service` and `stage`. */
  readonly dimensions?: readonly string[];
  /** Sent only where PV_METRICS_DETAIL is on. */
  readonly isDetail?: true;
}

const { Count, Milliseconds } = MetricUnit;

function count(sender: Sender, meaning: string): Metric {
  return { unit: Count, sender, meaning };
}

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
  ClaimsBound: {
    unit: Count,
    sender: 'bridge',
    meaning: 'Claims that are Bound.',
    dimensions: ['namespace', 'storage_class'],
    isDetail: true,
  },
  ClaimsUnbound: {
    unit: Count,
    sender: 'bridge',
    meaning: 'Claims that are not Bound.',
    dimensions: ['namespace', 'storage_class'],
    isDetail: true,
  },

  ResyncKeys: count('resync', 'Keys that a scheduled resync sent.'),

  ColdStart: {
    unit: Count,
    sender: 'functions',
    meaning: 'New environments of a function. Sent by Powertools, for each function alone.',
    dimensions: ['function_name'],
  },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof METRICS;

/** Adds one value of a metric, under the dimensions that `metrics` has just now. */
export function record(metrics: Metrics, name: Exclude<MetricName, 'ColdStart'>, value = 1): void {
  metrics.addMetric(name, METRICS[name].unit, value);
}
