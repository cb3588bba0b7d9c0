/** The functions: a role of its own, logs that end, an access entry that gives no more than a group of ours. */
import { type Finding, listOf, ofType, type Rule, type Template, targetOf } from './template.ts';

const RUNTIME = 'nodejs24.x';
/** Lambda's limit for all variables of a function. */
const ENVIRONMENT_BYTES = 4096;

export const FUNCTIONS: Rule = {
  name: 'functions',
  check: (template) => {
    const functions = ofType(template, 'AWS::Lambda::Function');
    const roles = functions.map(({ properties }) => targetOf(properties['Role'], 'Arn'));
    return functions.flatMap(({ id, properties }, index) => {
      const role = roles[index];
      const found: string[] = [];
      if (role === undefined || template.Resources[role]?.Type !== 'AWS::IAM::Role')
        found.push('has no role of this stack');
      else if (roles.indexOf(role) !== roles.lastIndexOf(role))
        found.push(`shares the role ${role} with another function`);
      if (properties['Runtime'] !== RUNTIME) found.push(`runs on ${properties['Runtime']}, not on ${RUNTIME}`);
      if (!listOf(properties['Architectures']).includes('arm64')) found.push('is not built for arm64');
      const { Variables = {} } = (properties['Environment'] ?? {}) as { Variables?: Record<string, unknown> };
      const bytes = Buffer.byteLength(JSON.stringify(Variables));
      if (bytes > ENVIRONMENT_BYTES) found.push(`has ${bytes} bytes of variables; Lambda takes ${ENVIRONMENT_BYTES}`);
      found.push(...logs(template, properties['FunctionName']));
      return found.map((says) => ({ resource: id, says }));
    });
  },
};

function logs(template: Template, functionName: unknown): string[] {
  const name = `/aws/lambda/${functionName}`;
  const exists = ofType(template, 'AWS::Logs::LogGroup').some(({ properties }) => properties['LogGroupName'] === name);
  return exists ? [] : [`has no log group ${name}`];
}

export const LOG_GROUPS: Rule = {
  name: 'log groups',
  check: (template) =>
    ofType(template, 'AWS::Logs::LogGroup')
      .filter(({ properties }) => properties['RetentionInDays'] === undefined)
      .map(({ id }) => ({ resource: id, says: 'keeps logs for ever: set RetentionInDays' })),
};

export const ACCESS_ENTRIES: Rule = {
  name: 'access entries',
  check: (template) => [...accessEntries(template), ...rolesWithoutEntry(template)],
};

function accessEntries(template: Template): Finding[] {
  return ofType(template, 'AWS::EKS::AccessEntry').flatMap(({ id, properties }) => {
    const groups = listOf(properties['KubernetesGroups'] as string[] | undefined);
    const own = groupOf(template, targetOf(properties['PrincipalArn'], 'Arn'));
    const found = groups
      .filter((group) => group !== own)
      .map((group) => `is in ${group}: its function’s group is ${own}`);
    if (groups.length !== 1) found.push(`is in ${groups.length} groups instead of one`);
    if (listOf(properties['AccessPolicies']).length > 0)
      found.push('has an access policy: rights are in infra/kubernetes');
    if (properties['Type'] !== 'STANDARD') found.push(`has the type ${properties['Type']} instead of STANDARD`);
    return found.map((says) => ({ resource: id, says }));
  });
}

/** Named as the bundle of the function that has the role (infra/kubernetes). */
function groupOf(template: Template, role: string | undefined): string {
  const owner = ofType(template, 'AWS::Lambda::Function').find(
    ({ properties }) => targetOf(properties['Role'], 'Arn') === role,
  );
  const [, bundle] = String(owner?.properties['Handler']).split('/');
  return `pv-controller:${bundle}`;
}

function rolesWithoutEntry(template: Template): Finding[] {
  const known = ofType(template, 'AWS::EKS::AccessEntry').map(({ properties }) =>
    targetOf(properties['PrincipalArn'], 'Arn'),
  );
  return ofType(template, 'AWS::Lambda::Function')
    .filter(({ properties }) => !known.includes(targetOf(properties['Role'], 'Arn')))
    .map(({ id }) => ({ resource: id, says: 'has no access entry: the cluster would refuse it' }));
}
