/** Bridges watch a cluster beside each other without a leader: equal ids, and the queue keeps one of each (DESIGN D2). */
import { SQSClient } from '@aws-sdk/client-sqs';
import { expect, onTestFinished, test } from 'vitest';
import { ApiServerCluster } from '../../lib/cluster/api-server.ts';
import { createBridge } from '../../lib/worker/create-bridge.ts';
import { Runtime } from '../../lib/worker/runtime.ts';
import { startApiServer } from '../../local/api-server/server.ts';
import { createQueues, startEmbeddedQueue } from '../../local/queue/embedded.ts';
import { Objects } from './objects.ts';
import { recordSends, type SentEntry } from './queue-tools.ts';
import { configWith, startWorld, type World } from './world.ts';

const PAIRS = 12;

interface OtherBridge {
  /** All that it sent, duplicates too. */
  readonly sent: readonly SentEntry[];
  readonly bridge: Awaited<ReturnType<typeof createBridge>>;
  stop(): Promise<void>;
}

/** One more bridge, as another Lambda or container: it shares the queues and nothing else. */
async function startBridge(
  server: string,
  endpoint: string,
  queues: ConstructorParameters<typeof Runtime>[0]['queues'],
): Promise<OtherBridge> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const sqs = new SQSClient({ endpoint, region: 'us-east-1', credentials });
  const sent = recordSends(sqs);
  const runtime = new Runtime({ connection: { server }, config: configWith(), sqs, queues });
  const bridge = await createBridge(runtime);
  const stopping = new AbortController();
  const running = bridge.run(stopping.signal);
  await bridge.idle();
  const stop = async () => {
    stopping.abort();
    await running;
    runtime.close();
    sqs.destroy();
  };
  return { sent, bridge, stop };
}

const idsOf = (sent: readonly SentEntry[]) => [...new Set(sent.map(({ id }) => id))].sort();

test('two bridges that see the same states send the very same ids, whenever they started', async () => {
  const server = await startApiServer();
  const queue = await startEmbeddedQueue();
  const addresses = await createQueues(queue.client, { visibilityTimeoutSeconds: 180 });
  const cluster = new ApiServerCluster({ server: server.url });
  const objects = new Objects(cluster);
  // Nobody works here: what the bridges hold is what the test does.
  await objects.createVolume('before');
  await objects.createClaim('before', { storageClassName: 'before' });
  const bridges = [
    await startBridge(server.url, queue.endpoint, addresses),
    await startBridge(server.url, queue.endpoint, addresses),
  ];
  onTestFinished(async () => {
    await Promise.all(bridges.map(({ stop }) => stop()));
    cluster.close();
    await queue.close();
    await server.stop();
  });
  const idle = () => Promise.all(bridges.map(({ bridge }) => bridge.idle()));
  for (let index = 0; index < PAIRS; index++) {
    const name = `pair-${index}`;
    const volume = await objects.createVolume(name, { storageClassName: name });
    await objects.createClaim(name, { storageClassName: name });
    await cluster.updateStatus('PersistentVolume', { ...volume, status: { phase: 'Available' } });
    if (index % 3 === 0) await objects.deleteClaim(name);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await idle();
  }

  const [one, other] = bridges.map(({ sent }) => idsOf(sent));
  expect(one?.length).toBeGreaterThan(PAIRS);
  expect(other).toEqual(one);
});

/** Binds and releases many claims, and counts the messages that the workers got. */
async function workload({ system, objects, phases }: World): Promise<number> {
  const received = () =>
    system.sources.PersistentVolume.stats.received + system.sources.PersistentVolumeClaim.stats.received;
  const before = received();
  const names = Array.from({ length: PAIRS }, (_, index) => `pair-${index}`);
  for (const name of names) {
    await objects.createVolume(name, { storageClassName: name });
    await objects.createClaim(name, { storageClassName: name });
  }
  await system.settled();
  for (const name of names) await objects.deleteClaim(name);
  await system.settled();
  for (const name of names) expect(phases.get(name)?.at(-1)).toBe('Released');
  return received() - before;
}

test('with a second bridge the workers get no more messages, and nothing is worked on twice', async () => {
  const [alone, together] = [await startWorld(), await startWorld()];
  const { endpoint } = together.system.queue.client.config;
  const at = await endpoint?.();
  const sentBy = recordSends(together.system.queue.client);
  const second = await startBridge(
    together.server.url,
    `http://${at?.hostname}:${at?.port}`,
    together.system.queue.addresses,
  );
  onTestFinished(async () => {
    await second.stop();
    await Promise.all([alone.stop(), together.stop()]);
  });
  const expected = await workload(alone);
  const received = await workload(together);

  const ids = idsOf([...sentBy, ...second.sent]);
  expect(second.sent.length).toBeGreaterThan(PAIRS);
  expect(received).toBe(ids.length);
  // How many states a bridge happens to see differs from run to run; without deduplication it would be twice as many.
  expect(received).toBeLessThanOrEqual(expected * 1.6);
});
