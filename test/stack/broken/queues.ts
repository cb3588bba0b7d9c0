/** Broken queues, and what reads them. */
import { type Case, policyOf, queuesOf } from './case.ts';

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
    'queues',
    'VolumesQueue',
    'allows something to everybody',
    (_p, t) => (policyOf(t, 'VolumesQueue', 'Operator').Principal = { AWS: '*' }),
  ],
  [
    'queue access',
    'VolumesQueue',
    'refuses sqs:SendMessage to ResyncRole',
    (_p, t) =>
      policyOf(t, 'VolumesQueue', 'RefuseOtherSenders').Condition.ArnNotEquals['aws:PrincipalArn'].splice(3, 1),
  ],
  [
    'queue access',
    'ClaimsQueue',
    'spares ClaimWorkerRole when it refuses sqs:ReceiveMessage',
    (_p, t) => queuesOf(t, 'ClaimWorker')[0].Action.shift(),
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
