/** Broken functions, roles and access entries. */
import { type Case, inline, type Loose, queuesOf } from './case.ts';

export const ACCESS: readonly Case[] = [
  ['functions', 'BridgeLambdaFunction', 'shares the role ResyncRole', (p) => (p.Role['Fn::GetAtt'][0] = 'ResyncRole')],
  ['functions', 'BridgeLambdaFunction', 'has no role of this stack', (p) => (p.Role = 'arn:aws:iam::1:role/admin')],
  ['functions', 'ResyncLambdaFunction', 'runs on nodejs22.x', (p) => (p.Runtime = 'nodejs22.x')],
  ['functions', 'ResyncLambdaFunction', 'is not built for arm64', (p) => delete p.Architectures],
  ['functions', 'ResyncLambdaFunction', 'bytes of variables', (p) => (p.Environment.Variables.X = 'x'.repeat(4096))],
  ['functions', 'ResyncLambdaFunction', 'has no log group', (_p, t) => delete t.Resources.ResyncLogGroup],
  ['log groups', 'ResyncLogGroup', 'keeps logs for ever', (p) => delete p.RetentionInDays],

  ['roles', 'ResyncRole', 'is allowed logs:*', (p) => (inline(p, 'logs').Action = 'logs:*')],
  ['roles', 'ResyncRole', 'is allowed eks:DescribeCluster on *', (p) => (inline(p, 'cluster').Resource = '*')],
  [
    'roles',
    'ResyncRole',
    'is allowed eks:DescribeCluster on *',
    (p) => (inline(p, 'cluster').Resource = { 'Fn::Sub': 'arn:aws:eks:*:1:cluster/x' }),
  ],
  [
    'roles',
    'ClaimWorkerRole',
    'is allowed sqs:SendMessage on *',
    (_p, t) => (queuesOf(t, 'ClaimWorker')[1].Resource = '*'),
  ],
  ['roles', 'ResyncRole', 'has a managed policy', (p) => (p.ManagedPolicyArns = ['arn:aws:iam::aws:policy/X'])],
  [
    'roles',
    'BridgeRole',
    'own code do ec2:CreateNetworkInterface',
    (p) => p.Policies.find(({ PolicyName }: Loose) => PolicyName === 'network').PolicyDocument.Statement.pop(),
  ],
  [
    'roles',
    'BridgeRole',
    'own code do ec2:DeleteNetworkInterface',
    (p) =>
      delete p.Policies.find(({ PolicyName }: Loose) => PolicyName === 'network').PolicyDocument.Statement[1].Condition,
  ],

  ['access entries', 'BridgeAccess', 'is in system:masters', (p) => (p.KubernetesGroups = ['system:masters'])],
  ['access entries', 'BridgeAccess', 'is in 0 groups', (p) => delete p.KubernetesGroups],
  ['access entries', 'BridgeAccess', 'has an access policy', (p) => (p.AccessPolicies = [{ PolicyArn: 'x' }])],
  ['access entries', 'BridgeAccess', 'has the type EC2_LINUX', (p) => (p.Type = 'EC2_LINUX')],
  ['access entries', 'BridgeLambdaFunction', 'has no access entry', (_p, t) => delete t.Resources.BridgeAccess],

  [
    'access entries',
    'BridgeAccess',
    'is in pv-controller:claim-worker: its function’s group is pv-controller:bridge',
    (p) => (p.KubernetesGroups = ['pv-controller:claim-worker']),
  ],

  [
    'IAM actions',
    'ResyncRole',
    'is not allowed eks:DescribeCluster, which resync needs',
    (p) => (inline(p, 'cluster').Effect = 'Deny'),
  ],
  [
    'IAM actions',
    'ResyncRole',
    'is allowed logs:GetLogEvents, which resync never uses',
    (p) => inline(p, 'logs').Action.push('logs:GetLogEvents'),
  ],
  [
    'IAM actions',
    'BridgeRole',
    'is allowed ec2:DescribeSubnets, which bridge never uses',
    (_p, t) => delete t.Resources.BridgeLambdaFunction.Properties.VpcConfig,
  ],
  [
    'IAM actions',
    'BridgeRole',
    'is not allowed xray:PutTraceSegments, which bridge needs',
    (p) => inline(p, 'tracing').Action.shift(),
  ],
  [
    'IAM actions',
    'ClaimWorkerRole',
    'is not allowed kms:Decrypt, which claim-worker needs',
    (_p, t) => queuesOf(t, 'ClaimWorker')[2].Action.pop(),
  ],
  [
    'IAM actions',
    'VolumeWorkerRole',
    'is allowed eks:DescribeCluster, which volume-worker never uses',
    (_p, t) =>
      (t.Resources.VolumeWorkerLambdaFunction.Properties.Environment.Variables.PV_CLUSTER_ENDPOINT = 'https://x'),
  ],
  [
    'IAM actions',
    'ClaimWorkerRole',
    'is not allowed events:PutEvents, which claim-worker needs',
    (p) => (inline(p, 'audit').Effect = 'Deny'),
  ],
  [
    'IAM actions',
    'ResyncRole',
    'is allowed events:PutEvents, which resync never uses',
    (p) => inline(p, 'logs').Action.push('events:PutEvents'),
  ],
  [
    'IAM actions',
    'BridgeRole',
    'is allowed events:PutEvents, which bridge never uses',
    (_p, t) =>
      Object.values<Loose>(t.Resources).map((one) => delete one.Properties?.Environment?.Variables.PV_AUDIT_BUS),
  ],
  [
    'IAM actions',
    'SpareRole',
    'is nobody’s role',
    (_p, t) => (t.Resources.SpareRole = structuredClone(t.Resources.ResyncRole)),
  ],
];
