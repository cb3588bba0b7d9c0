/** The four functions as they are deployed: their modules, their environment variables, their handlers. */
import type { ScheduledEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ApiServerCluster } from '../../lib/cluster/api-server.ts';
import { ConfigError } from '../../lib/config.ts';
import { type LocalApiServer, startApiServer } from '../../local/api-server/server.ts';
import {
  createQueues,
  type EmbeddedQueue,
  type QueueAddresses,
  startEmbeddedQueue,
} from '../../local/queue/embedded.ts';
import { type EventSource, startEventSource } from '../../local/queue/event-source.ts';
import { createContext } from '../../local/queue/lambda-event.ts';
import { boundPair, Objects } from './objects.ts';
import { type FaultProxy, startProxy } from './proxy.ts';
import { eventOf } from './stoppable-worker.ts';
import { eventually } from './world.ts';

let server: LocalApiServer;
let proxy: FaultProxy;
let queue: EmbeddedQueue;
let addresses: QueueAddresses;
let cluster: ApiServerCluster;
let objects: Objects;
let environment: Record<string, string>;

beforeAll(async () => {
  [server, queue] = await Promise.all([startApiServer(), startEmbeddedQueue()]);
  proxy = await startProxy(server.url);
  addresses = await createQueues(queue.client, { visibilityTimeoutSeconds: 180 });
  cluster = new ApiServerCluster({ server: server.url });
  objects = new Objects(cluster);
  // The SDK goes where a queue's URL says; the emulator's names a host that does not exist.
  const here = (url: string) => queue.endpoint + new URL(url).pathname;
  environment = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'a-secret-that-must-not-be-logged',
    AWS_SESSION_TOKEN: 'a-session-that-must-not-be-logged',
    PV_MODE: 'enforce',
    PV_LOG_LEVEL: 'INFO',
    PV_CLUSTER_NAME: 'cluster-1',
    PV_CLUSTER_ENDPOINT: proxy.url,
    PV_VOLUMES_QUEUE_URL: here(addresses.PersistentVolume.url),
    PV_CLAIMS_QUEUE_URL: here(addresses.PersistentVolumeClaim.url),
    PV_VOLUMES_DEAD_LETTER_URL: here(addresses.PersistentVolume.deadLetterUrl),
    PV_CLAIMS_DEAD_LETTER_URL: here(addresses.PersistentVolumeClaim.deadLetterUrl),
    POWERTOOLS_METRICS_DISABLED: 'true',
  };
});
afterAll(async () => {
  vi.unstubAllEnvs();
  cluster.close();
  await Promise.all([proxy.stop(), queue.close()]);
  await server.stop();
});

/** Loads a function as a new Lambda environment does. */
async function load<M>(module: () => Promise<M>, variables: Readonly<Record<string, string | undefined>>): Promise<M> {
  vi.unstubAllEnvs();
  vi.resetModules();
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  return await module();
}

const volumeWorker = () => import('../../functions/volume-worker.ts');
const claimWorker = () => import('../../functions/claim-worker.ts');
const bridge = () => import('../../functions/bridge.ts');
const resync = () => import('../../functions/resync.ts');

const context = (timeoutMs = 30_000) => createContext('a-function', timeoutMs, 'us-east-1');
const volumeEvent = () => eventOf({ v: 1, kind: 'PersistentVolume', name: 'pv-1', reason: 'modified' });
const schedule = (id: string) => ({ id, source: 'aws.scheduler' }) as unknown as ScheduledEvent;

describe('a function without its settings', () => {
  test('says which variables are not set, all at once', async () => {
    const { handler } = await load(volumeWorker, {
      ...environment,
      PV_CLUSTER_NAME: '',
      PV_CLAIMS_QUEUE_URL: undefined,
    });

    const error = await handler(volumeEvent(), context()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ConfigError', message: 'not set: PV_CLUSTER_NAME, PV_CLAIMS_QUEUE_URL' });
  });

  test.each([
    ['the volume worker', volumeWorker, volumeEvent],
    ['the claim worker', claimWorker, volumeEvent],
    ['the bridge', bridge, () => schedule('x')],
    ['the resync', resync, () => schedule('x')],
  ] as const)('%s names a missing cluster name', async (_, module, event) => {
    const { handler } = await load(module as typeof resync, { ...environment, PV_CLUSTER_NAME: '' });

    await expect(handler(event() as ScheduledEvent, context())).rejects.toThrow('not set: PV_CLUSTER_NAME');
  });

  test('fails at its start for a setting that is wrong, and names it with its value', async () => {
    await expect(load(volumeWorker, { ...environment, PV_MODE: 'enforced' })).rejects.toThrow(
      'PV_MODE: must be one of observe, assist, enforce, got "enforced"',
    );
    expect(ConfigError.name).toBe('ConfigError');
  });

  test('works as soon as the settings are there, without a new start', async () => {
    const { handler } = await load(volumeWorker, { ...environment, PV_CLUSTER_NAME: '' });
    await expect(handler(volumeEvent(), context())).rejects.toThrow('PV_CLUSTER_NAME');
    vi.stubEnv('PV_CLUSTER_NAME', 'cluster-1');

    expect(await handler(volumeEvent(), context())).toEqual({ batchItemFailures: [] });
  });
});

describe('the functions together', () => {
  const sources: EventSource[] = [];
  afterAll(() => Promise.all(sources.map((source) => source.stop())));

  test('bind and release what the bridge sees, resync everything, and keep their secrets', async () => {
    const logged: string[] = [];
    const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => logged.push(String(text)) > 0);
    const handlers = {
      PersistentVolume: (await load(volumeWorker, environment)).handler,
      PersistentVolumeClaim: (await load(claimWorker, environment)).handler,
    };
    for (const kind of ['PersistentVolume', 'PersistentVolumeClaim'] as const) {
      const { url: queueUrl, arn: queueArn } = addresses[kind];
      sources.push(
        startEventSource({ client: queue.client, queueUrl, queueArn, handler: handlers[kind], maximumConcurrency: 1 }),
      );
    }
    await objects.createVolume('before', { storageClassName: 'before' });
    await objects.createClaim('before', { storageClassName: 'before' });
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {}); // of the SDK, about the queue's URL
    const { handler: runBridge } = await load(bridge, environment);
    const started = performance.now();
    const running = runBridge(schedule('bridge'), context(15_000 + 2_500));
    await objects.createVolume('during', { storageClassName: 'during' });
    await objects.createClaim('during', { storageClassName: 'during' });
    for (const name of ['before', 'during']) {
      await eventually(`${name} bound`, async () => (await objects.pair(name, name)) === boundPair(name, name));
    }
    await objects.deleteClaim('before');
    await eventually('Released', async () => (await objects.volume('before')).status?.phase === 'Released');
    await running;

    // It ends by itself when its time but the reserve is over, and leaves no watch of its own behind.
    expect(performance.now() - started).toBeLessThan(4_500);
    await eventually(
      'ended watches',
      () => ![...proxy.underWay].some(({ url }) => url.includes('persistentvolumeclaims')),
    );

    const { handler: runResync } = await load(resync, environment);
    const handled = sources.reduce((sum, { stats }) => sum + stats.deleted, 0);
    expect(await runResync(schedule('epoch-1'), context())).toEqual({ keys: 3 });
    await eventually('all handled', () => sources.reduce((sum, { stats }) => sum + stats.deleted, 0) === handled + 3);

    spy.mockRestore();
    warn.mockRestore();
    expect(logged.some((line) => line.includes('resync sent'))).toBe(true);
    for (const line of logged) expect(line).not.toMatch(/must-not-be-logged|k8s-aws-v1|X-Amz-/i);
    expect(sources.map(({ stats }) => stats.failedInvocations)).toEqual([0, 0]);
  });

  test('the token that the API server gets is one of EKS', async () => {
    const tokens: string[] = [];
    server.intercept = ({ headers }) => void tokens.push(headers.authorization ?? 'none');
    const { handler } = await load(volumeWorker, environment);
    await handler(volumeEvent(), context());
    server.intercept = undefined;

    expect(tokens.length).toBeGreaterThan(0);
    for (const token of tokens) expect(token).toMatch(/^Bearer k8s-aws-v1\.[\w-]+$/);
  });
});

describe('a scheduled function whose time runs out', () => {
  test.each([
    ['the bridge', bridge, 15_000],
    ['the resync', resync, 2_000],
  ] as const)('%s ends in time though the API server does not answer', async (_, module, reserveMs) => {
    const { handler } = await load(module as typeof resync, { ...environment, PV_LOG_LEVEL: 'SILENT' });
    server.intercept = ({ path }) => (path === '/version' ? undefined : { delayMs: 4_000 });
    const before = proxy.underWay.size;
    const started = performance.now();
    await handler(schedule('late'), context(reserveMs + 500)).catch(() => {});
    server.intercept = undefined;

    expect(performance.now() - started).toBeLessThan(2_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(proxy.underWay.size).toBe(before);
  });
});
