/** An invocation whose time runs out hands back what it did not finish, and leaves no request behind (DESIGN D4, D11). */
import { setTimeout as sleep } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createObservability } from '../../functions/environment.ts';
import { createWorkerFunction } from '../../functions/worker.ts';
import type { SyncKey } from '../../lib/controller/types.ts';
import { Runtime } from '../../lib/worker/runtime.ts';
import { type LocalApiServer, startApiServer } from '../../local/api-server/server.ts';
import {
  createQueues,
  type EmbeddedQueue,
  type QueueAddresses,
  startEmbeddedQueue,
} from '../../local/queue/embedded.ts';
import { createContext } from '../../local/queue/lambda-event.ts';
import { Objects } from './objects.ts';
import { type FaultProxy, startProxy } from './proxy.ts';
import { eventOf } from './stoppable-worker.ts';
import { configWith } from './world.ts';

const RESERVE_MS = 1_000;
let server: LocalApiServer;
let queue: EmbeddedQueue;
let addresses: QueueAddresses;
let toServer: FaultProxy;
let toQueue: FaultProxy;
let sqs: SQSClient;
let runtime: Runtime;

beforeAll(async () => {
  [server, queue] = await Promise.all([startApiServer(), startEmbeddedQueue()]);
  [toServer, toQueue] = await Promise.all([startProxy(server.url), startProxy(queue.endpoint)]);
  addresses = await createQueues(queue.client, { visibilityTimeoutSeconds: 180 });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  sqs = new SQSClient({ endpoint: toQueue.url, region: 'us-east-1', credentials });
  runtime = newRuntime();
  const objects = new Objects(runtime.cluster);
  for (const name of ['a', 'b', 'c']) await objects.createVolume(name, { storageClassName: 'none' });
  await objects.createClaim('a');
});
afterEach(() => {
  server.intercept = undefined;
});
afterAll(async () => {
  runtime.close();
  sqs.destroy();
  await Promise.all([toServer.stop(), toQueue.stop()]);
  await Promise.all([server.stop(), queue.close()]);
});

/** A new environment, which has read nothing yet. */
function newRuntime(): Runtime {
  const config = configWith({ PV_RESERVE_MS: String(RESERVE_MS), PV_POOL_MAX_AGE_MS: '0' });
  return new Runtime({ connection: { server: toServer.url }, config, sqs, queues: addresses });
}

interface Outcome {
  readonly response: SQSBatchResponse;
  readonly durationMs: number;
  /** What was still under way shortly after the function had returned, besides the watch that a warm pool keeps. */
  readonly leftBehind: string[];
}

/** Calls a worker function with `workMs` of time before its reserve. */
async function call(environment: Runtime, keys: readonly SyncKey[], workMs: number): Promise<Outcome> {
  const [first] = keys;
  const worker = createWorkerFunction(first?.kind ?? 'PersistentVolume', () => environment, quiet());
  const Records = keys.flatMap((key, index) =>
    eventOf({ v: 1, ...key, reason: 'modified' }).Records.map((record) => ({ ...record, messageId: `m-${index}` })),
  );
  const start = performance.now();
  const response = await worker({ Records }, createContext('w', workMs + RESERVE_MS, 'us-east-1'));
  const durationMs = performance.now() - start;
  await sleep(50);
  const underWay = [...toServer.underWay, ...toQueue.underWay].map(({ method, url }) => `${method} ${url}`);
  const leftBehind = underWay.filter((request) => !request.includes('watch=true'));
  return { response, durationMs, leftBehind };
}

function quiet() {
  process.env['POWERTOOLS_METRICS_DISABLED'] = 'true';
  return createObservability({ logLevel: 'SILENT' });
}

const volumeKey = (name: string) => ({ kind: 'PersistentVolume', name }) as const;
const claimKey = (name: string) => ({ kind: 'PersistentVolumeClaim', namespace: 'default', name }) as const;
const slow = { delayMs: 3_000 };

describe('a worker whose time runs out', () => {
  test('hands back every key that waits for the API server, in time', async () => {
    await call(runtime, [volumeKey('a')], 5_000);
    server.intercept = () => slow;
    const outcome = await call(runtime, ['a', 'b', 'c'].map(volumeKey), 200);

    const failed = outcome.response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).sort();
    expect(failed).toEqual(['m-0', 'm-1', 'm-2']);
    expect(outcome.durationMs).toBeLessThan(200 + RESERVE_MS);
    expect(outcome.leftBehind).toEqual([]);
  });

  test('reports those that it finished as done', async () => {
    server.intercept = ({ path }) => (path.endsWith('/b') ? slow : undefined);
    const outcome = await call(runtime, ['a', 'b', 'c'].map(volumeKey), 300);

    expect(outcome.response.batchItemFailures).toEqual([{ itemIdentifier: 'm-1' }]);
    expect(outcome.leftBehind).toEqual([]);
  });

  test('begins nothing when there is no time at all', async () => {
    const before = toServer.requests.length;
    const outcome = await call(runtime, ['a', 'b'].map(volumeKey), 0);

    expect(outcome.response.batchItemFailures.length).toBe(2);
    expect(toServer.requests.length).toBe(before);
  });

  test('leaves no list of volumes behind', async () => {
    server.intercept = ({ api }) => (api?.verb === 'list' ? slow : undefined);
    const outcome = await call(runtime, [claimKey('a')], 300);

    expect(outcome.response.batchItemFailures).toEqual([{ itemIdentifier: 'm-0' }]);
    expect(outcome.leftBehind).toEqual([]);
  });

  test('leaves no question for the server’s version behind', async () => {
    const cold = newRuntime();
    server.intercept = ({ path }) => (path === '/version' ? slow : undefined);
    const outcome = await call(cold, [volumeKey('a')], 300);
    cold.close();

    expect(outcome.response.batchItemFailures).toEqual([{ itemIdentifier: 'm-0' }]);
    expect(outcome.leftBehind).toEqual([]);
  });

  test('leaves no message on its way to a queue behind', async () => {
    const objects = new Objects(runtime.cluster);
    const { uid = '' } = (await objects.claim('a')).metadata;
    const claimRef = { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'a', uid };
    await objects.createVolume('waits-for-its-claim', { claimRef });
    toQueue.delayMs = 3_000;
    const outcome = await call(runtime, [volumeKey('waits-for-its-claim')], 300);
    toQueue.delayMs = 0;

    expect(outcome.response.batchItemFailures).toEqual([{ itemIdentifier: 'm-0' }]);
    expect(outcome.leftBehind).toEqual([]);
  });

  test('does not spoil the next invocation of its environment', async () => {
    const outcome = await call(runtime, ['a', 'b', 'c'].map(volumeKey), 5_000);
    const claims = await call(runtime, [claimKey('a')], 5_000);

    expect(outcome.response.batchItemFailures).toEqual([]);
    expect(claims.response.batchItemFailures).toEqual([]);
  });
});
