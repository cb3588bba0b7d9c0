/** Every form of deduplication id within five minutes of its first use, on an SQS that remembers them (DESIGN D2). */
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SyncKey } from '../../lib/controller/types.ts';
import { DELETED, type Occasion } from '../../lib/queue/ids.ts';
import { keyOf, parseMessage, type SyncMessage } from '../../lib/queue/message.ts';
import { enqueueThrough, type OutgoingMessage, QueueProducer } from '../../lib/queue/producer.ts';
import {
  createQueues,
  type EmbeddedQueue,
  type QueueAddress,
  type QueueAddresses,
  startEmbeddedQueue,
} from './embedded.ts';
import { type EventSource, type LocalHandler, startEventSource } from './event-source.ts';

let sqs: EmbeddedQueue;
let queues: QueueAddresses;
let sources: EventSource[];
const handled: string[] = [];
/** Two bridges, or a bridge and a worker. */
let one: QueueProducer;
let two: QueueProducer;

beforeAll(async () => {
  sqs = await startEmbeddedQueue();
  const { client } = sqs;
  queues = await createQueues(client, { visibilityTimeoutSeconds: 30 });
  const { PersistentVolume, PersistentVolumeClaim } = queues;
  const queueUrls = { PersistentVolume: PersistentVolume.url, PersistentVolumeClaim: PersistentVolumeClaim.url };
  one = new QueueProducer({ client, queueUrls });
  two = new QueueProducer({ client, queueUrls });
  const handler: LocalHandler = async ({ Records }) =>
    void handled.push(...Records.map(({ body }) => keyOf(parseMessage(body))));
  sources = Object.values(queues).map(({ url, arn }) =>
    startEventSource({ client, queueUrl: url, queueArn: arn, handler }),
  );
});
afterAll(async () => {
  await Promise.all(sources.map((source) => source.stop()));
  await sqs.close();
});

/** New for each test, since the queues remember what the earlier ones sent. */
let volume: SyncKey;
let claim: SyncKey;
let PV: string;
let PVC: string;
let tests = 0;

beforeEach(() => {
  tests += 1;
  volume = { kind: 'PersistentVolume', name: `pv-${tests}` };
  claim = { kind: 'PersistentVolumeClaim', namespace: 'ns', name: `c-${tests}` };
  [PV, PVC] = [keyOf(volume), keyOf(claim)];
  handled.length = 0;
});

const uid = (name: string) => `${name}-${tests}`;

function outgoing(key: SyncKey, occasion: Occasion, reason: SyncMessage['reason'] = 'modified'): OutgoingMessage {
  return { message: { v: 1, ...key, reason }, occasion };
}
const change = (key: SyncKey, uid: string, resourceVersion: string) =>
  outgoing(key, { form: 'change', uid, resourceVersion });

/** Waits until everything was handled and deleted, and tells the keys of all messages so far. */
async function look(): Promise<string[]> {
  const isEmpty = async ({ url }: QueueAddress) => {
    const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] });
    const { Attributes = {} } = await sqs.client.send(command);
    expect(Attributes).toMatchObject({
      ApproximateNumberOfMessages: '0',
      ApproximateNumberOfMessagesNotVisible: '0',
    });
  };
  await vi.waitFor(() => Promise.all(Object.values(queues).map(isEmpty)), 5_000);
  return [...handled];
}

describe('deduplication within five minutes', () => {
  test('two bridges at once send nothing twice', async () => {
    const both = (message: OutgoingMessage) => Promise.all([one.send([message]), two.send([message])]);
    await both(change(volume, uid('v'), '1'));
    await both(change(volume, uid('v'), '2'));
    await both(outgoing(volume, { form: 'enqueue', cause: { uid: uid('c'), resourceVersion: '1' } }, 'enqueued'));
    await both(outgoing(volume, { form: 'resync', epoch: 12 }, 'resync'));
    await both(outgoing(volume, { form: 'relist', uid: uid('v'), resourceVersion: '2', listVersion: '9' }));
    await both(outgoing(volume, { form: 'deleted', uid: uid('v') }, 'deleted'));
    expect(await look()).toEqual(Array(6).fill(PV));
  });

  test('a change that was handled and deleted is not sent again by the slower bridge', async () => {
    await one.send([change(claim, uid('c'), '1')]);
    await look();
    await two.send([change(claim, uid('c'), '1')]);
    expect(await look()).toEqual([PVC]);
  });

  test('a claim looked at a moment ago is woken when its volume appears', async () => {
    await one.send([change(claim, uid('c'), '1')]);
    expect(await look()).toEqual([PVC]);
    await one.send([outgoing(claim, { form: 'enqueue', cause: { uid: uid('v'), resourceVersion: '1' } }, 'enqueued')]);
    expect(await look()).toEqual([PVC, PVC]);
    // The worker's enqueue for the same state of the volume is the same wake; its next state is another.
    const enqueue = enqueueThrough(two);
    await enqueue(claim, { uid: uid('v'), resourceVersion: '1' }, { volumeName: 'pv' });
    await enqueue(claim, { uid: uid('v'), resourceVersion: '2' }, { volumeName: 'pv' });
    expect(await look()).toEqual([PVC, PVC, PVC]);
  });

  test('a relist reaches a volume whose version was handled already, also a second one', async () => {
    const relist = (listVersion: string) =>
      outgoing(volume, { form: 'relist', uid: uid('v'), resourceVersion: '1', listVersion });
    await one.send([change(volume, uid('v'), '1')]);
    expect(await look()).toEqual([PV]);
    await one.send([relist('10')]);
    expect(await look()).toEqual([PV, PV]);
    await one.send([relist('11')]);
    expect(await look()).toEqual([PV, PV, PV]);
  });

  test('a sweep reaches it once per epoch', async () => {
    await one.send([change(volume, uid('v'), '1'), outgoing(volume, { form: 'resync', epoch: 1 })]);
    await two.send([outgoing(volume, { form: 'resync', epoch: 1 })]);
    await two.send([outgoing(volume, { form: 'resync', epoch: 2 })]);
    expect(await look()).toEqual([PV, PV, PV]);
  });

  test('a redrive reaches it each time', async () => {
    await one.send([change(volume, uid('v'), '1'), outgoing(volume, { form: 'redrive', nonce: 'a' }, 'redrive')]);
    await one.send([outgoing(volume, { form: 'redrive', nonce: 'b' }, 'redrive')]);
    expect(await look()).toEqual([PV, PV, PV]);
  });

  test('a deleted claim reaches its volume, which the claim enqueued a moment ago', async () => {
    await enqueueThrough(one)(volume, { uid: uid('c'), resourceVersion: '1' });
    await one.send([change(claim, uid('c'), '1'), outgoing(claim, { form: 'deleted', uid: uid('c') }, 'deleted')]);
    await enqueueThrough(one)(volume, { uid: uid('c'), resourceVersion: DELETED });
    expect((await look()).sort()).toEqual([PV, PV, PVC, PVC]);
  });

  test('an object created again under its name is another one', async () => {
    await one.send([change(volume, uid('v'), '1'), outgoing(volume, { form: 'deleted', uid: uid('v') }, 'deleted')]);
    await one.send([change(volume, uid('w'), '5'), outgoing(volume, { form: 'deleted', uid: uid('w') }, 'deleted')]);
    expect(await look()).toEqual([PV, PV, PV, PV]);
  });
});
