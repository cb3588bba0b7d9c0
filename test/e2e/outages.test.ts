/** Bridge, queue and API server are away for a while, and things happen meanwhile: no change is lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import { expect, test, vi } from 'vitest';
import { createObservability } from '../../functions/environment.ts';
import { createWorkerFunction } from '../../functions/worker.ts';
import { ApiServerCluster } from '../../lib/cluster/api-server.ts';
import { Runtime } from '../../lib/worker/runtime.ts';
import { resourceOf } from '../../local/api-server/resources.ts';
import { type LocalApiServer, startApiServer } from '../../local/api-server/server.ts';
import { createQueues, startEmbeddedQueue } from '../../local/queue/embedded.ts';
import { startEventSource } from '../../local/queue/event-source.ts';
import { claim, Objects, volume } from './objects.ts';
import { startProxy } from './proxy.ts';
import { startBridgeProcess } from './stoppable-worker.ts';
import { configWith, eventually, startWorld, watchPhases } from './world.ts';

// A few seconds on an idle machine; the load of others must not look like a lost change.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 });

const QUIET = { PV_MODE: 'enforce', PV_BRIDGE_RESYNC_PERIOD_MS: '3600000', PV_BRIDGE_SWEEP_PERIOD_MS: '0' };

/** Writes that need no connection. */
function at({ operations, store }: LocalApiServer) {
  const claims = { resource: resourceOf('persistentvolumeclaims'), namespace: 'default' };
  return {
    createPair(name: string): void {
      operations.create({ resource: resourceOf('persistentvolumes') }, volume(name, { storageClassName: name }));
      operations.create(claims, claim(name, { storageClassName: name }));
    },
    deleteClaim: (name: string) => void operations.delete({ ...claims, name }),
    isBound: (name: string) => phaseOf(store.get('persistentvolumeclaims', { namespace: 'default', name })) === 'Bound',
    isReleased: (name: string) => phaseOf(store.get('persistentvolumes', { name })) === 'Released',
  };
}

const phaseOf = (object: object | undefined) => (object as { status?: { phase?: string } } | undefined)?.status?.phase;
const namesOf = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

test.concurrent('a bridge that is killed again and again while things happen loses nothing', async ({
  onTestFinished,
}) => {
  const server = await startApiServer();
  const queue = await startEmbeddedQueue();
  const addresses = await createQueues(queue.client, { visibilityTimeoutSeconds: 180 });
  const connection = { server: server.url };
  const runtime = new Runtime({ connection, config: configWith(), sqs: queue.client, queues: addresses });
  process.env['POWERTOOLS_METRICS_DISABLED'] = 'true';
  const observability = createObservability({ logLevel: 'SILENT' });
  const sources = (['PersistentVolume', 'PersistentVolumeClaim'] as const).map((kind) =>
    startEventSource({
      client: queue.client,
      queueUrl: addresses[kind].url,
      queueArn: addresses[kind].arn,
      handler: createWorkerFunction(kind, () => runtime, observability),
    }),
  );
  const bridgeSettings = { server: server.url, queueEndpoint: queue.endpoint, addresses, settings: QUIET };
  let bridge = await startBridgeProcess(bridgeSettings);
  onTestFinished(async () => {
    await bridge.stop();
    await Promise.all(sources.map((source) => source.stop()));
    runtime.close();
    await queue.close();
    await server.stop();
  });
  const phases = watchPhases(server);
  const { createPair, deleteClaim, isBound, isReleased } = at(server);

  const names: string[] = [];
  for (let round = 0; round < 3; round++) {
    const created = namesOf(`round-${round}`, 10);
    for (const [index, name] of created.entries()) {
      createPair(name);
      const bound = names[round * 5 + index - 10];
      if (bound !== undefined && isBound(bound)) deleteClaim(bound);
      await sleep(3);
      if (index === 4) await bridge.stop();
    }
    names.push(...created);
    bridge = await startBridgeProcess(bridgeSettings);
  }
  const left = names.filter((name) => server.store.get('persistentvolumeclaims', { namespace: 'default', name }));
  const deleted = names.filter((name) => !left.includes(name));

  await eventually('all bound', () => left.every(isBound), 40_000);
  await eventually('all released', () => deleted.every(isReleased), 40_000);
  for (const name of names) expect(phases.get(name)?.join()).toMatch(/^Pending,(Available,)?Bound(,Released)?$/);
});

test.concurrent('a queue that is away for a while gets every message afterwards', async ({ onTestFinished }) => {
  const queue = await startEmbeddedQueue();
  const proxy = await startProxy(queue.endpoint);
  const addresses = await createQueues(queue.client, { visibilityTimeoutSeconds: 30 });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new SQSClient({ endpoint: proxy.url, region: 'us-east-1', credentials, maxAttempts: 1 });
  const world = await startWorld({ system: { queue: { client, addresses } } });
  onTestFinished(async () => {
    await world.stop();
    client.destroy();
    await proxy.stop();
    await queue.close();
  });
  const { createPair, deleteClaim, isBound, isReleased } = at(world.server);
  const before = namesOf('before', 10);
  for (const name of before) createPair(name);
  await world.system.settled();

  await proxy.goAway();
  const during = namesOf('during', 10);
  for (const name of during) createPair(name);
  for (const name of before) deleteClaim(name);
  await eventually('messages that wait', () => world.system.bridge.health().unsent >= 20);
  // Longer than a long poll: one whose caller is gone would still take messages, and hide them.
  await sleep(1_200);
  expect(during.some(isBound)).toBe(false);
  expect(world.system.bridge.health().oldestUnsentMs).toBeGreaterThan(1_000);
  await proxy.comeBack();

  await eventually('all bound', () => during.every(isBound), 40_000);
  await eventually('all released', () => before.every(isReleased), 40_000);
});

test.concurrent('an API server that is away for a while, and forgets its history, is caught up with afterwards', async ({
  onTestFinished,
}) => {
  const api: { proxy?: Awaited<ReturnType<typeof startProxy>> } = {};
  const connectTo = async ({ url }: LocalApiServer) => {
    api.proxy = await startProxy(url);
    return api.proxy.url;
  };
  const world = await startWorld({ connectTo });
  onTestFinished(async () => {
    await world.stop();
    await api.proxy?.stop();
  });
  const { createPair, deleteClaim, isBound, isReleased } = at(world.server);
  const before = namesOf('before', 10);
  for (const name of before) createPair(name);
  await world.system.settled();
  for (const isForgotten of [false, true]) {
    const during = namesOf(isForgotten ? 'forgotten' : 'remembered', 10);
    await api.proxy?.goAway();
    for (const name of during) createPair(name);
    for (const name of before.splice(0, 5)) {
      deleteClaim(name);
      during.push(name);
    }
    if (isForgotten) world.server.compactHistory();
    await sleep(300);
    await api.proxy?.comeBack();

    await eventually('all done', () => during.every((name) => isBound(name) || isReleased(name)), 40_000);
  }
  await world.system.settled();
  for (const phases of world.phases.values()) expect(phases.join()).toMatch(/^Pending,Available,Bound(,Released)?$/);
});

test.concurrent('connections that are cut again and again delay a bind and break none', async ({ onTestFinished }) => {
  const world = await startWorld();
  const cutting = setInterval(() => world.server.cutConnections(), 40);
  onTestFinished(async () => {
    clearInterval(cutting);
    await world.stop();
  });
  const { createPair, isBound } = at(world.server);
  const names = namesOf('pair', 30);
  for (const name of names) {
    createPair(name);
    await sleep(20);
  }
  clearInterval(cutting);
  await eventually('all bound', () => names.every(isBound), 40_000);
  await world.system.settled();

  const cluster = new ApiServerCluster({ server: world.server.url });
  const objects = new Objects(cluster);
  for (const name of names) expect(await objects.pair(name, name)).toBe(`Bound ${name} <-> ${name} Bound`);
  for (const phases of world.phases.values()) expect(phases.join()).toMatch(/^Pending,(Available,)?Bound$/);
  cluster.close();
});
