/** The client-side limit at the end of an invocation: keys that get no turn come back, and the invocation ends in time. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiServerCluster } from '../../lib/cluster/api-server.ts';
import { readConfig } from '../../lib/config.ts';
import { QueueProducer } from '../../lib/queue/producer.ts';
import { type LocalApiServer, startApiServer } from '../../local/api-server/server.ts';
import { createQueues, type EmbeddedQueue, startEmbeddedQueue } from '../../local/queue/embedded.ts';
import { keysOf, type Outage, prepare } from './cluster.ts';
import { startEnvironments } from './environments.ts';
import { depthOf, untilEmpty } from './queue-depth.ts';
import { peak } from './rates.ts';

const OUTAGE: Outage = { settledPairs: 5, deletedClaims: 3, freeVolumes: 15, newPairs: 6 };
const LIMIT = 10;
/** Leaves a second for work, in which no batch of ten keys gets all of its calls under that limit. */
const TIMEOUT_MS = 3_000;

/** A call that waits for its turn, one that is under way, and a key that waits for the list of volumes for all keys. */
const OUT_OF_TIME = ['ThrottledError', 'AmbiguousError', 'the invocation is about to run out of time'];

let server: LocalApiServer;
let queue: EmbeddedQueue;

beforeEach(async () => {
  server = await startApiServer();
  queue = await startEmbeddedQueue();
});
afterEach(async () => {
  await queue.close();
  await server.stop();
});

test('keys that get no turn in time come back, none fails or is lost, and no invocation is cut off', async () => {
  const cluster = new ApiServerCluster({ server: server.url });
  const addresses = await createQueues(queue.client, { visibilityTimeoutSeconds: 60 });
  const { PersistentVolume, PersistentVolumeClaim } = addresses;
  const queueUrls = { PersistentVolume: PersistentVolume.url, PersistentVolumeClaim: PersistentVolumeClaim.url };
  const keys = await prepare(cluster, OUTAGE);
  cluster.close();
  await new QueueProducer({ client: queue.client, queueUrls }).send(keys);

  const { seen, stop } = startEnvironments({
    connection: () => ({ server: server.url }),
    client: queue.client,
    addresses,
    config: readConfig({
      PV_MODE: 'enforce',
      PV_API_CALLS_PER_SECOND: String(LIMIT),
      PV_RETRY_FIRST_SECONDS: '0',
    }),
    perQueue: 1,
    timeoutMs: TIMEOUT_MS,
  });
  await untilEmpty(queue.client, Object.values(queueUrls));
  await stop();

  expect(keys).toHaveLength(keysOf(OUTAGE));
  expect([...seen.failed.keys()].filter((kind) => !OUT_OF_TIME.includes(kind))).toEqual([]);
  expect((seen.failed.get('ThrottledError') ?? 0) + seen.handedBack()).toBeGreaterThan(0);
  expect(seen.errors).toEqual([]);
  for (const { deadLetterUrl } of Object.values(addresses)) expect(await depthOf(queue.client, deadLetterUrl)).toBe(0);
  for (const calls of seen.calls) expect(peak(calls, 1_000)).toBeLessThanOrEqual(2 * LIMIT + 2);
  const phases = server.store.list('persistentvolumes').map((volume) => (volume['status'] as { phase?: string }).phase);
  expect(phases.toSorted()).toEqual([
    ...Array.from({ length: 15 }, () => 'Available'),
    ...Array.from({ length: 11 }, () => 'Bound'),
    ...Array.from({ length: 3 }, () => 'Released'),
  ]);
}, 60_000);
