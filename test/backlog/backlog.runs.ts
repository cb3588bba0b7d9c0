/**
 * `npm run test:backlog`: 10,000 keys have gathered in the queues while the workers were away for a day. They come back,
 * and the queues empty: without a key lost, and without more calls than the limits allow (docs/queue-hygiene.md).
 * With `BACKLOG_ON=control-plane` on a real API server, where somebody else works meanwhile; `BACKLOG_KEYS=N` and
 * `BACKLOG_LIMIT=N` play other numbers, and `BACKLOG_FLOW_CONTROL=shared` goes without a priority level of our own.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callsPerEnvironment } from '../../lib/cluster/rate-limit-budget.ts';
import { readConfig } from '../../lib/config.ts';
import { keyOf } from '../../lib/queue/message.ts';
import { type OutgoingMessage, QueueProducer } from '../../lib/queue/producer.ts';
import {
  createQueues,
  type EmbeddedQueue,
  type QueueAddresses,
  startEmbeddedQueue,
} from '../../local/queue/embedded.ts';
import { recordFigures } from '../../scripts/cost/measured.ts';
import { machine } from '../bench-cold/options.ts';
import { keysOf, outageOf, prepare } from './cluster.ts';
import { type Seen, startEnvironments } from './environments.ts';
import { describeOthers, type WhatOthersSaw, watchOthers } from './others.ts';
import { type Place, startPlace } from './place.ts';
import { depthOf, untilEmpty } from './queue-depth.ts';
import { peak } from './rates.ts';

const KEYS = Number(process.env['BACKLOG_KEYS'] ?? 10_000);
const OUTAGE = outageOf(KEYS);
/** Environments of each of the two queues. */
const PER_QUEUE = 4;
const ENVIRONMENTS = 2 * PER_QUEUE;
/** As a stage of the default concurrency has it. */
const LIMIT = Number(process.env['BACKLOG_LIMIT'] ?? callsPerEnvironment(10));
const TIMEOUT_MS = 30_000;
const MACHINE = machine();
/** A busy machine puts calls off, and then they come together. */
const SLACK = 1.1;

let place: Place;
let queue: EmbeddedQueue;
let addresses: QueueAddresses;
let keys: OutgoingMessage[];
let seen: Seen;
let elapsedMs: number;
let others: WhatOthersSaw | undefined;

beforeAll(async () => {
  place = await startPlace();
  queue = await startEmbeddedQueue();
  addresses = await createQueues(queue.client, { visibilityTimeoutSeconds: 180 });
  const { PersistentVolume, PersistentVolumeClaim } = addresses;
  const queueUrls = { PersistentVolume: PersistentVolume.url, PersistentVolumeClaim: PersistentVolumeClaim.url };
  let started = performance.now();
  const say = (text: string) => {
    console.log(`${text} (${((performance.now() - started) / 1_000).toFixed(1)} s)`);
    started = performance.now();
  };
  keys = await prepare(place.cluster, OUTAGE);
  say(`prepared ${place.name}`);
  await new QueueProducer({ client: queue.client, queueUrls }).send(keys);
  say(`queued ${keys.length} keys`);
  const watched = place.others && (await watchOthers(place.others));
  const began = performance.now();
  const workers = startEnvironments({
    connection: place.connection,
    client: queue.client,
    addresses,
    config: readConfig({ PV_MODE: 'enforce', PV_API_CALLS_PER_SECOND: String(LIMIT) }),
    perQueue: PER_QUEUE,
    timeoutMs: TIMEOUT_MS,
  });
  await untilEmpty(queue.client, Object.values(queueUrls));
  elapsedMs = performance.now() - began;
  say('drained');
  await workers.stop();
  seen = workers.seen;
  report();
  others = await watched?.(elapsedMs);
}, 900_000);

afterAll(async () => {
  await queue?.close();
  await place?.stop();
}, 60_000);

const perInvocation = () => seen.received() / seen.invocations();

/** The figures of docs/queue-hygiene.md; one of them for docs/cost.md too, with `BACKLOG_RECORD=1`. */
function report(): void {
  const all = seen.calls.flat();
  const perSecond = (count: number, ms: number) => ((count / ms) * 1_000).toFixed(0);
  console.log(
    [
      `limit ${LIMIT} × ${ENVIRONMENTS} environments = ${LIMIT * ENVIRONMENTS} calls/s`,
      `${all.length} calls in ${(elapsedMs / 1_000).toFixed(1)} s: ${perSecond(all.length, elapsedMs)}/s`,
      `at most ${peak(all, 1_000)} in one second, ${peak(all, 10_000)} in ten`,
      `keys synced: ${seen.done.size}, syncs: ${[...seen.done.values()].reduce((sum, count) => sum + count, 0)}`,
      `invocations: ${seen.invocations()}, of ${perInvocation().toFixed(1)} messages each`,
      `came back: ${JSON.stringify(Object.fromEntries(seen.failed))}, handed back: ${seen.handedBack()}`,
    ].join('\n'),
  );
  if (process.env['BACKLOG_RECORD'] !== '1') return;
  const where = process.env['BACKLOG_ON'] ?? 'local';
  const backlogPerInvocation = {
    value: Number(perInvocation().toFixed(1)),
    unit: 'messages per invocation',
    what: `${KEYS} keys at once, ${PER_QUEUE} environments per queue`,
    command: `BACKLOG_RECORD=1 BACKLOG_ON=${where} BACKLOG_KEYS=${KEYS} npm run test:backlog`,
  };
  recordFigures({ backlogPerInvocation }, MACHINE);
}

describe('calls per second', () => {
  const allowed = (environments: number, seconds: number) => environments * LIMIT * (seconds + 1) * SLACK;

  test.each([1, 10])('all environments together keep to limit × environments, over any %i s', (seconds) => {
    expect(peak(seen.calls.flat(), seconds * 1_000)).toBeLessThanOrEqual(allowed(ENVIRONMENTS, seconds));
  });

  test.each([1, 10])('each environment keeps to its limit, over any %i s', (seconds) => {
    for (const calls of seen.calls) expect(peak(calls, seconds * 1_000)).toBeLessThanOrEqual(allowed(1, seconds));
  });

  test.skipIf(LIMIT > callsPerEnvironment(10))('they went to the limit: otherwise this shows nothing', () => {
    // A short run has not so many calls.
    const share = seen.calls.flat().length / ENVIRONMENTS;
    for (const calls of seen.calls) expect(peak(calls, 10_000)).toBeGreaterThan(Math.min(5 * LIMIT, share / 2));
  });
});

// The local API server has no priorities, and nobody else.
if (process.env['BACKLOG_ON'] === 'control-plane') {
  describeOthers(
    () => others as WhatOthersSaw,
    () => seen.calls.flat().length,
  );
}

describe('nothing is lost', () => {
  test('the backlog is as large as it claims', () => {
    expect(keys).toHaveLength(KEYS);
    expect(keysOf(OUTAGE)).toBe(KEYS);
    expect(new Set(keys.map(({ message }) => keyOf(message))).size).toBe(KEYS);
  });

  test('every key was synced', () => {
    const missing = keys.map(({ message }) => keyOf(message)).filter((key) => !seen.done.has(key));
    expect(missing).toEqual([]);
  });

  test('no message is left, and none is a dead letter', async () => {
    for (const { url, deadLetterUrl } of Object.values(addresses)) {
      expect(await depthOf(queue.client, url)).toBe(0);
      expect(await depthOf(queue.client, deadLetterUrl)).toBe(0);
    }
  });

  test('waiting for a turn is no failure: what did not get one came back', () => {
    const harmless = ['ThrottledError', 'ConflictError'];
    expect([...seen.failed.keys()].filter((name) => !harmless.includes(name))).toEqual([]);
    expect(seen.errors).toEqual([]);
  });

  test('the cluster is as if the workers had never been away', async () => {
    const volumes = await place.cluster.list('PersistentVolume');
    const claims = await place.cluster.list('PersistentVolumeClaim');
    const phases = Object.groupBy(volumes, ({ status }) => status?.phase ?? 'none');
    expect(Object.fromEntries(Object.entries(phases).map(([phase, of]) => [phase, of?.length]))).toEqual({
      Bound: OUTAGE.settledPairs + OUTAGE.newPairs,
      Released: OUTAGE.deletedClaims,
      Available: OUTAGE.freeVolumes,
    });
    const volumeOf = new Map(volumes.map((volume) => [volume.metadata.name, volume]));
    const unbound = claims.filter(({ metadata, spec, status }) => {
      const uid = volumeOf.get(spec?.volumeName ?? '')?.spec.claimRef?.uid;
      return status?.phase !== 'Bound' || uid !== metadata.uid;
    });
    expect(claims).toHaveLength(OUTAGE.settledPairs + OUTAGE.newPairs);
    expect(unbound.map(({ metadata }) => metadata.name)).toEqual([]);
  });
});
