/**
 * What a stage file may hold: every field with its type, its default and its meaning. It is the reference; docs/settings.md
 * is made from it, and config/example.yml shows it.
 */
import { X509Certificate } from 'node:crypto';
import * as z from 'zod';
import { MODES } from '../lib/worker/mode.ts';

/** What a field is, for people: `values` completes "must be". */
export interface FieldMeaning {
  readonly values: string;
  readonly meaning: string;
  /** What somebody who wrote this wrong value probably meant. */
  readonly repair?: (wrong: string) => string;
}

/** The meanings, by schema. A field without one is a group of fields. */
export const MEANINGS = z.registry<FieldMeaning>();

function field<T extends z.ZodType>(type: T, values: string, meaning: string, more: Partial<FieldMeaning> = {}): T {
  MEANINGS.add(type as z.ZodType, { values, meaning, ...more });
  return type;
}

function text(pattern: RegExp, values: string, meaning: string) {
  return field(z.string().regex(pattern), values, meaning);
}

function whole(min: number, max: number, preset: number, meaning: string) {
  return field(z.int().min(min).max(max).default(preset), `a whole number, ${min} to ${max}`, meaning);
}

function oneOf<const T extends readonly string[]>(values: T, preset: T[number], meaning: string) {
  return field(z.enum(values).default(preset as never), values.join(' or '), meaning);
}

function flag(preset: boolean, meaning: string) {
  return field(z.boolean().default(preset), 'true or false', meaning);
}

const QUEUE_NAME = /^[A-Za-z0-9_-]{1,60}\.fifo$/;

function queueName(meaning: string) {
  return field(
    z.string().regex(QUEUE_NAME),
    'a name of 1 to 60 letters, digits, - and _ that ends in .fifo (no URL, no ARN: the stack makes the queue)',
    meaning,
    {
      repair: (wrong) => {
        const name = wrong.split(/[:/]/).at(-1) ?? '';
        return name.endsWith('.fifo') ? name : `${name}.fifo`;
      },
    },
  ).optional();
}

/** Text, or a whole number that was not quoted: others are not kept as they were written (1.10, 007). */
function looseText() {
  return z.union([z.string(), z.int().transform(String)]);
}

/** A list of ids without repetition. @param max AWS's limit. */
function ids(pattern: RegExp, one: string, max: number, meaning: string) {
  return field(
    z
      .array(text(pattern, one, ''))
      // Not zod's `min` and `max`: they are asked of whatever has a length, and throw for one that is no number.
      .refine((list) => list.length >= 1 && list.length <= max && new Set(list).size === list.length),
    `a list of 1 to ${max} different ids, each ${one}`,
    meaning,
  );
}

/** What CloudWatch Logs can be told to keep, in days. */
const RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

/** PEM in base64; text that was cut off while it was copied is none. */
function isCertificate(base64: string): boolean {
  try {
    new X509Certificate(Buffer.from(base64, 'base64'));
    return /^[A-Za-z0-9+/]+=*$/.test(base64);
  } catch {
    return false;
  }
}

/** AWS takes 50, and the stack adds its own. */
const MAX_TAGS = 45;

const cluster = z.strictObject({
  name: text(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/,
    'the name of an EKS cluster, as `aws eks list-clusters` shows it',
    'The EKS cluster.',
  ),
  endpoint: text(
    /^https:\/\/[a-z0-9.-]+(:\d{1,5})?\/?$/i,
    'the https URL of the API server, as `aws eks describe-cluster` shows it',
    'The API server. Without it (and the certificate authority) the functions ask EKS.',
  ).optional(),
  certificateAuthority: field(
    z.string().refine(isCertificate),
    'a certificate (PEM) in base64, as `aws eks describe-cluster` shows it under certificateAuthority.data',
    'The API server’s certificate authority.',
  ).optional(),
});

const vpc = z.strictObject({
  subnetIds: ids(
    /^subnet-([0-9a-f]{8}|[0-9a-f]{17})$/,
    'a subnet’s id, like subnet-0123456789abcdef0',
    16,
    'Subnets from which the API server and SQS can be reached; two or more zones.',
  ),
  securityGroupIds: ids(
    /^sg-([0-9a-f]{8}|[0-9a-f]{17})$/,
    'a security group’s id, like sg-0123456789abcdef0',
    5,
    'Groups that the cluster’s own group lets in on port 443.',
  ),
});

const queues = z.strictObject({
  volumes: queueName('Keys of volumes; default: <service>-<stage>-volumes.fifo.'),
  claims: queueName('Keys of claims; default: <service>-<stage>-claims.fifo.'),
  encryption: oneOf(
    ['sqs', 'customer-key'],
    'sqs',
    'sqs: keys of SQS, free. customer-key: a KMS key of this stack, $1 a month and its requests.',
  ),
  operatorRoleArn: text(
    /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/,
    'the ARN of a role (not a name, not a user), like arn:aws:iam::123456789012:role/storage-operator',
    'A role of the same account that may read the queues and redrive dead letters. Without one, nobody can read these.',
  ).optional(),
});

const workers = z.strictObject({
  memoryMb: whole(128, 10_240, 512, 'Memory of the worker functions.'),
  timeoutSeconds: whole(5, 30, 30, 'Longest invocation; the queues’ visibility is six times this.'),
  maximumConcurrency: whole(2, 1000, 10, 'Invocations at once, for each of the two queues.'),
  apiCallsPerSecond: field(
    z.int().min(0).max(10_000),
    'a whole number, 0 to 10000',
    'Most calls to the API server per environment; 0: no limit. Default: by maximumConcurrency, see docs/queue-hygiene.md.',
  ).optional(),
});

const bridge = z.strictObject({
  host: oneOf(
    ['lambda', 'container'],
    'lambda',
    'lambda: overlapping functions, nothing to run in the cluster. container: two pods of a Deployment.',
  ),
  memoryMb: whole(128, 10_240, 256, 'The Lambda’s memory. 256 holds 50,000 volumes and claims.'),
  identity: oneOf(['pod-identity', 'irsa'], 'pod-identity', 'How the container gets its AWS role.'),
  oidcProviderArn: text(
    /^arn:aws[a-z-]*:iam::\d{12}:oidc-provider\/\S+$/,
    'the ARN of the cluster’s OIDC provider, like arn:aws:iam::123456789012:oidc-provider/oidc.eks.eu-central-1.amazonaws.com/id/0123456789ABCDEF',
    'The cluster’s OIDC provider; needed for irsa, and only there.',
  ).optional(),
});

const recycling = z.strictObject({
  enabled: flag(false, 'Whether volumes of policy Recycle are scrubbed, by pods.'),
  namespace: text(
    /^(?!kube-)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
    'a namespace: up to 63 lower-case letters, digits and dashes, none of Kubernetes’ own (kube-…)',
    'Where these pods run.',
  ).default('pv-recycler'),
});

const monitoring = z.strictObject({
  email: text(
    /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
    'an e-mail address',
    'Alarms are also sent there; AWS asks the address for its consent first.',
  ).optional(),
  oldestMessageMinutes: whole(1, 1440, 15, 'A message that waits for longer raises an alarm.'),
  stuckMinutes: whole(
    1,
    1440,
    15,
    'A volume that is Released (policy Delete), Failed or Terminating, or a claim that is Pending, for longer does.',
  ),
  detail: flag(false, 'Gauges by namespace and storage class: about $0.60 a month for each pair that exists.'),
});

const audit = z.strictObject({
  bus: text(
    /^(arn:aws[a-z-]*:events:[a-z0-9-]+:\d{12}:event-bus\/)?[\w.-]{1,256}$/,
    'an event bus’ name, or its ARN like arn:aws:events:eu-central-1:123456789012:event-bus/storage',
    'An EventBridge bus of the region that audit records are sent to, besides the log. The stack makes none. See docs/audit.md.',
  ).optional(),
});

const logs = z.strictObject({
  level: oneOf(['DEBUG', 'INFO', 'WARN', 'ERROR'], 'INFO', 'How much is logged.'),
  retentionDays: field(
    z.literal(RETENTION_DAYS).default(30),
    `one of ${RETENTION_DAYS.join(', ')}`,
    'How long CloudWatch keeps logs.',
  ),
});

/** A stage file; what is not given has its default. Unknown keys are refused. */
export const STAGE_SCHEMA = z.strictObject({
  region: text(
    /^[a-z]{2}(-[a-z]+)+-\d$/,
    'an AWS region, like eu-central-1',
    'The region of the cluster; the stack goes there too.',
  ),
  cluster,
  mode: oneOf(
    MODES,
    'observe',
    'observe: decide and report, write nothing. assist: finish what another controller left half done. enforce: the only PersistentVolume controller of the cluster. See docs/modes.md.',
  ),
  modeMax: oneOf(
    ['mode', 'assist', 'enforce'],
    'mode',
    'The most that an annotation of a volume or a StorageClass may ask for; mode: no more than the field `mode`. Apply the manifests again after a change.',
  ),
  graceSeconds: whole(1, 600, 60, 'assist: for so long an unsettled object is left to the other controller.'),
  besideAnotherController: flag(
    false,
    'enforce: true works although another controller is seen, by its lease (as always on EKS) or its recent writes.',
  ),
  vpc: vpc.optional(),
  queues: queues.prefault({}),
  workers: workers.prefault({}),
  bridge: bridge.prefault({}),
  recycling: recycling.prefault({}),
  monitoring: monitoring.prefault({}),
  audit: audit.prefault({}),
  logs: logs.prefault({}),
  tracing: flag(true, 'X-Ray for the functions.'),
  tags: field(
    z
      .record(z.string().regex(/^(?!aws:).{1,128}$/i), z.string().max(256))
      .refine((tags) => Object.keys(tags).length <= MAX_TAGS)
      .default({}),
    `up to ${MAX_TAGS} names (up to 128 characters, not starting with aws:) and values (text, up to 256; numbers in quotes)`,
    'Tags of everything in the stack.',
  ),
  settings: field(
    z.record(z.string(), looseText()).default({}),
    'variables and their values',
    'Any other variable of docs/settings.md, for all functions.',
  ),
});
