/** Both ends of the access to a queue agree: its policy refuses nobody whom a role lets in, and spares nobody else. */
import { type Statement, statementsOf } from './roles.ts';
import { type Finding, listOf, ofType, type Rule, type Template, targetOf } from './template.ts';

export const QUEUE_ACCESS: Rule = {
  name: 'queue access',
  check: (template) =>
    ofType(template, 'AWS::SQS::Queue').flatMap(({ id }) =>
      ['sqs:SendMessage', 'sqs:ReceiveMessage'].flatMap((action) => disagreements(template, id, action)),
    ),
};

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
  return ofType(template, 'AWS::SQS::QueuePolicy')
    .filter(({ properties }) => listOf(properties['Queues']).some((of) => targetOf(of) === queue))
    .flatMap(({ properties }) => listOf((properties['PolicyDocument'] as { Statement: Statement[] }).Statement))
    .filter(({ Effect, Action }) => Effect === 'Deny' && listOf(Action).includes(action))
    .flatMap(({ Condition }) => listOf(exceptions(Condition)))
    .map((arn) => targetOf(arn, 'Arn'))
    .filter((role) => role !== undefined);
}

function exceptions(condition: Statement['Condition']): unknown {
  return (condition as { ArnNotEquals?: Record<string, unknown> } | undefined)?.ArnNotEquals?.['aws:PrincipalArn'];
}
