/**
 * The packaged zips once more, on an independent stand-in for SQS, Lambda and IAM: queues, roles, functions and event
 * sources are made as the template has them, and each function may only what its role's policies say.
 */
import { join } from 'node:path';
import { IAMClient } from '@aws-sdk/client-iam';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, ListQueuesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { eventually } from '../control-plane/objects.ts';
import {
  createEventSources,
  createFunction,
  createQueues,
  createRoles,
  executionKey,
  valuesOf,
} from './ministack/deploy.ts';
import { type Ministack, startMinistack } from './ministack/server.ts';
import { type EksCluster, startEksCluster } from './scene/cluster.ts';
import { functionsOf, type Identities, identitiesOf } from './scene/deployment.ts';
import { startSchedule } from './scene/schedule.ts';
import { printed, secretsIn } from './scene/secrets.ts';
import { bind, bindAgain, countObjects, reclaim, release } from './scene/story.ts';
import { pseudoParameters, region } from './stack/account.ts';
import { type FunctionKey, functionKeys, roleOf } from './stack/functions.ts';
import { Template, type Values } from './stack/template.ts';
import { findTools } from './tools.ts';

const tools = await findTools('python', 'control plane', 'kubectl');
const stack = inject('stack');

/** The bridge keeps 15 s of its time for handing over: 12 s are left to follow the cluster. */
const bridgeTimeoutSeconds = 27;
const bridgePeriodMilliseconds = 10_000;
const pairs = Array.from({ length: 5 }, (_, index) => `pair-${index}`);

describe.skipIf(tools.missing.length > 0)('the packaged functions on ministack', () => {
  let cluster: EksCluster;
  let ministack: Ministack;
  let template: Template;
  let values: Values;
  let identities: Identities;
  let sqs: SQSClient;
  let lambda: LambdaClient;

  beforeAll(async () => {
    template = await Template.read(stack);
    identities = identitiesOf(template, (key) => executionKey(template, key, valuesOf(template, '')));
    const { principals, clusterName } = identities;
    cluster = await startEksCluster({ clusterName, region }, Object.values(principals));
    const { directory, logs } = cluster;
    const log = join(logs, 'ministack.log');
    ministack = await startMinistack(tools.python, { directory: join(directory, 'ministack'), log });
    const { endpoint, root: credentials } = ministack;
    values = { ...pseudoParameters, ...valuesOf(template, endpoint) };
    sqs = new SQSClient({ endpoint, region, credentials });
    lambda = new LambdaClient({ endpoint, region, credentials });
    const iam = new IAMClient({ endpoint, region, credentials });
    await createQueues(sqs, template, values);
    await createRoles(iam, template, values);
    iam.destroy();
    const functions = functionsOf(template, values);
    for (const key of functionKeys) {
      const { Environment, Timeout, ...rest } = functions[key];
      const overrides = {
        PV_SQS_ENDPOINT: endpoint,
        PV_EKS_ENDPOINT: cluster.eks.url,
        PV_LOG_LEVEL: 'DEBUG',
        // With an endpoint, ministack's runtime turns HTTPS to this machine into HTTP.
        AWS_ENDPOINT_URL: '',
      };
      const properties = {
        ...rest,
        Timeout: key === 'bridge' ? bridgeTimeoutSeconds : Timeout,
        Environment: { Variables: { ...Environment.Variables, ...overrides } },
      };
      const role = values[`${roleOf(template, key)}.Arn`] ?? '';
      await createFunction(lambda, join(stack, `${key}.zip`), properties, role);
    }
    await createEventSources(lambda, template, values);
  });

  afterAll(async () => {
    sqs?.destroy();
    lambda?.destroy();
    await ministack?.stop();
    await cluster?.stop();
  });

  /** @returns what the function returned. @throws Error for what it threw. */
  async function invoke(key: FunctionKey, event: object): Promise<unknown> {
    const { FunctionName } = functionsOf(template, values)[key];
    const command = new InvokeCommand({ FunctionName, Payload: JSON.stringify(event) });
    const { FunctionError, Payload } = await lambda.send(command);
    const text = Buffer.from(Payload ?? []).toString('utf8');
    if (FunctionError !== undefined) throw new Error(`${key}: ${FunctionError}: ${text}`);
    return JSON.parse(text || 'null');
  }

  test('bind, release and reclaim', async () => {
    const { client } = cluster;
    const schedule = startSchedule((event) => invoke('bridge', event), bridgePeriodMilliseconds);
    onTestFinished(() => schedule.stop().catch(() => {}));
    await bind(client, 'kept', 'Retain');
    await bind(client, 'scrubbed', 'Recycle');
    await Promise.all(pairs.map((name) => bind(client, name, 'Retain')));
    await release(client, 'kept');
    await reclaim(client, 'scrubbed');
    await bindAgain(client, 'scrubbed');
    expect(cluster.kubelet.ran).toEqual(['recycler-for-scrubbed']);

    await schedule.stop();
  });

  test('resync everything, and leave nothing in a queue', async () => {
    const objects = await countObjects(cluster.client);
    expect(objects).toBeGreaterThan(2 * pairs.length);

    expect(await invoke('resync', { id: 'first', source: 'aws.scheduler' })).toEqual({ keys: objects });

    const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
    expect(QueueUrls).toHaveLength(template.all('AWS::SQS::Queue').length);
    for (const QueueUrl of QueueUrls)
      await eventually(`${QueueUrl} empty`, async () => (await waitingIn(QueueUrl)) === 0);
  });

  async function waitingIn(QueueUrl: string): Promise<number> {
    const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] }),
    );
    return AttributeNames.reduce((sum, name) => sum + Number(Attributes[name]), 0);
  }

  test('may do at SQS what their roles say, and no more', async () => {
    const credentials = identities.principals.bridge;
    const bridge = new SQSClient({ endpoint: ministack.endpoint, region, credentials });

    const reading = bridge.send(new ReceiveMessageCommand({ QueueUrl: values['VolumesQueue'] }));
    await expect(reading).rejects.toThrow('is not authorized to perform: sqs:ReceiveMessage');

    bridge.destroy();
  });

  test('were known to the API server by their own keys, and each found it by asking EKS', () => {
    const { authenticator, eks } = cluster;
    const usernames = functionKeys.map((key) => identities.principals[key].username).sort();

    expect([...authenticator.accepted].sort()).toEqual(usernames);
    expect([...new Set(eks.told)].sort()).toEqual(usernames);
    expect([...authenticator.refusals, ...eks.refusals]).toEqual([]);
  });

  test('printed no secret', async () => {
    const secrets = { keys: [...Object.values(identities.principals)], privateKey: cluster.caKey };
    const text = [...(await printed(cluster.logs)).values()].join('');

    for (const { FunctionName } of Object.values(functionsOf(template, values))) {
      expect(text).toContain(`"function_name":"${FunctionName}"`);
    }
    expect(secretsIn(text, secrets)).toEqual([]);
  });
});
