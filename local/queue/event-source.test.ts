import { setTimeout as sleep } from 'node:timers/promises';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseMessage } from '../../lib/queue/message.ts';
import { QueueProducer } from '../../lib/queue/producer.ts';
import { createBatchHandler, type WorkerOptions } from '../../lib/queue/worker.ts';
import { createQueues, type EmbeddedQueue, type QueueAddresses, startEmbeddedQueue } from './embedded.ts';
import { type EventSourceOptions, type LocalHandler, startEventSource } from './event-source.ts';

let sqs: EmbeddedQueue;
let queues: QueueAddresses;
let tests = 0;

beforeAll(async () => {
  sqs = await startEmbeddedQueue();
});
afterAll(async () => {
  await sqs.close();
});
beforeEach(async () => {
  queues = await createQueues(sqs.client, { visibilityTimeoutSeconds: 30, prefix: `t${tests++}-` });
});

async function send(...messages: [name: string, resourceVersion: string][]) {
  const queueUrls = {
    PersistentVolume: queues.PersistentVolume.url,
    PersistentVolumeClaim: queues.PersistentVolumeClaim.url,
  };
  await new QueueProducer({ client: sqs.client, queueUrls }).send(
    messages.map(([name, resourceVersion]) => ({
      message: { v: 1, kind: 'PersistentVolume', name, reason: 'modified', resourceVersion },
      occasion: { form: 'change', uid: `uid-${name}`, resourceVersion },
    })),
  );
}

function start(handler: LocalHandler, more: Partial<EventSourceOptions> = {}) {
  const { url, arn } = queues.PersistentVolume;
  return startEventSource({ client: sqs.client, queueUrl: url, queueArn: arn, handler, ...more });
}

function worker(handle: WorkerOptions['handle'], more: Partial<WorkerOptions> = {}) {
  const { url, deadLetterUrl } = queues.PersistentVolume;
  const retry = { firstSeconds: 1, maxSeconds: 1 };
  return createBatchHandler({
    client: sqs.client,
    queueUrl: url,
    deadLetterQueueUrl: deadLetterUrl,
    parse: (body) => parseMessage(body, 'PersistentVolume'),
    handle,
    retry: { sync: retry, operation: retry, outOfTimeSeconds: 0 },
    ...more,
  });
}

async function left(queueUrl: string): Promise<[visible: string | undefined, inFlight: string | undefined]> {
  const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const answer = await sqs.client.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: [...AttributeNames] }),
  );
  return [answer.Attributes?.[AttributeNames[0]], answer.Attributes?.[AttributeNames[1]]];
}

describe('startEventSource', () => {
  test('hands over records of Lambda’s shape and deletes what was done', async () => {
    const events: SQSEvent[] = [];
    const source = start(async (event, context) => {
      expect(context.getRemainingTimeInMillis()).toBeGreaterThan(29_000);
      events.push(event);
    });
    await send(['x'.repeat(253), '1']);
    await vi.waitFor(() => expect(source.stats.deleted).toBe(1));
    await source.stop();
    const [record] = events[0]?.Records ?? [];
    expect(JSON.parse(record?.body ?? '')).toMatchObject({ name: 'x'.repeat(253) });
    expect(record).toMatchObject({
      messageId: expect.stringMatching(/.+/),
      receiptHandle: expect.stringMatching(/.+/),
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: expect.stringMatching(/^\d{13}$/),
        MessageGroupId: expect.stringMatching(/^[0-9a-f]{64}$/),
        MessageDeduplicationId: expect.stringMatching(/^[0-9a-f]{64}$/),
        SequenceNumber: expect.stringMatching(/^\d+$/),
      },
      md5OfBody: expect.stringMatching(/^[0-9a-f]{32}$/),
      eventSource: 'aws:sqs',
      eventSourceARN: queues.PersistentVolume.arn,
      awsRegion: 'us-east-1',
    });
    expect(source.stats).toEqual({ invocations: 1, failedInvocations: 0, received: 1, deleted: 1, failed: 0 });
    expect(await left(queues.PersistentVolume.url)).toEqual(['0', '0']);
  });

  test('keeps the order of a key, one call at a time, while keys run beside each other', async () => {
    const seen = new Map<string, string[]>();
    const running = new Set<string>();
    const handle = worker(async ({ name }, messages) => {
      expect(running.has(name)).toBe(false);
      running.add(name);
      await sleep(3);
      running.delete(name);
      seen.set(name, [...(seen.get(name) ?? []), ...messages.map((message) => message.resourceVersion ?? '')]);
    });
    const source = start(handle, { maximumConcurrency: 4 });
    const names = ['a', 'b', 'c', 'd', 'e'];
    const versions = ['1', '2', '3', '4', '5', '6'];
    await send(...versions.flatMap((version) => names.map((name): [string, string] => [name, version])));
    await vi.waitFor(() => expect(source.stats.deleted).toBe(30), 5_000);
    await source.stop();
    for (const name of names) expect(seen.get(name)).toEqual(versions);
  });

  test('brings a failed key back after its visibility, before the later messages of the key', async () => {
    const seen: string[] = [];
    const begin = performance.now();
    const source = start(
      worker(async (_, [message], { receiveCount }) => {
        seen.push(`${message?.resourceVersion} ${receiveCount}`);
        if (seen.length === 1) throw new Error('409');
      }),
    );
    await send(['a', '1'], ['a', '2']);
    await vi.waitFor(() => expect(source.stats.deleted).toBe(2), 5_000);
    expect(performance.now() - begin).toBeGreaterThan(900);
    await source.stop();
    expect(seen).toEqual(['1 1', '1 2', '2 1']);
    expect(source.stats).toMatchObject({ failed: 1, failedInvocations: 0 });
  });

  test('leaves the whole batch of a handler that throws, times out or answers nonsense', async () => {
    const errors: unknown[] = [];
    const answers: LocalHandler[] = [
      async () => Promise.reject(new Error('boom')),
      () => new Promise(() => {}),
      async () => ({ batchItemFailures: [{ itemIdentifier: 'unknown' }] }),
    ];
    const source = start(async (event, context) => answers[source.stats.invocations - 1]?.(event, context), {
      timeoutMs: 50,
      maximumConcurrency: 1,
      onError: (error) => errors.push(String(error)),
    });
    for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) {
      await send([name, '1']);
      await vi.waitFor(() => expect(source.stats.deleted + source.stats.failed).toBe(index + 1));
    }
    await source.stop();
    expect(source.stats).toEqual({ invocations: 4, failedInvocations: 3, received: 4, deleted: 1, failed: 3 });
    expect(errors).toEqual([
      'Error: boom',
      'Error: Task timed out after 0.05 seconds',
      'Error: the response names no message of the batch: "unknown"',
    ]);
    expect(await left(queues.PersistentVolume.url)).toEqual(['0', '3']);
  });

  test('finishes what is under way when it is stopped', async () => {
    let isDone = false;
    const source = start(async () => {
      await sleep(100);
      isDone = true;
    });
    await send(['a', '1']);
    await vi.waitFor(() => expect(source.stats.invocations).toBe(1));
    await source.stop();
    expect(isDone).toBe(true);
    expect(await left(queues.PersistentVolume.url)).toEqual(['0', '0']);
    await send(['b', '1']);
    await sleep(30);
    expect(source.stats.invocations).toBe(1);
  });

  test('goes on after the queue was away', async () => {
    const errors: unknown[] = [];
    const source = start(async () => {}, {
      queueUrl: 'http://127.0.0.1/000000000000/none.fifo',
      onError: (error) => errors.push(error),
    });
    await vi.waitFor(() => expect(errors.length).toBeGreaterThan(1));
    await source.stop();
  });

  test('a poisoned key goes on, and the poison stands in the dead-letter queue', async () => {
    const { url, deadLetterUrl } = queues.PersistentVolume;
    await sqs.client.send(
      new SendMessageCommand({
        QueueUrl: url,
        MessageBody: '{"v":1,"kind":"PersistentVolume","name":"../x"}',
        MessageGroupId: 'a',
        MessageDeduplicationId: 'p',
      }),
    );
    await send(['a', '1']);
    const synced: string[] = [];
    const source = start(worker(async ({ name }) => void synced.push(name)));
    await vi.waitFor(() => expect(source.stats.deleted).toBe(2));
    await source.stop();
    expect(synced).toEqual(['a']);
    const { Messages } = await sqs.client.send(
      new ReceiveMessageCommand({ QueueUrl: deadLetterUrl, MessageAttributeNames: ['All'] }),
    );
    expect(Messages?.[0]).toMatchObject({
      Body: '{"v":1,"kind":"PersistentVolume","name":"../x"}',
      MessageAttributes: {
        reason: { StringValue: expect.stringContaining('"../x"') },
        originalGroup: { StringValue: 'a' },
      },
    });
  });
});

describe('createQueues', () => {
  test('keeps the queues and their messages when it is called again, with the new settings', async () => {
    await send(['a', '1']);
    const again = await createQueues(sqs.client, {
      visibilityTimeoutSeconds: 7,
      maxReceiveCount: 3,
      prefix: `t${tests - 1}-`,
    });
    expect(again).toEqual(queues);
    expect(await left(again.PersistentVolume.url)).toEqual(['1', '0']);
    const { Attributes } = await sqs.client.send(
      new GetQueueAttributesCommand({ QueueUrl: again.PersistentVolume.url, AttributeNames: ['All'] }),
    );
    expect(Attributes).toMatchObject({ VisibilityTimeout: '7', FifoQueue: 'true' });
    expect(JSON.parse(Attributes?.['RedrivePolicy'] ?? '')).toMatchObject({ maxReceiveCount: 3 });
  });
});
