/** What the roles are allowed: no wildcards, and no more of the network than Lambda itself needs. */
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
      const found = [...statementsOf(template, id).flatMap(wildcards), ...reach(template, id)];
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

/** Lambda needs the interfaces in the role's name; the function's own code, whose calls carry its ARN, may not touch them. */
function reach(template: Template, role: string): string[] {
  const isInNetwork = ofType(template, 'AWS::Lambda::Function').some(
    ({ properties }) => targetOf(properties['Role'], 'Arn') === role && properties['VpcConfig'] !== undefined,
  );
  if (!isInNetwork) return [];
  const refused = statementsOf(template, role)
    .filter(({ Effect, Resource, Condition }) => {
      const text = JSON.stringify(Condition);
      return Effect === 'Deny' && Resource === '*' && text === '{"Null":{"lambda:SourceFunctionArn":"false"}}';
    })
    .flatMap(({ Action }) => listOf(Action));
  return WITHOUT_RESOURCES.network
    .filter((action) => !refused.includes(action))
    .map((action) => `lets the function’s own code do ${action}: deny it where lambda:SourceFunctionArn is there`);
}
