/**
 * Audit records on an independent EventBridge: sent by keys that are allowed what the stack allows a worker, and delivered by
 * a rule with the pattern of docs/audit.md.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateAccessKeyCommand, CreateUserCommand, IAMClient, PutUserPolicyCommand } from '@aws-sdk/client-iam';
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileStack } from '../../infra/lint/compile.ts';
import { VARIANTS } from '../../infra/lint/variants.ts';
import { EventBus } from '../../lib/audit/event-bus.ts';
import { putEventsTo } from '../../lib/audit/put-events.ts';
import type { AuditRecord } from '../../lib/audit/record.ts';
import { type AwsIdentity, awsSigner } from '../../lib/cluster/aws-signer.ts';
import { EXAMPLE_PATTERN } from '../../scripts/docs/audit-page.ts';
import { type Ministack, startMinistack } from './ministack/server.ts';
import { account, pseudoParameters, region } from './stack/account.ts';
import { resolve } from './stack/template.ts';
import { findTools } from './tools.ts';

/** Names the bus `storage`. */
const VARIANT = 'customer-key';
const USER = 'volume-worker';

const tools = await findTools('python');

const DELETED: AuditRecord = {
  v: 1,
  time: '2026-05-01T10:00:05.250Z',
  kind: 'PersistentVolume',
  name: 'pv-1 ü',
  of: 'phase',
  from: 'Released',
  to: 'deleted',
  who: 'unknown',
  how: 'seen',
};

describe.skipIf(tools.missing.length > 0)('an EventBridge bus of ministack', () => {
  let directory: string;
  let ministack: Ministack;
  let sqs: SQSClient;
  let QueueUrl: string;
  let worker: AwsIdentity;
  const lost: [records: number, why: string | undefined][] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pv-event-bus-'));
    const [{ template }, started] = await Promise.all([
      compileStack(VARIANT, VARIANTS[VARIANT] ?? ''),
      startMinistack(tools.python, { directory: join(directory, 'ministack'), log: join(directory, 'log') }),
    ]);
    ministack = started;
    const { endpoint, root: credentials } = ministack;
    sqs = new SQSClient({ endpoint, region, credentials });
    ({ QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: 'deleted' })));
    for (const Name of ['storage', 'another']) await ask('CreateEventBus', { Name });
    const EventPattern = JSON.stringify(EXAMPLE_PATTERN);
    const rule = { EventBusName: 'storage' };
    await ask('PutRule', { ...rule, Name: 'deleted', EventPattern });
    const Targets = [{ Id: 'queue', Arn: `arn:aws:sqs:${region}:${account}:deleted` }];
    await ask('PutTargets', { ...rule, Rule: 'deleted', Targets });

    const { Policies } = (template.Resources['VolumeWorkerRole']?.Properties ?? {}) as {
      Policies?: { PolicyName?: string; PolicyDocument: object }[];
    };
    const policy = Policies?.find(({ PolicyName }) => PolicyName === 'audit')?.PolicyDocument;
    const iam = new IAMClient({ endpoint, region, credentials });
    await iam.send(new CreateUserCommand({ UserName: USER }));
    const PolicyDocument = JSON.stringify(resolve(policy, pseudoParameters));
    await iam.send(new PutUserPolicyCommand({ UserName: USER, PolicyName: 'audit', PolicyDocument }));
    const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName: USER }));
    const { AccessKeyId = '', SecretAccessKey = '' } = AccessKey ?? {};
    worker = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey };
    iam.destroy();
  });
  afterAll(async () => {
    sqs?.destroy();
    await ministack?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** As the account's root. */
  async function ask(action: string, input: object): Promise<void> {
    const { host, hostname, protocol } = new URL(ministack.endpoint);
    const body = JSON.stringify(input);
    const headers = { host, 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `AWSEvents.${action}` };
    const request = { method: 'POST', protocol, hostname, path: '/', headers, body };
    const signed = await awsSigner('events', region, ministack.root).sign(request);
    const answer = await fetch(ministack.endpoint, { method: 'POST', headers: signed.headers, body });
    if (!answer.ok) throw new Error(`${action}: ${answer.status} ${await answer.text()}`);
  }

  async function send(bus: string, records: readonly AuditRecord[], credentials = worker): Promise<void> {
    lost.length = 0;
    const put = putEventsTo({ bus, region, credentials, endpoint: ministack.endpoint });
    const events = new EventBus(put, (...args) => lost.push(args));
    for (const record of records) events.write(record);
    await events.flush();
  }

  test('delivers what the rule asks for, as it was recorded, and nothing else', async () => {
    const others: AuditRecord[] = Array.from({ length: 12 }, () => ({ ...DELETED, to: 'Failed' }));
    await send('storage', [...others, DELETED]);
    expect(lost).toEqual([]);
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 5 }),
    );
    expect(Messages.map(({ Body }) => JSON.parse(Body ?? ''))).toMatchObject([
      { source: 'serverless-pv-controller', 'detail-type': 'PersistentVolume transition', detail: DELETED },
    ]);
  });

  test('takes it by its ARN, too', async () => {
    await send(`arn:aws:events:${region}:${account}:event-bus/storage`, [DELETED]);
    expect(lost).toEqual([]);
  });

  test('is the only one that the keys may send to', async () => {
    await send('another', [DELETED]);
    expect(lost).toEqual([[1, expect.stringMatching(/AccessDenied/)]]);
  });

  test('takes nothing with a signature that is wrong', async () => {
    await send('storage', [DELETED], { ...worker, secretAccessKey: 'another' });
    expect(lost).toEqual([[1, expect.stringMatching(/Signature/)]]);
  });
});
