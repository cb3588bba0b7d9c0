/** The alarms' topic: CloudWatch can publish there for this account, and nobody else can. */
import type { Statement } from './roles.ts';
import { listOf, ofType, type Rule, type Template, targetOf } from './template.ts';

export const TOPICS: Rule = {
  name: 'topics',
  check: (template) =>
    ofType(template, 'AWS::SNS::Topic').flatMap(({ id }) => {
      const allows = statementsOf(template, id).filter(({ Effect }) => Effect === 'Allow');
      const found = allows.some((one) => isOfAlarms(one, id)) ? [] : ['has no topic policy that lets alarms publish'];
      const others = allows.filter((one) => !isOfAlarms(one, id));
      found.push(
        ...others.map(({ Principal }) => `is open to ${JSON.stringify(Principal)}: only alarms publish there`),
      );
      return found.map((says) => ({ resource: id, says }));
    }),
};

function statementsOf(template: Template, topic: string): Statement[] {
  return ofType(template, 'AWS::SNS::TopicPolicy')
    .filter(({ properties }) => listOf(properties['Topics']).some((of) => targetOf(of) === topic))
    .flatMap(({ properties }) => listOf((properties['PolicyDocument'] as { Statement: Statement[] }).Statement));
}

/** Without the account, alarms of anybody's account could be sent here. */
function isOfAlarms({ Principal, Action, Resource, Condition }: Statement, topic: string): boolean {
  const { StringEquals } = (Condition ?? {}) as { StringEquals?: Record<string, unknown> };
  return (
    JSON.stringify(Principal) === '{"Service":"cloudwatch.amazonaws.com"}' &&
    Action === 'sns:Publish' &&
    targetOf(Resource) === topic &&
    targetOf(StringEquals?.['aws:SourceAccount']) === 'AWS::AccountId'
  );
}
