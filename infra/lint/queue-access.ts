/** Both ends of the access to a queue agree: its policy refuses nobody whom a role lets in, and spares nobody else. */
import { type Statement, statementsOf } from './roles.ts';
import { type Finding, listOf, ofType, type Rule, type Template, targetOf } from './template.ts';

const ACTIONS = ['SendMessage', 'ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility'].map(
  (name) => `sqs:${name}`,
);
const CONDITIONS = ['Bool aws:SecureTransport', 'Bool aws:PrincipalIsAWSService', 'ArnNotEquals aws:PrincipalArn'];

export const QUEUE_ACCESS: Rule = {
  name: 'queue access',
  check: (template) =>
    ofType(template, 'AWS::SQS::Queue').flatMap(({ id }) => [
      ...ACTIONS.flatMap((action) => disagreements(template, id, action)),
      ...refusals(template, id).flatMap((one) => holes(template, id, one)),
      ...openings(template, id),
    ]),
};

/** One role, by its whole ARN, may be let in besides the roles of the stack: the operator's. */
const ROLE_ARN = /^arn:[a-z-]+:iam::\d{12}:role\/[^*?]+$/;

/** @returns whom the queues' policies let in: the operator, as long as `queue access` finds nothing. */
export function operatorsOf(template: Template): string[] {
  const queues = ofType(template, 'AWS::SQS::Queue').map(({ id }) => id);
  return [...new Set(queues.flatMap((id) => statementsAt(template, id, 'Allow').flatMap(principals)))];
}

function principals({ Principal }: Statement): string[] {
  const named = typeof Principal === 'object' ? Principal : { AWS: Principal };
  return Object.entries(named).flatMap(([kind, value]) =>
    listOf(value).map((one) => (kind === 'AWS' && typeof one === 'string' ? one : JSON.stringify({ [kind]: one }))),
  );
}

/** What a queue's own policy allows besides what the roles' policies do. */
function openings(template: Template, queue: string): Finding[] {
  const allows = statementsAt(template, queue, 'Allow');
  const here = allows.flatMap(principals);
  const found = here
    .filter((one) => !ROLE_ARN.test(one))
    .map((one) => `allows something to ${one === '*' ? 'everybody' : one}: only the operator’s role may be let in`);
  const operators = operatorsOf(template);
  if (here.length > 0 && operators.length > 1) {
    found.push(`lets ${here.join(', ')} in; there is one operator, not ${operators.length}`);
  }
  for (const one of allows) {
    for (const action of listOf(one.Action)) {
      const spared = refusals(template, queue)
        .filter(({ Action }) => listOf(Action).includes(action))
        .map(({ Condition }) => listOf(exceptions(Condition)));
      const refused = principals(one).filter((name) => !spared.every((names) => names.includes(name)));
      found.push(...refused.map((name) => `refuses ${action} to ${name}, whom it allows it as well`));
    }
  }
  if (allows.some(({ Action }) => listOf(Action).some((action) => action.includes('*')))) {
    found.push('has a policy that allows more than is said: name each action');
  }
  if (allows.some(({ Resource }) => !listOf(Resource).every((one) => targetOf(one, 'Arn') === queue))) {
    found.push('has a policy that allows something with another queue');
  }
  return found.map((says) => ({ resource: queue, says }));
}

/** What makes a refusal weaker than it looks: another queue, one more condition, somebody else whom it spares. */
function holes(template: Template, queue: string, { Resource, Condition }: Statement): Finding[] {
  const conditions = Object.entries((Condition ?? {}) as Record<string, Record<string, unknown>>);
  const keys = conditions.flatMap(([operator, of]) => Object.keys(of).map((key) => `${operator} ${key}`));
  const found = keys.filter((key) => !CONDITIONS.includes(key)).map((key) => `refuses only if ${key}: remove it`);
  if (!listOf(Resource).every((one) => targetOf(one, 'Arn') === queue)) found.push('has a refusal for another queue');
  const operators = operatorsOf(template);
  const others = listOf(exceptions(Condition)).filter(
    (arn) =>
      template.Resources[targetOf(arn, 'Arn') ?? '']?.Type !== 'AWS::IAM::Role' && !operators.includes(String(arn)),
  );
  found.push(
    ...others.map((arn) => `spares ${JSON.stringify(arn)}, which is neither a role of the stack nor the operator`),
  );
  return found.map((says) => ({ resource: queue, says }));
}

function disagreements(template: Template, queue: string, action: string): Finding[] {
  const allowed = allowedRoles(template, queue, action);
  const spared = sparedRoles(template, queue, action);
  return [
    ...allowed
      .filter((role) => !spared.includes(role))
      .map((role) => ({ resource: queue, says: `refuses ${action} to ${role}, whose own policy allows it` })),
    ...spared
      .filter((role) => !allowed.includes(role))
      .map((role) => ({
        resource: queue,
        says: `spares ${role} when it refuses ${action}, and nothing allows it that`,
      })),
  ];
}

/** The roles whose own policies let them read a queue. */
export function readersOf(template: Template, queue: string): string[] {
  return allowedRoles(template, queue, 'sqs:ReceiveMessage');
}

function allowedRoles(template: Template, queue: string, action: string): string[] {
  const isMeant = ({ Effect, Action, Resource }: Statement) =>
    Effect === 'Allow' &&
    listOf(Action).includes(action) &&
    listOf(Resource).some((resource) => targetOf(resource, 'Arn') === queue);
  return ofType(template, 'AWS::IAM::Role')
    .map(({ id }) => id)
    .filter((role) => statementsOf(template, role).some(isMeant));
}

/** The roles that the queue's refusal excepts. An operator, who is no resource of the stack, is not among them. */
function sparedRoles(template: Template, queue: string, action: string): string[] {
  return refusals(template, queue)
    .filter(({ Action }) => listOf(Action).includes(action))
    .flatMap(({ Condition }) => listOf(exceptions(Condition)))
    .map((arn) => targetOf(arn, 'Arn'))
    .filter((role) => role !== undefined);
}

function refusals(template: Template, queue: string): Statement[] {
  return statementsAt(template, queue, 'Deny');
}

function statementsAt(template: Template, queue: string, effect: 'Allow' | 'Deny'): Statement[] {
  return ofType(template, 'AWS::SQS::QueuePolicy')
    .filter(({ properties }) => listOf(properties['Queues']).some((of) => targetOf(of) === queue))
    .flatMap(({ properties }) => listOf((properties['PolicyDocument'] as { Statement: Statement[] }).Statement))
    .filter(({ Effect }) => Effect === effect);
}

function exceptions(condition: Statement['Condition']): unknown {
  return (condition as { ArnNotEquals?: Record<string, unknown> } | undefined)?.ArnNotEquals?.['aws:PrincipalArn'];
}
