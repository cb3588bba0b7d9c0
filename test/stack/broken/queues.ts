/** Broken queues, and what reads them. */
import { type Case, type Loose, policyOf, queuesOf } from './case.ts';

const sourcesOf = (template: Loose, queue: string): Loose[] =>
  template.Resources[queue].Properties.RedriveAllowPolicy.sourceQueueArns;
const MAPPING = 'VolumeWorkerEventSourceMappingSQSVolumesQueue';

export const QUEUES: readonly Case[] = [
  ['queues', 'VolumesQueue', 'is no FIFO queue', (p) => delete p.FifoQueue],
  ['queues', 'ClaimsQueue', 'has no RedrivePolicy', (p) => delete p.RedrivePolicy],
  ['queues', 'ClaimsDeadLetterQueue', 'nobody’s dead-letter queue', (p) => delete p.RedriveAllowPolicy],
  ['queues', 'VolumesQueue', 'has no high throughput', (p) => delete p.FifoThroughputLimit],
  ['queues', 'VolumesQueue', 'has no high throughput', (p) => (p.DeduplicationScope = 'queue')],
  ['queues', 'VolumesDeadLetterQueue', 'is not encrypted', (p) => delete p.KmsMasterKeyId],
  [
    'queues',
    'VolumesQueue',
    'denies plain HTTP',
    (_p, t) => (policyOf(t, 'VolumesQueue', 'RefusePlainHttp').Effect = 'Allow'),
  ],
  [
    'queues',
    'ClaimsQueue',
    'denies plain HTTP',
    (_p, t) => (policyOf(t, 'ClaimsQueue', 'RefusePlainHttp').Action = 'sqs:SendMessage'),
  ],
  [
    'queues',
    'ClaimsQueue',
    'denies sqs:SendMessage to strangers',
    (_p, t) => (policyOf(t, 'ClaimsQueue', 'RefuseOtherSenders').Action = 'sqs:GetQueueUrl'),
  ],
  [
    'queues',
    'VolumesDeadLetterQueue',
    'denies sqs:PurgeQueue to strangers',
    (_p, t) => policyOf(t, 'VolumesDeadLetterQueue', 'RefuseOtherReaders').Action.pop(),
  ],
  ['queues', 'ClaimsQueue', 'denies plain HTTP', (_p, t) => delete t.Resources.ClaimsQueueAccess],
  [
    'dead letters',
    'VolumesQueue',
    'gives a message up after 999 receives',
    (p) => (p.RedrivePolicy.maxReceiveCount = 999),
  ],
  [
    'dead letters',
    'VolumesQueue',
    'has its dead letters in ClaimsDeadLetterQueue, whose RedriveAllowPolicy does not name it',
    (p) => (p.RedrivePolicy.deadLetterTargetArn['Fn::GetAtt'][0] = 'ClaimsDeadLetterQueue'),
  ],
  ['dead letters', 'ClaimsQueue', 'apart by their content', (p) => (p.ContentBasedDeduplication = true)],
  ['dead letters', 'ClaimsQueue', 'keeps messages for 3600 s: 4 days', (p) => (p.MessageRetentionPeriod = 3600)],
  ['dead letters', 'ClaimsDeadLetterQueue', 'for 345600 s: 14 days', (p) => delete p.MessageRetentionPeriod],
  [
    'dead letters',
    'VolumesDeadLetterQueue',
    'takes dead letters of more than one queue',
    (p) => (p.RedriveAllowPolicy = { redrivePermission: 'allowAll' }),
  ],
  [
    'dead letters',
    'VolumesDeadLetterQueue',
    'takes dead letters of more than one queue',
    (p, t) => p.RedriveAllowPolicy.sourceQueueArns.push(...sourcesOf(t, 'ClaimsDeadLetterQueue')),
  ],
  [
    'nothing left behind',
    'VolumesQueue',
    'DeletionPolicy: Retain',
    (_p, t) => (t.Resources.VolumesQueue.DeletionPolicy = 'Retain'),
  ],
  [
    'nothing left behind',
    'ResyncLogGroup',
    'UpdateReplacePolicy: Retain',
    (_p, t) => (t.Resources.ResyncLogGroup.UpdateReplacePolicy = 'Retain'),
  ],

  ['event sources', MAPPING, 'is off', (p) => (p.Enabled = false)],
  [
    'event sources',
    MAPPING,
    'reads ClaimsQueue, and the role of VolumeWorkerLambdaFunction may read VolumesQueue',
    (p) => (p.EventSourceArn['Fn::GetAtt'][0] = 'ClaimsQueue'),
  ],
  [
    'event sources',
    MAPPING,
    'may read VolumesQueue, ClaimsQueue',
    (_p, t) => {
      const [reading] = queuesOf(t, 'VolumeWorker');
      reading.Resource = [reading.Resource, queuesOf(t, 'ClaimWorker')[0].Resource];
    },
  ],
  ['event sources', MAPPING, 'has a batching window', (p) => (p.MaximumBatchingWindowInSeconds = 0)],
  ['event sources', MAPPING, 'does not report single failures', (p) => delete p.FunctionResponseTypes],
  ['event sources', MAPPING, 'has no limit', (p) => delete p.ScalingConfig],
  [
    'event sources',
    MAPPING,
    'VolumesQueue has a VisibilityTimeout of 179 s, less than six times the 30 s of VolumeWorkerLambdaFunction',
    (_p, t) => (t.Resources.VolumesQueue.Properties.VisibilityTimeout = 179),
  ],
];
