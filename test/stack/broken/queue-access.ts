/** Queues that let the wrong ones in, or keep the right ones out. */
import { type Case, type Loose, policyOf, queuesOf } from './case.ts';

const FOREIGN = 'arn:aws:iam::999999999999';
const sparedOf = (template: Loose, queue: string, sid: string): Loose[] =>
  policyOf(template, queue, sid).Condition.ArnNotEquals['aws:PrincipalArn'];

export const QUEUE_ACCESS: readonly Case[] = [
  [
    'queue access',
    'VolumesQueue',
    'allows something to everybody',
    (_p, t) => (policyOf(t, 'VolumesQueue', 'Operator').Principal = { AWS: '*' }),
  ],
  [
    'queue access',
    'VolumesQueue',
    `allows something to ${FOREIGN}:root`,
    (_p, t) => (policyOf(t, 'VolumesQueue', 'Operator').Principal.AWS = `${FOREIGN}:root`),
  ],
  [
    'queue access',
    'VolumesQueue',
    `lets ${FOREIGN}:role/other in; there is one operator, not 2`,
    (_p, t) => (policyOf(t, 'VolumesQueue', 'Operator').Principal.AWS = `${FOREIGN}:role/other`),
  ],
  [
    'queue access',
    'VolumesQueue',
    'allows something to {"Service":"s3.amazonaws.com"}',
    (_p, t) => (policyOf(t, 'VolumesQueue', 'Operator').Principal = { Service: ['s3.amazonaws.com'] }),
  ],
  [
    'queue access',
    'ClaimsQueue',
    'name each action',
    (_p, t) => (policyOf(t, 'ClaimsQueue', 'Operator').Action = 'sqs:*'),
  ],
  [
    'queue access',
    'ClaimsQueue',
    'allows something with another queue',
    (_p, t) => (policyOf(t, 'ClaimsQueue', 'Operator').Resource = '*'),
  ],
  [
    'queue access',
    'VolumesQueue',
    `spares "${FOREIGN}:role/other", which is neither`,
    (_p, t) => sparedOf(t, 'VolumesQueue', 'RefuseOtherSenders').push(`${FOREIGN}:role/other`),
  ],
  [
    'queue access',
    'ClaimsDeadLetterQueue',
    'refuses sqs:PurgeQueue to arn:aws:iam::123456789012:role/storage-operator',
    (_p, t) => sparedOf(t, 'ClaimsDeadLetterQueue', 'RefuseOtherReaders').pop(),
  ],
  [
    'queue access',
    'VolumesQueue',
    'spares "*", which is neither',
    (_p, t) => sparedOf(t, 'VolumesQueue', 'RefuseOtherReaders').push('*'),
  ],
  [
    'queue access',
    'VolumesQueue',
    'spares ClaimWorkerRole when it refuses sqs:ReceiveMessage',
    (_p, t) => sparedOf(t, 'VolumesQueue', 'RefuseOtherReaders').push({ 'Fn::GetAtt': ['ClaimWorkerRole', 'Arn'] }),
  ],
  [
    'queue access',
    'VolumesQueue',
    'refuses only if StringEquals aws:PrincipalAccount',
    (_p, t) =>
      (policyOf(t, 'VolumesQueue', 'RefuseOtherSenders').Condition.StringEquals = { 'aws:PrincipalAccount': '1' }),
  ],
  [
    'queue access',
    'VolumesQueue',
    'has a refusal for another queue',
    (_p, t) => (policyOf(t, 'VolumesQueue', 'RefuseOtherSenders').Resource['Fn::GetAtt'][0] = 'ClaimsQueue'),
  ],
  [
    'queue access',
    'VolumesQueue',
    'refuses sqs:SendMessage to ResyncRole',
    (_p, t) => sparedOf(t, 'VolumesQueue', 'RefuseOtherSenders').splice(3, 1),
  ],
  [
    'queue access',
    'ClaimsQueue',
    'spares ClaimWorkerRole when it refuses sqs:ReceiveMessage',
    (_p, t) => queuesOf(t, 'ClaimWorker')[0].Action.shift(),
  ],
  [
    'queue access',
    'ClaimsQueue',
    'spares BridgeRole when it refuses sqs:DeleteMessage',
    (_p, t) => {
      const refusal = structuredClone(policyOf(t, 'ClaimsQueue', 'RefuseOtherReaders'));
      refusal.Action = 'sqs:DeleteMessage';
      refusal.Condition.ArnNotEquals['aws:PrincipalArn'] = [{ 'Fn::GetAtt': ['BridgeRole', 'Arn'] }];
      t.Resources.ClaimsQueueAccess.Properties.PolicyDocument.Statement.push(refusal);
    },
  ],
];
