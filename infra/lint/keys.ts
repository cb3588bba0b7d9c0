/** The customer's key: turned, administered by this account, and used through its queues by who needs it. */
import { operatorsOf } from './queue-access.ts';
import { type Statement, statementsOf } from './roles.ts';
import { listOf, ofType, type Rule, type Template, targetOf } from './template.ts';

const USES = ['kms:Decrypt', 'kms:GenerateDataKey'];
const ACCOUNT = `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:root`;
const THROUGH_SQS = `sqs.\${AWS::Region}.amazonaws.com`;

export const KEYS: Rule = {
  name: 'keys',
  check: (template) => [
    ...ofType(template, 'AWS::KMS::Key').flatMap(({ id, properties }) =>
      key(template, properties).map((says) => ({ resource: id, says })),
    ),
    ...ofType(template, 'AWS::IAM::Role').flatMap(({ id }) =>
      usesOf(template, id)
        .flatMap(use)
        .map((says) => ({ resource: id, says })),
    ),
  ],
};

function key(template: Template, properties: Record<string, unknown>): string[] {
  const { Statement } = properties['KeyPolicy'] as { Statement: readonly Statement[] };
  const found = properties['EnableKeyRotation'] === true ? [] : ['is never rotated: set EnableKeyRotation: true'];
  const uses = listOf(Statement).filter((one) => one.Effect === 'Allow' && !isAccount(one.Principal));
  found.push(...uses.flatMap(use));
  const users = uses.flatMap(({ Principal }) => {
    const { AWS = Principal, ...others } = (typeof Principal === 'object' ? Principal : {}) as Record<string, unknown>;
    return [...listOf(AWS as unknown), ...Object.values(others)];
  });
  const needing = ofType(template, 'AWS::IAM::Role').filter(({ id }) => usesOf(template, id).length > 0);
  const roles = users.map((user) => targetOf(user, 'Arn'));
  for (const { id } of needing.filter((role) => !roles.includes(role.id))) {
    found.push(`refuses ${id}, whose own policy allows it the key: name it`);
  }
  const known = [...needing.map(({ id }) => id), ...operatorsOf(template)];
  for (const user of users.filter((one) => !known.includes(targetOf(one, 'Arn') ?? String(one)))) {
    const name = targetOf(user, 'Arn') ?? JSON.stringify(user);
    found.push(
      name.includes('*') ? 'may be used by everybody: name the roles' : `may be used by ${name}, who needs it not`,
    );
  }
  return found;
}

/** What a role's own policies allow it with keys. */
function usesOf(template: Template, role: string): Statement[] {
  const isOfKeys = ({ Effect, Action }: Statement) =>
    Effect === 'Allow' && listOf(Action).some((action) => action.startsWith('kms:'));
  return statementsOf(template, role).filter(isOfKeys);
}

function use({ Action, Condition }: Statement): string[] {
  const found = listOf(Action)
    .filter((action) => !USES.includes(action))
    .map((action) => `allows more than it needs: ${action}`);
  const { StringEquals } = (Condition ?? {}) as { StringEquals?: Record<string, { 'Fn::Sub'?: string } | undefined> };
  if (StringEquals?.['kms:ViaService']?.['Fn::Sub'] !== THROUGH_SQS) {
    found.push(`may be used past SQS: StringEquals must have kms:ViaService: ${THROUGH_SQS}`);
  }
  return found;
}

/** The account itself, and no other: who administers the key is then said in IAM. */
function isAccount(principal: Statement['Principal']): boolean {
  if (typeof principal !== 'object' || Object.keys(principal).join() !== 'AWS') return false;
  return (principal['AWS'] as { 'Fn::Sub'?: string } | undefined)?.['Fn::Sub'] === ACCOUNT;
}
