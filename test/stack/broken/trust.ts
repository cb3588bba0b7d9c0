/** Who is let in where nobody should be: broken trust, keys and topics. */
import { type Case, inline, type Loose, queuesOf, trustOf } from './case.ts';

const ISSUER = 'oidc.eks.eu-central-1.amazonaws.com/id/0123456789ABCDEF';
const FOREIGN = 'arn:aws:iam::999999999999';

/** The role is a pod's instead, by EKS Pod Identity, with one condition changed. */
const podIdentity = (change: Loose) => (properties: Loose) => {
  const StringEquals = {
    'aws:RequestTag/eks-cluster-name': 'example',
    'aws:RequestTag/kubernetes-namespace': 'pv-controller',
    'aws:RequestTag/kubernetes-service-account': 'pv-controller-bridge',
    ...change,
  };
  Object.assign(trustOf(properties), { Principal: { Service: 'pods.eks.amazonaws.com' }, Condition: { StringEquals } });
};

/** The same by IRSA. */
const irsa = (change: Loose) => (properties: Loose) => {
  const StringEquals = {
    [`${ISSUER}:aud`]: 'sts.amazonaws.com',
    [`${ISSUER}:sub`]: 'system:serviceaccount:pv-controller:pv-controller-bridge',
    ...change,
  };
  const Federated = `arn:aws:iam::123456789012:oidc-provider/${ISSUER}`;
  Object.assign(trustOf(properties), { Principal: { Federated }, Condition: { StringEquals } });
};

/** Takes wildcards instead. */
const loosened = (change: (properties: Loose) => void) => (properties: Loose) => {
  change(properties);
  const statement = trustOf(properties);
  statement.Condition = { StringLike: statement.Condition.StringEquals };
};

const topicPolicy = (template: Loose) => template.Resources.AlarmTopicPolicy.Properties.PolicyDocument.Statement;
const keyUse = (properties: Loose) => properties.KeyPolicy.Statement[1];

export const TRUST: readonly Case[] = [
  ['trust', 'BridgeRole', 'trusts {"Service":"ec2.', (p) => (trustOf(p).Principal = { Service: 'ec2.amazonaws.com' })],
  ['trust', 'BridgeRole', 'trusts {"AWS":"*"}', (p) => (trustOf(p).Principal = { AWS: '*' })],
  ['trust', 'BridgeRole', 'trusts {"AWS":"*"}', (p) => (trustOf(p).Principal = '*')],
  ['trust', 'BridgeRole', 'trusts {"Federated":"saml"}', (p) => (trustOf(p).Principal = { Federated: 'saml' })],
  ['trust', 'ResyncRole', 'does not trust Lambda and nobody else', podIdentity({})],
  [
    'trust',
    'BridgeRole',
    'does not trust the bridge’s pod and nobody else',
    (_p, t) => delete t.Resources.BridgeLambdaFunction,
  ],
  ['trust', 'BridgeRole', 'eks-cluster-name: example', podIdentity({ 'aws:RequestTag/eks-cluster-name': undefined })],
  ['trust', 'BridgeRole', 'eks-cluster-name: example', podIdentity({ 'aws:RequestTag/eks-cluster-name': 'other' })],
  [
    'trust',
    'BridgeRole',
    'kubernetes-namespace: pv-controller',
    podIdentity({ 'aws:RequestTag/kubernetes-namespace': 'default' }),
  ],
  [
    'trust',
    'BridgeRole',
    'kubernetes-service-account: pv-controller-bridge',
    podIdentity({ 'aws:RequestTag/kubernetes-service-account': '*' }),
  ],
  ['trust', 'BridgeRole', 'trusts other pods than the bridge', loosened(podIdentity({}))],
  ['trust', 'BridgeRole', ':aud: sts.amazonaws.com', irsa({ [`${ISSUER}:aud`]: undefined })],
  [
    'trust',
    'BridgeRole',
    ':sub: system:serviceaccount:pv-controller:pv-controller-bridge',
    irsa({ [`${ISSUER}:sub`]: 'system:serviceaccount:pv-controller-bridge:default' }),
  ],
  ['trust', 'BridgeRole', 'trusts other pods than the bridge', loosened(irsa({}))],
  [
    'trust',
    'Association',
    'is not for pv-controller/pv-controller-bridge',
    (_p, t) => {
      const Properties = { Namespace: 'pv-controller', ServiceAccount: 'default' };
      t.Resources.Association = { Type: 'AWS::EKS::PodIdentityAssociation', Properties };
    },
  ],

  ['keys', 'QueueKey', 'is never rotated', (p) => delete p.EnableKeyRotation],
  ['keys', 'QueueKey', 'may be used by everybody', (p) => (keyUse(p).Principal = '*')],
  ['keys', 'QueueKey', 'more than it needs: kms:*', (p) => (keyUse(p).Action = 'kms:*')],
  ['keys', 'QueueKey', 'more than it needs: kms:CreateGrant', (p) => keyUse(p).Action.push('kms:CreateGrant')],
  ['keys', 'QueueKey', 'past SQS', (p) => delete keyUse(p).Condition],
  [
    'keys',
    'QueueKey',
    'past SQS',
    (p) => (keyUse(p).Condition.StringEquals['kms:ViaService'] = 'ec2.eu-central-1.amazonaws.com'),
  ],
  ['keys', 'QueueKey', 'refuses VolumeWorkerRole', (p) => keyUse(p).Principal.AWS.shift()],
  ['keys', 'QueueKey', `may be used by "${FOREIGN}:root"`, (p) => keyUse(p).Principal.AWS.push(`${FOREIGN}:root`)],
  [
    'keys',
    'QueueKey',
    `may be used by "${FOREIGN}:root"`,
    (p) => (p.KeyPolicy.Statement[0].Principal.AWS = `${FOREIGN}:root`),
  ],
  ['keys', 'ClaimWorkerRole', 'past SQS', (_p, t) => delete queuesOf(t, 'ClaimWorker')[2].Condition],
  ['keys', 'ResyncRole', 'more than it needs: kms:Sign', (p) => (inline(p, 'logs').Action = ['kms:Sign'])],

  ['topics', 'AlarmTopic', 'has no topic policy', (_p, t) => delete t.Resources.AlarmTopicPolicy],
  ['topics', 'AlarmTopic', 'has no topic policy', (_p, t) => delete topicPolicy(t)[0].Condition],
  ['topics', 'AlarmTopic', 'is open to "*"', (_p, t) => (topicPolicy(t)[1].Effect = 'Allow')],
];
