/** The roles and the key: no wildcards, trusted by nobody but who is meant. */
import { listOf, ofType, type Rule, type Template, targetOf } from './template.ts';

/** One statement of a policy. */
export interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource?: unknown;
  readonly Principal?: Readonly<Record<string, unknown>> | string;
  readonly Condition?: unknown;
}

/** Actions that AWS allows for all resources or for none (see infra/options/network-vpc.yml and tracing-on.yml). */
export const WITHOUT_RESOURCES: Readonly<Record<'network' | 'tracing', readonly string[]>> = {
  network: [
    'ec2:AssignPrivateIpAddresses',
    'ec2:CreateNetworkInterface',
    'ec2:DeleteNetworkInterface',
    'ec2:DescribeNetworkInterfaces',
    'ec2:DescribeSubnets',
    'ec2:UnassignPrivateIpAddresses',
  ],
  tracing: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'],
};

const TRUSTED_SERVICES = ['lambda.amazonaws.com', 'pods.eks.amazonaws.com'];

/** Everything that a role is allowed or refused by this stack. */
export function statementsOf(template: Template, role: string): Statement[] {
  const inline = listOf(template.Resources[role]?.Properties['Policies']) as { PolicyDocument: unknown }[];
  const apart = ofType(template, 'AWS::IAM::RolePolicy')
    .filter(({ properties }) => targetOf(properties['RoleName']) === role)
    .map(({ properties }) => properties as { PolicyDocument?: unknown });
  return [...inline, ...apart].flatMap(({ PolicyDocument }) => [
    ...listOf((PolicyDocument as { Statement: Statement[] }).Statement),
  ]);
}

export const ROLES: Rule = {
  name: 'roles',
  check: (template) =>
    ofType(template, 'AWS::IAM::Role').flatMap(({ id, properties }) => {
      const found = [...statementsOf(template, id).flatMap(wildcards), ...trust(properties)];
      if (listOf(properties['ManagedPolicyArns']).length > 0) found.push('has a managed policy: say each action');
      return found.map((says) => ({ resource: id, says }));
    }),
};

function wildcards({ Effect, Action, Resource }: Statement): string[] {
  if (Effect !== 'Allow') return [];
  const actions = listOf(Action);
  const wide = actions
    .filter((action) => action.includes('*'))
    .map((action) => `is allowed ${action}: say each action`);
  const known = Object.values(WITHOUT_RESOURCES).flat();
  // An ARN with a `*` in it is as wide; a log group's own ARN ends with one, but is a reference.
  const isWide = listOf(Resource).some((resource) => JSON.stringify(resource).includes('*'));
  const unexpected = actions.filter((action) => !known.includes(action));
  if (isWide && unexpected.length > 0) wide.push(`is allowed ${unexpected.join(', ')} on *: name the resource`);
  return wide;
}

function trust(properties: Record<string, unknown>): string[] {
  const { Statement } = properties['AssumeRolePolicyDocument'] as { Statement: readonly Statement[] };
  return listOf(Statement).flatMap(({ Principal, Condition }) => {
    const { Service, Federated, ...others } = (typeof Principal === 'object' ? Principal : { AWS: Principal }) ?? {};
    const services = listOf(Service as string | undefined);
    const found = services.filter((one) => !TRUSTED_SERVICES.includes(one)).map((one) => `trusts ${one}`);
    if (Object.keys(others).length > 0) found.push(`trusts ${JSON.stringify(others)}`);
    const isForPods = services.includes('pods.eks.amazonaws.com') || Federated !== undefined;
    const text = JSON.stringify(Condition ?? {});
    if (isForPods && !(text.includes('pv-controller-bridge') && text.includes('pv-controller'))) {
      found.push('trusts every pod: its Condition must name the ServiceAccount pv-controller-bridge');
    }
    return found;
  });
}

export const KEYS: Rule = {
  name: 'keys',
  check: (template) =>
    ofType(template, 'AWS::KMS::Key').flatMap(({ id, properties }) => {
      const { Statement } = properties['KeyPolicy'] as { Statement: readonly Statement[] };
      const found = properties['EnableKeyRotation'] === true ? [] : ['is never rotated: set EnableKeyRotation: true'];
      for (const { Effect, Action, Principal, Condition } of listOf(Statement)) {
        if (Effect !== 'Allow' || isAccount(Principal)) continue;
        if (JSON.stringify(Principal).includes('*')) found.push('may be used by everybody: name the roles');
        if (listOf(Action).some((action) => action.includes('*')))
          found.push('allows a role more than it needs: kms:*');
        if (!JSON.stringify(Condition ?? {}).includes('kms:ViaService'))
          found.push('may be used past SQS: set kms:ViaService');
      }
      return found.map((says) => ({ resource: id, says }));
    }),
};

/** The account itself: who administers the key is then said in IAM. */
function isAccount(principal: Statement['Principal']): boolean {
  return JSON.stringify(principal).includes(':root');
}
