/**
 * Every setting, in one schema: its environment variable, type, default and meaning. It is the reference.
 * Durations are milliseconds unless the name says seconds.
 */
import * as z from 'zod/mini';
import { endpointProblem, queueUrlProblem } from './addresses.ts';
import { DEFAULT_SETTINGS } from './bridge/settings.ts';
import { RECYCLER_IMAGE } from './plugins/recycler-pod.ts';
import { MODES } from './worker/mode.ts';

/** One setting: where it is read from, what it may be, and what it does. */
export interface Setting<T> {
  readonly variable: string;
  /** Reads the variable's text. */
  readonly type: z.ZodMiniType<T, string>;
  /** What it may be, for people. */
  readonly values: string;
  readonly default: T;
  readonly meaning: string;
}

function whole(variable: string, min: number, max: number, preset: number, meaning: string): Setting<number> {
  const type = z.pipe(
    z.pipe(
      z.string().check(z.regex(/^[0-9]{1,12}$/, `must be a whole number`)),
      z.transform((text) => Number(text)),
    ),
    z.number().check(z.minimum(min, `must be ${min} or more`), z.maximum(max, `must be ${max} or less`)),
  );
  return { variable, type, values: `${min} to ${max}`, default: preset, meaning };
}

function oneOf<T extends string>(variable: string, values: readonly T[], preset: T, meaning: string): Setting<T> {
  const type = z.enum(values as unknown as [T, ...T[]], `must be one of ${values.join(', ')}`);
  return {
    variable,
    type: type as unknown as z.ZodMiniType<T, string>,
    values: values.join(', '),
    default: preset,
    meaning,
  };
}

function text(variable: string, preset: string, pattern: RegExp, values: string, meaning: string): Setting<string> {
  return { variable, type: z.string().check(z.regex(pattern, `must be ${values}`)), values, default: preset, meaning };
}

/** @param problem says what is wrong with a text that is not empty. */
function url(
  variable: string,
  values: string,
  problem: (text: string) => string | undefined,
  meaning: string,
): Setting<string> {
  const type = z.string().check(({ value, issues }) => {
    const message = value === '' ? undefined : problem(value);
    if (message !== undefined) issues.push({ code: 'custom', message, input: value });
  });
  return { variable, type, values, default: '', meaning };
}

const URL_OR_NONE = /^(https?:\/\/[^\s/]+(\/\S*)?)?$/;
const LABEL_OR_NONE = /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$/;
const BUS_OR_NONE = /^((arn:[\w:-]+:event-bus\/)?[\w.-]{1,256})?$/;
const HOUR_MS = 3_600_000;

export const SETTINGS = {
  mode: oneOf(
    'PV_MODE',
    MODES,
    'observe',
    'observe: decide and report, write nothing. assist: finish what another controller left half done. enforce: the only controller. See docs/modes.md.',
  ),
  maxMode: oneOf(
    'PV_MODE_MAX',
    ['mode', 'assist', 'enforce'],
    'mode',
    'The most that an annotation of a volume or a StorageClass may ask for; mode: no more than PV_MODE.',
  ),
  graceSeconds: whole(
    'PV_GRACE_SECONDS',
    1,
    600,
    60,
    'assist: for so long an unsettled object is left to the other controller.',
  ),
  besideAnotherController: oneOf(
    'PV_BESIDE_ANOTHER_CONTROLLER',
    ['false', 'true'],
    'false',
    'enforce: true works although another controller is seen on the cluster, by its lease or its recent writes; false refuses to.',
  ),
  stage: text('PV_STAGE', 'local', /^[A-Za-z0-9-]{1,40}$/, 'letters, digits and dashes', 'Dimension of all metrics.'),
  logLevel: oneOf('PV_LOG_LEVEL', ['DEBUG', 'INFO', 'WARN', 'ERROR', 'SILENT'], 'INFO', 'How much is logged.'),

  clusterEndpoint: text(
    'PV_CLUSTER_ENDPOINT',
    '',
    URL_OR_NONE,
    'an https URL',
    'The API server; empty: asked of EKS (DescribeCluster) at the first event.',
  ),
  clusterCa: text(
    'PV_CLUSTER_CA',
    '',
    /^[A-Za-z0-9+/=]*$/,
    'base64',
    'The API server’s certificate authority, PEM in base64.',
  ),
  clusterName: text(
    'PV_CLUSTER_NAME',
    '',
    /^[A-Za-z0-9_-]{0,100}$/,
    'an EKS cluster’s name',
    'The EKS cluster that tokens are made for.',
  ),
  eksEndpoint: url(
    'PV_EKS_ENDPOINT',
    'an https URL',
    endpointProblem,
    'Where DescribeCluster is asked; empty: the region’s own. For VPC endpoints without private DNS.',
  ),
  region: text('AWS_REGION', 'us-east-1', /^[a-z0-9-]+$/, 'a region', 'Set by Lambda.'),
  maxSockets: whole('PV_MAX_SOCKETS', 1, 256, 32, 'Connections to the API server per environment.'),
  requestTimeoutMs: whole(
    'PV_REQUEST_TIMEOUT_MS',
    100,
    30_000,
    10_000,
    'One request to the API server, or asking EKS where it is.',
  ),
  apiCallsPerSecond: whole(
    'PV_API_CALLS_PER_SECOND',
    0,
    10_000,
    0,
    'Most requests to the API server per environment and second, watches aside; 0: no limit. What is right: docs/queue-hygiene.md.',
  ),

  sqsEndpoint: url(
    'PV_SQS_ENDPOINT',
    'an https URL',
    endpointProblem,
    'Where SQS is; empty: at the host of the queues’ URLs. For VPC endpoints without private DNS.',
  ),
  volumesQueueUrl: url('PV_VOLUMES_QUEUE_URL', 'a FIFO queue’s URL', queueUrlProblem, 'The FIFO queue of volume keys.'),
  claimsQueueUrl: url('PV_CLAIMS_QUEUE_URL', 'a FIFO queue’s URL', queueUrlProblem, 'The FIFO queue of claim keys.'),
  volumesDeadLetterUrl: url(
    'PV_VOLUMES_DEAD_LETTER_URL',
    'a FIFO queue’s URL',
    queueUrlProblem,
    'Its dead-letter queue.',
  ),
  claimsDeadLetterUrl: url(
    'PV_CLAIMS_DEAD_LETTER_URL',
    'a FIFO queue’s URL',
    queueUrlProblem,
    'Its dead-letter queue.',
  ),

  groupConcurrency: whole('PV_GROUP_CONCURRENCY', 1, 10, 10, 'Message groups of one batch that are worked on at once.'),
  reserveMs: whole(
    'PV_RESERVE_MS',
    100,
    10_000,
    2_000,
    'Time kept back at the end of an invocation to hand back what is unfinished.',
  ),
  retryFirstSeconds: whole('PV_RETRY_FIRST_SECONDS', 0, 900, 1, 'First wait after a failed sync; it doubles.'),
  retryMaxSeconds: whole('PV_RETRY_MAX_SECONDS', 0, 43_200, 15, 'Longest wait after a failed sync.'),
  operationRetryMaxSeconds: whole(
    'PV_OPERATION_RETRY_MAX_SECONDS',
    0,
    43_200,
    122,
    'Longest wait after a failed plugin operation.',
  ),

  dynamicProvisioning: oneOf('PV_DYNAMIC_PROVISIONING', ['on', 'off'], 'on', 'Ask provisioners for volumes.'),
  createVolumeAttempts: whole(
    'PV_CREATE_VOLUME_ATTEMPTS',
    1,
    20,
    5,
    'Attempts to save a volume that an in-tree plugin provisioned.',
  ),
  createVolumeIntervalMs: whole(
    'PV_CREATE_VOLUME_INTERVAL_MS',
    0,
    60_000,
    1_000,
    'Between these attempts; upstream waits 10 s, longer than an invocation may last.',
  ),
  poolMaxAgeMs: whole(
    'PV_POOL_MAX_AGE_MS',
    0,
    60_000,
    2_000,
    'Volumes are chosen from a picture of the cluster at most this old.',
  ),
  volumeAttributesClass: oneOf(
    'PV_VOLUME_ATTRIBUTES_CLASS',
    ['auto', 'on', 'off'],
    'auto',
    'The VolumeAttributesClass rules; auto: as the server’s version has them by default.',
  ),

  recyclerNamespace: text(
    'PV_RECYCLER_NAMESPACE',
    '',
    LABEL_OR_NONE,
    'a namespace',
    'Where recycler pods run; empty: volumes are not recycled.',
  ),
  recyclerImage: text(
    'PV_RECYCLER_IMAGE',
    RECYCLER_IMAGE,
    /^\S+$/,
    'an image',
    'Image of the recycler pods: needs sh, find and ls.',
  ),
  hostPathTimeoutSeconds: whole(
    'PV_HOST_PATH_RECYCLER_TIMEOUT_SECONDS',
    1,
    86_400,
    60,
    'Shortest deadline of a hostPath recycler pod.',
  ),
  nfsTimeoutSeconds: whole(
    'PV_NFS_RECYCLER_TIMEOUT_SECONDS',
    1,
    86_400,
    300,
    'Shortest deadline of an NFS recycler pod.',
  ),
  incrementTimeoutSeconds: whole(
    'PV_RECYCLER_INCREMENT_SECONDS_PER_GIB',
    0,
    3_600,
    30,
    'Deadline of a recycler pod per GiB of capacity, where that is longer.',
  ),

  echoWindowMs: whole(
    'PV_BRIDGE_ECHO_WINDOW_MS',
    0,
    60_000,
    DEFAULT_SETTINGS.echoWindowMs,
    'A key that was just sent is looked at again this long after its newest event, not at once.',
  ),
  wakeCount: whole(
    'PV_BRIDGE_WAKE_COUNT',
    0,
    100,
    DEFAULT_SETTINGS.wakeCount,
    'Pending claims that one free volume wakes.',
  ),
  resyncPeriodMs: whole(
    'PV_BRIDGE_RESYNC_PERIOD_MS',
    100,
    HOUR_MS,
    DEFAULT_SETTINGS.resyncPeriodMs,
    'Between two sweeps over what the bridge holds, which send only what needs a sync.',
  ),
  sweepPeriodMs: whole(
    'PV_BRIDGE_SWEEP_PERIOD_MS',
    0,
    24 * HOUR_MS,
    DEFAULT_SETTINGS.sweepPeriodMs,
    'In this time every key is sent once, needed or not; 0: never.',
  ),

  heartbeatPeriodMs: whole(
    'PV_BRIDGE_HEARTBEAT_MS',
    1_000,
    300_000,
    60_000,
    'Between two heartbeats of a bridge that works, each with the gauges of what is stuck.',
  ),
  stuckAfterSeconds: whole(
    'PV_STUCK_AFTER_SECONDS',
    60,
    86_400,
    900,
    'A volume that is Released (policy Delete), Failed or Terminating for longer counts as stuck, as does a claim that is Pending.',
  ),
  metricsDetail: oneOf(
    'PV_METRICS_DETAIL',
    ['off', 'on'],
    'off',
    'Gauges of claims by namespace and storage class; each pair is a metric that CloudWatch charges for.',
  ),
  auditBus: text(
    'PV_AUDIT_BUS',
    '',
    BUS_OR_NONE,
    'an event bus’ name or ARN',
    'EventBridge bus that audit records are sent to, besides the log; empty: none. See docs/audit.md.',
  ),
  eventsEndpoint: url(
    'PV_EVENTS_ENDPOINT',
    'an https URL',
    endpointProblem,
    'Where EventBridge is; empty: the region’s own. For VPC endpoints without private DNS.',
  ),
  healthPort: whole('PV_HEALTH_PORT', 1, 65_535, 8_080, 'The bridge’s container: port of /healthz and /readyz.'),
  bridgeLogGroup: text(
    'PV_BRIDGE_LOG_GROUP',
    '',
    /^[\w./#-]{0,512}$/,
    'a log group’s name',
    'The bridge’s container: log group that its lines and metrics are sent to; empty: they are only printed.',
  ),
} as const;
