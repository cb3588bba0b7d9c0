/** The queues: FIFO as DESIGN D1 and D10 need it, encrypted, closed to strangers, and read as FIFO queues are. */
import { readersOf } from './queue-access.ts';
import { type Finding, listOf, ofType, type Rule, type Template, targetOf } from './template.ts';

interface Statement {
  readonly Effect: string;
  readonly Principal?: unknown;
  readonly Action: string | string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const VISIBILITY_TIMEOUTS = 6;

export const QUEUES: Rule = {
  name: 'queues',
  check: (template) =>
    ofType(template, 'AWS::SQS::Queue').flatMap(({ id, properties }) =>
      [...fifo(properties), ...encryption(properties), ...policy(template, id)].map((says) => ({ resource: id, says })),
    ),
};

/** Only a queue that has dead letters is worked on; its dead-letter queue just keeps. */
function fifo(properties: Record<string, unknown>): string[] {
  const found: string[] = [];
  if (properties['FifoQueue'] !== true) found.push('is no FIFO queue: set FifoQueue: true');
  const redrive = properties['RedrivePolicy'];
  if (redrive === undefined && properties['RedriveAllowPolicy'] === undefined) {
    found.push('has no RedrivePolicy and is nobody’s dead-letter queue (RedriveAllowPolicy)');
  }
  if (redrive === undefined) return found;
  if (
    properties['FifoThroughputLimit'] !== 'perMessageGroupId' ||
    properties['DeduplicationScope'] !== 'messageGroup'
  ) {
    found.push('has no high throughput: set FifoThroughputLimit: perMessageGroupId, DeduplicationScope: messageGroup');
  }
  return found;
}

function encryption(properties: Record<string, unknown>): string[] {
  const isEncrypted = properties['SqsManagedSseEnabled'] === true || properties['KmsMasterKeyId'] !== undefined;
  return isEncrypted ? [] : ['is not encrypted: set SqsManagedSseEnabled: true or KmsMasterKeyId'];
}

function policy(template: Template, queue: string): string[] {
  const statements = ofType(template, 'AWS::SQS::QueuePolicy')
    .filter(({ properties }) => listOf(properties['Queues']).some((of) => targetOf(of) === queue))
    .flatMap(({ properties }) => listOf((properties['PolicyDocument'] as { Statement: Statement[] }).Statement));
  const denies = statements.filter(({ Effect, Principal }) => Effect === 'Deny' && Principal === '*');
  const denied = (action: string, isMeant: (statement: Statement) => boolean) =>
    denies.some((one) => isMeant(one) && [action, 'sqs:*'].some((name) => listOf(one.Action).includes(name)));
  const found: string[] = [];
  const isPlainHttp = ({ Condition }: Statement) => String(Condition?.['Bool']?.['aws:SecureTransport']) === 'false';
  if (!denies.some((one) => isPlainHttp(one) && listOf(one.Action).includes('sqs:*'))) {
    found.push('has no queue policy that denies plain HTTP (aws:SecureTransport)');
  }
  const isStranger = ({ Condition }: Statement) =>
    String(Condition?.['Bool']?.['aws:PrincipalIsAWSService']) === 'false';
  const data = ['SendMessage', 'ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility', 'PurgeQueue'];
  for (const action of data.map((name) => `sqs:${name}`)) {
    if (!denied(action, isStranger)) found.push(`has no queue policy that denies ${action} to strangers`);
  }
  return found;
}

export const EVENT_SOURCES: Rule = {
  name: 'event sources',
  check: (template) =>
    ofType(template, 'AWS::Lambda::EventSourceMapping').flatMap(({ id, properties }) =>
      eventSource(template, properties).map((says): Finding => ({ resource: id, says })),
    ),
};

function eventSource(template: Template, properties: Record<string, unknown>): string[] {
  const found: string[] = [];
  if (properties['Enabled'] === false) found.push('is off: remove enabled: false');
  if (properties['MaximumBatchingWindowInSeconds'] !== undefined) {
    found.push('has a batching window, which FIFO queues do not have: remove maximumBatchingWindow');
  }
  if (!listOf(properties['FunctionResponseTypes']).includes('ReportBatchItemFailures')) {
    found.push('does not report single failures: set functionResponseType: ReportBatchItemFailures');
  }
  const scaling = properties['ScalingConfig'] as { MaximumConcurrency?: number } | undefined;
  if (scaling?.MaximumConcurrency === undefined) found.push('has no limit: set maximumConcurrency');
  const queue = targetOf(properties['EventSourceArn'], 'Arn') ?? '';
  const worker = targetOf(properties['FunctionName']) ?? '';
  const role = targetOf(template.Resources[worker]?.Properties['Role'], 'Arn') ?? '';
  const queues = ofType(template, 'AWS::SQS::Queue').map(({ id }) => id);
  const readable = queues.filter((id) => readersOf(template, id).includes(role));
  if (readable.join() !== queue) {
    found.push(`reads ${queue}, and the role of ${worker} may read ${readable.join(', ') || 'no queue'}`);
  }
  const visibility = Number(template.Resources[queue]?.Properties['VisibilityTimeout'] ?? 30);
  const timeout = Number(template.Resources[worker]?.Properties['Timeout']);
  if (!(visibility >= VISIBILITY_TIMEOUTS * timeout)) {
    found.push(
      `${queue} has a VisibilityTimeout of ${visibility} s, less than six times the ${timeout} s of ${worker}`,
    );
  }
  return found;
}
