/**
 * The packaged zips under Lambda's Runtime Interface Emulator, one for each environment, on a real API server that knows
 * each function by its own keys; with FIFO queues between the bridge and the workers.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { createQueues, type EmbeddedQueue, startEmbeddedQueue } from '../../local/queue/embedded.ts';
import { type EventSource, startEventSource } from '../../local/queue/event-source.ts';
import { eventually } from '../control-plane/objects.ts';
import { startXRay, type XRay } from './aws/x-ray.ts';
import { LambdaFunction } from './lambda/function.ts';
import { type EksCluster, startEksCluster } from './scene/cluster.ts';
import { functionsOf, type Identities, identitiesOf, platformVariables } from './scene/deployment.ts';
import { startSchedule } from './scene/schedule.ts';
import { printed, secretsIn } from './scene/secrets.ts';
import { bind, bindAgain, countObjects, reclaim, release } from './scene/story.ts';
import { tableOf } from './scene/table.ts';
import { region } from './stack/account.ts';
import { type FunctionKey, functionKeys, unpack } from './stack/functions.ts';
import { Template } from './stack/template.ts';
import { findTools } from './tools.ts';

const tools = await findTools('emulator', 'control plane', 'kubectl');
const stack = inject('stack');

/** Environments of each function. Two bridges overlap; a third begins where the first is late. */
const environments: Readonly<Record<FunctionKey, number>> = { volumeWorker: 2, claimWorker: 2, bridge: 3, resync: 1 };
/** The bridge keeps 15 s of its time for handing over: 9 s are left to follow the cluster. */
const bridgeTimeoutSeconds = 24;
const bridgePeriodMilliseconds = 7_000;
const pairs = Array.from({ length: 10 }, (_, index) => `pair-${index}`);

describe.skipIf(tools.missing.length > 0)('the packaged functions under Lambda’s emulator', () => {
  let cluster: EksCluster;
  let queue: EmbeddedQueue;
  let functions: Readonly<Record<FunctionKey, LambdaFunction>>;
  let sources: readonly EventSource[];
  let identities: Identities;
  let xRay: XRay;

  beforeAll(async () => {
    const template = await Template.read(stack);
    identities = identitiesOf(template);
    const { principals, clusterName } = identities;
    [queue, cluster] = await Promise.all([
      startEmbeddedQueue(),
      startEksCluster({ clusterName, region }, Object.values(principals)),
    ]);
    xRay = await startXRay(join(cluster.logs, 'x-ray.log'));
    const { VisibilityTimeout } = template.get('VolumesQueue', 'AWS::SQS::Queue');
    const addresses = await createQueues(queue.client, { visibilityTimeoutSeconds: Number(VisibilityTimeout) });
    const { PersistentVolume: volumes, PersistentVolumeClaim: claims } = addresses;
    const properties = functionsOf(template, {
      VolumesQueue: volumes.url,
      ClaimsQueue: claims.url,
      VolumesDeadLetterQueue: volumes.deadLetterUrl,
      ClaimsDeadLetterQueue: claims.deadLetterUrl,
    });
    const start = async (key: FunctionKey) => {
      const packaged = await unpack(join(stack, `${key}.zip`), properties[key], join(cluster.directory, key));
      const environment = {
        ...packaged.environment,
        ...platformVariables(principals[key]),
        AWS_XRAY_DAEMON_ADDRESS: xRay.address,
        PV_SQS_ENDPOINT: queue.endpoint,
        // The claim worker finds the cluster by itself; the others are told.
        ...(key === 'claimWorker' ? { PV_EKS_ENDPOINT: cluster.eks.url } : cluster.address),
      };
      const timeoutSeconds = key === 'bridge' ? bridgeTimeoutSeconds : packaged.timeoutSeconds;
      return LambdaFunction.start(
        tools.emulator,
        { ...packaged, environment, timeoutSeconds },
        {
          environments: environments[key],
          log: join(cluster.logs, key),
          ...(key === 'bridge' && { readyMessage: 'bridge starts' }),
        },
      );
    };
    const started = await Promise.all(functionKeys.map(async (key) => [key, await start(key)] as const));
    functions = Object.fromEntries(started) as typeof functions;
    sources = (
      [
        [volumes, 'volumeWorker'],
        [claims, 'claimWorker'],
      ] as const
    ).map(([{ url: queueUrl, arn: queueArn }, key]) =>
      startEventSource({
        client: queue.client,
        queueUrl,
        queueArn,
        handler: functions[key].handler,
        functionName: functions[key].name,
        maximumConcurrency: environments[key],
        timeoutMs: properties[key].Timeout * 1_000,
        onError: (error) => console.error(error),
      }),
    );
  });

  afterAll(async () => {
    await Promise.all((sources ?? []).map((source) => source.stop()));
    await Promise.all(Object.values(functions ?? {}).map((one) => one.stop()));
    await Promise.all([queue?.close(), xRay?.close()]);
    await cluster?.stop();
  });

  test('bind, release and reclaim, while one bridge hands over to the next', async () => {
    const { client } = cluster;
    const schedule = startSchedule((event) => functions.bridge.invoke(event), bridgePeriodMilliseconds);
    onTestFinished(() => schedule.stop().catch(() => {}));
    await bind(client, 'kept', 'Retain');
    await bind(client, 'scrubbed', 'Recycle');
    await Promise.all(pairs.map((name) => bind(client, name, 'Retain')));
    await release(client, 'kept');
    await reclaim(client, 'scrubbed');
    expect(cluster.kubelet.ran).toEqual(['recycler-for-scrubbed']);

    await eventually('the end of the first bridge', async () => schedule.ended > 0);
    await bindAgain(client, 'scrubbed');
    await bind(client, 'late', 'Retain');
    await eventually('a third bridge', async () => schedule.begun > 2);
    await release(client, 'late');

    await schedule.stop();
    expect(schedule.overlap).toBeGreaterThan(1);
  });

  test('resync everything, twice, as the schedule’s events differ', async () => {
    const deleted = () => sources.reduce((sum, { stats }) => sum + stats.deleted, 0);
    const objects = await countObjects(cluster.client);
    expect(objects).toBeGreaterThan(2 * pairs.length);
    for (const id of ['first', 'second']) {
      const before = deleted();

      expect(await functions.resync.invoke({ id, source: 'aws.scheduler' })).toEqual({ keys: objects });

      await eventually('all keys handled', async () => deleted() >= before + objects);
    }
  });

  test('were known to the API server by their own keys, and one found it by asking EKS', () => {
    const { authenticator, eks } = cluster;
    const usernames = functionKeys.map((key) => identities.principals[key].username);

    expect([...authenticator.accepted].sort()).toEqual(usernames.sort());
    expect(authenticator.refusals).toEqual([]);
    expect(new Set(eks.told)).toEqual(new Set([identities.principals.claimWorker.username]));
    expect(eks.refusals).toEqual([]);
  });

  test('failed no invocation', () => {
    expect(sources.map(({ stats }) => stats.failedInvocations)).toEqual([0, 0]);
    const rows = Object.entries(functions).map(([key, { invocations, times }]) => ({
      function: key,
      invocations,
      ...times,
    }));
    console.log(
      `\nmilliseconds that an invocation takes its caller, medians; of the bridge, until it follows the cluster\n\n${tableOf(rows)}\n`,
    );
    for (const { cold, warm } of rows) expect([cold, warm]).not.toContain(undefined);
  });

  test('printed no secret', async () => {
    const secrets = { keys: Object.values(identities.principals), privateKey: cluster.caKey };
    const logs = await printed(cluster.logs);

    // Else the search would have found nothing in nothing.
    for (const key of functionKeys) {
      const own = [...logs].filter(([name]) => name.startsWith(`${key}-`));
      expect(own).toHaveLength(environments[key]);
      expect(own.join(), key).toContain('"service":"pv-controller"');
    }
    expect(logs.get('x-ray.log')).toContain('"trace_id"');
    for (const [name, text] of logs) expect(secretsIn(text, secrets), name).toEqual([]);
  });
});
