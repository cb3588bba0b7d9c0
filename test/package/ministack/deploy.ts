/** Deploys the parts of the template that run: queues, roles with their policies, functions and event sources. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CreateRoleCommand, type IAMClient, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import {
  CreateEventSourceMappingCommand,
  CreateFunctionCommand,
  type LambdaClient,
  type Runtime,
} from '@aws-sdk/client-lambda';
import { CreateQueueCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { AccessKey } from '../aws/sigv4.ts';
import { account, region } from '../stack/account.ts';
import { type FunctionKey, type FunctionProperties, logicalId, roleOf } from '../stack/functions.ts';
import { resolve, type Template, type Values } from '../stack/template.ts';

/**
 * What the template's references to queues, roles, logs and functions stand for, before any of it is made.
 * @param endpoint of SQS: a queue is referred to by its URL.
 */
export function valuesOf(template: Template, endpoint: string): Values {
  const values: Record<string, string> = {};
  for (const [name, { QueueName }] of template.all('AWS::SQS::Queue')) {
    values[name] = `${endpoint}/${account}/${String(QueueName)}`;
    values[`${name}.Arn`] = `arn:aws:sqs:${region}:${account}:${String(QueueName)}`;
  }
  for (const [name] of template.all('AWS::IAM::Role')) {
    values[name] = name;
    values[`${name}.Arn`] = `arn:aws:iam::${account}:role/${name}`;
  }
  for (const [name, { LogGroupName }] of template.all('AWS::Logs::LogGroup')) {
    values[`${name}.Arn`] = `arn:aws:logs:${region}:${account}:log-group:${String(LogGroupName)}:*`;
  }
  for (const [name, { FunctionName }] of template.all('AWS::Lambda::Function')) {
    values[`${name}.Arn`] = `arn:aws:lambda:${region}:${account}:function:${String(FunctionName)}`;
  }
  return values;
}

/** Makes the queues with the template's attributes; a queue goes after that of its dead letters. */
export async function createQueues(client: SQSClient, template: Template, values: Values): Promise<void> {
  const queues = template.all('AWS::SQS::Queue').map(([, properties]) => resolve(properties, values) as object);
  for (const properties of queues.sort(
    (one, other) => Number('RedrivePolicy' in one) - Number('RedrivePolicy' in other),
  )) {
    const { QueueName, Tags: _, ...attributes } = properties as { QueueName: string; Tags?: unknown };
    const Attributes = Object.fromEntries(
      Object.entries(attributes)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]),
    );
    await client.send(new CreateQueueCommand({ QueueName, Attributes }));
  }
}

/**
 * AWS has no actions of their own for batches; ministack asks for them.
 * @returns the document with `sqs:SendMessage*` for `sqs:SendMessage`, and so on.
 */
function withBatches(document: object): string {
  const text = JSON.stringify(document);
  return text.replace(/"(sqs:(?:SendMessage|DeleteMessage|ChangeMessageVisibility))"/g, '"$1*"');
}

interface Policy {
  readonly PolicyName: string;
  readonly PolicyDocument: object;
}

/** Makes the roles with all of their policies, those inside and those apart. */
export async function createRoles(client: IAMClient, template: Template, values: Values): Promise<void> {
  const put = (RoleName: string, { PolicyName, PolicyDocument }: Policy) =>
    client.send(new PutRolePolicyCommand({ RoleName, PolicyName, PolicyDocument: withBatches(PolicyDocument) }));
  for (const [RoleName, properties] of template.all('AWS::IAM::Role')) {
    const { AssumeRolePolicyDocument, Policies = [] } = resolve(properties, values) as {
      AssumeRolePolicyDocument: object;
      Policies?: Policy[];
    };
    const trust = JSON.stringify(AssumeRolePolicyDocument);
    await client.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: trust }));
    for (const policy of Policies) await put(RoleName, policy);
  }
  for (const [, properties] of template.all('AWS::IAM::RolePolicy')) {
    const { RoleName, ...policy } = resolve(properties, values) as Policy & { RoleName: string };
    await put(RoleName, policy);
  }
}

/** Makes a function of its zip. */
export async function createFunction(
  client: LambdaClient,
  zip: string,
  { FunctionName, Handler, Runtime, MemorySize, Timeout, Environment }: FunctionProperties,
  Role: string,
): Promise<void> {
  const settings = { FunctionName, Handler, Runtime: Runtime as Runtime, MemorySize, Timeout, Environment, Role };
  await client.send(new CreateFunctionCommand({ ...settings, Code: { ZipFile: await readFile(zip) } }));
}

/** Connects the queues to the functions, as the template has it. */
export async function createEventSources(client: LambdaClient, template: Template, values: Values): Promise<void> {
  for (const [, properties] of template.all('AWS::Lambda::EventSourceMapping')) {
    await client.send(new CreateEventSourceMappingCommand(resolve(properties, values) as { FunctionName: string }));
  }
}

/** The keys that ministack gives a function: made of its ARN and its role's, and in no answer of its API. */
export function executionKey(template: Template, key: FunctionKey, values: Values): AccessKey {
  const digest = sha256(`${values[`${logicalId(key)}.Arn`]}:${values[`${roleOf(template, key)}.Arn`]}`);
  return {
    accessKeyId: `ASIA${digest.slice(0, 16).toUpperCase()}`,
    secretAccessKey: sha256(`secret:${digest}`),
    sessionToken: sha256(`token:${digest}`),
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
