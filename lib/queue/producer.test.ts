import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { BadMessageError, type SyncMessage } from './message.ts';
import { enqueueThrough, type OutgoingMessage, type ProducerOptions, QueueProducer, SendError } from './producer.ts';
import type { BatchOutcome } from './send-lane.ts';
import { type FakeQueue, fakeQueue } from './test-queue.ts';
import { sleep, useTestTime } from './test-time.ts';

useTestTime();

const FAST = { lingerMs: 1, firstBackoffMs: 2, maxBackoffMs: 4 };

function producerOf({ client }: FakeQueue, more: Partial<ProducerOptions> = {}) {
  const queueUrls = { PersistentVolume: 'http://q/volumes.fifo', PersistentVolumeClaim: 'http://q/claims.fifo' };
  return new QueueProducer({ client, queueUrls, ...more, settings: { ...FAST, ...more.settings } });
}

/** A change of volume `name`, told apart by its version. */
function change(name: string, resourceVersion = '1'): OutgoingMessage {
  const message: SyncMessage = { v: 1, kind: 'PersistentVolume', name, reason: 'modified', resourceVersion };
  return { message, occasion: { form: 'change', uid: `uid-${name}`, resourceVersion } };
}

const changes = (count: number) => Array.from({ length: count }, (_, index) => change(`pv-${index}`));
const versions = (queue: FakeQueue, group: string) =>
  queue.requests
    .flat()
    .filter((entry) => entry.group === group)
    .map(({ body }) => JSON.parse(body).resourceVersion);

describe('QueueProducer', () => {
  test('sends in batches of ten, one for the rest', async () => {
    const queue = fakeQueue(async () => undefined);
    await producerOf(queue).send(changes(23));
    expect(queue.requests.map((entries) => entries.length)).toEqual([10, 10, 3]);
  });

  test('sends nothing for nothing', async () => {
    const queue = fakeQueue(async () => undefined);
    await producerOf(queue).send([]);
    expect(queue.requests).toEqual([]);
  });

  test('tells each queue’s batches by the kind of its keys', async () => {
    const kinds: string[] = [];
    const producer = producerOf(
      fakeQueue(async () => undefined),
      { onBatch: (kind) => void kinds.push(kind) },
    );
    const claim: SyncMessage = { v: 1, kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'c', reason: 'added' };
    await producer.send([change('pv'), { message: claim, occasion: { form: 'resync', epoch: '1' } }]);
    expect(kinds.sort()).toEqual(['PersistentVolume', 'PersistentVolumeClaim']);
  });

  test('lets callers of one moment share a request', async () => {
    const queue = fakeQueue(async () => undefined);
    const producer = producerOf(queue);
    await Promise.all(changes(7).map((message) => producer.send([message])));
    expect(queue.requests.map((entries) => entries.length)).toEqual([7]);
  });

  test('never has two entries of one group under way, within a batch or beside it', async () => {
    const underWay = new Set<string>();
    const queue = fakeQueue(async (entries) => {
      for (const { group } of entries) {
        expect(underWay.has(group)).toBe(false);
        underWay.add(group);
      }
      await sleep(3);
      for (const { group } of entries) underWay.delete(group);
      return undefined;
    });
    const producer = producerOf(queue);
    const messages = ['1', '2', '3', '4'].flatMap((version) =>
      changes(25).map(({ message }) => change(message.name, version)),
    );
    await Promise.all([producer.send(messages.slice(0, 60)), producer.send(messages.slice(60))]);
    for (let index = 0; index < 25; index += 1) expect(versions(queue, `pv-${index}`)).toEqual(['1', '2', '3', '4']);
  });

  test('keeps to its parallel requests', async () => {
    let running = 0;
    let most = 0;
    const queue = fakeQueue(async () => {
      most = Math.max(most, ++running);
      await sleep(3);
      running -= 1;
      return undefined;
    });
    await producerOf(queue, { settings: { concurrency: 3 } }).send(changes(100));
    expect(most).toBe(3);
  });

  test('repeats a failed entry before the later ones of its group, and holds up no other group', async () => {
    const outcomes: BatchOutcome[] = [];
    let failures = 0;
    const queue = fakeQueue(async (entries) => {
      const index = entries.findIndex(({ group }) => group === 'a');
      if (index < 0 || ++failures > 2) return undefined;
      return { failed: [{ index, code: 'InternalFailure', isSenderFault: false }] };
    });
    await producerOf(queue, {
      settings: { firstBackoffMs: 20, maxBackoffMs: 20 },
      onBatch: (_, outcome) => outcomes.push(outcome),
    }).send([change('a', '1'), change('b', '1'), change('a', '2'), change('b', '2')]);
    expect(versions(queue, 'a')).toEqual(['1', '1', '1', '2']);
    expect(queue.requests[1]?.map(({ group }) => group)).toEqual(['b']);
    expect(versions(queue, 'b')).toEqual(['1', '2']);
    expect(outcomes.reduce((sum, { sent }) => sum + sent, 0)).toBe(4);
    expect(outcomes[0]).toMatchObject({ sent: 1, retried: 1, failed: 0 });
    expect(outcomes[0]?.error?.message).toMatch(/InternalFailure/);
  });

  test('repeats a request that failed as a whole until SQS is back', async () => {
    const queue = fakeQueue(async (_, __, request) => {
      if (request < 4) throw new Error('ECONNREFUSED');
      return undefined;
    });
    await producerOf(queue).send([change('a')]);
    expect(queue.requests.length).toBe(4);
  });

  test('gives up a request without an answer and repeats it', async () => {
    const queue = fakeQueue(async (_, signal, request) => {
      if (request === 1) await sleep(10_000, signal);
      return undefined;
    });
    await producerOf(queue, { settings: { requestTimeoutMs: 20 } }).send([change('a')]);
    expect(queue.requests.length).toBe(2);
  });

  test('tells what SQS refuses for good, and sends what stands behind it', async () => {
    const queue = fakeQueue(async (entries) => {
      const index = entries.findIndex(({ body }) => body.includes('"resourceVersion":"bad"'));
      return index < 0 ? undefined : { failed: [{ index, code: 'InvalidMessageContents', isSenderFault: true }] };
    });
    const sending = producerOf(queue).send([change('a', 'bad'), change('a', '2'), change('b')]);
    await expect(sending).rejects.toThrow(SendError);
    await expect(sending).rejects.toMatchObject({
      name: 'SendError',
      message: '1 message(s) not sent, the first for PersistentVolume/a: SQS refused: InvalidMessageContents ',
      failures: [{ key: 'PersistentVolume/a' }],
      cause: new Error('SQS refused: InvalidMessageContents '),
    });
    expect(versions(queue, 'a')).toEqual(['bad', '2']);
  });

  test('repeats a sender fault that is throttling', async () => {
    const queue = fakeQueue(async (_, __, request) =>
      request === 1 ? { failed: [{ index: 0, code: 'KmsThrottled', isSenderFault: true }] } : undefined,
    );
    await producerOf(queue).send([change('a')]);
    expect(queue.requests.length).toBe(2);
  });

  test('gives up after the attempts that it is allowed', async () => {
    const queue = fakeQueue(async () => {
      throw new Error('down');
    });
    const sending = producerOf(queue).send(changes(2), { maxAttempts: 3 });
    await expect(sending).rejects.toThrow(/2 message\(s\) not sent.*down/);
    expect(queue.requests.flat().length).toBe(6);
  });

  test('repeats what failed together in one request', async () => {
    const queue = fakeQueue(async (_, __, request) => {
      if (request === 1) throw new Error('down');
      return undefined;
    });
    await producerOf(queue, { settings: { lingerMs: 20 } }).send(changes(9));
    expect(queue.requests.map((entries) => entries.length)).toEqual([9, 9]);
  });

  test('stops when aborted, leaves no request under way, and goes on for others', async () => {
    let underWay = 0;
    const queue = fakeQueue(async (entries, signal) => {
      underWay += 1;
      try {
        if (entries.some(({ group }) => group === 'slow')) await sleep(10_000, signal);
        return undefined;
      } finally {
        underWay -= 1;
      }
    });
    const producer = producerOf(queue);
    const controller = new AbortController();
    const sending = producer.send([change('slow', '1'), change('slow', '2')], { signal: controller.signal });
    await sleep(20);
    const behind = producer.send([change('other')]);
    const start = performance.now();
    controller.abort(new Error('enough'));
    await expect(sending).rejects.toThrow(/2 message\(s\) not sent.*enough/);
    expect(performance.now() - start).toBe(0);
    expect(underWay).toBe(0);
    await behind;
    await expect(producer.send([change('slow')], { signal: controller.signal })).rejects.toThrow('enough');
    expect(versions(queue, 'slow')).toEqual(['1']);
  });

  test('says that it was aborted where the reason is no error, and listens to no signal afterwards', async () => {
    const queue = fakeQueue((_, signal) => sleep(10, signal).then(() => undefined));
    const producer = producerOf(queue);
    const controller = new AbortController();
    await producer.send([change('a')], { signal: controller.signal });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    const sending = producer.send([change('b')], { signal: controller.signal });
    controller.abort('a text');
    await expect(sending).rejects.toThrow(
      '1 message(s) not sent, the first for PersistentVolume/b: sending was aborted',
    );
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  test('keeps a shared request for those who still want it', async () => {
    const queue = fakeQueue(async (_, signal) => {
      await sleep(30, signal);
      return undefined;
    });
    const producer = producerOf(queue);
    const controller = new AbortController();
    const given = producer.send([change('a')], { signal: controller.signal });
    const kept = producer.send([change('b')]);
    await sleep(10);
    controller.abort();
    await Promise.all([given, kept]);
    expect(queue.requests.length).toBe(1);
  });

  test('takes a group up again that was given up in its back-off', async () => {
    const queue = fakeQueue(async (_, __, request) => {
      if (request === 1) throw new Error('down');
      await sleep(5);
      return undefined;
    });
    const producer = producerOf(queue, { settings: { firstBackoffMs: 15, maxBackoffMs: 15 } });
    const controller = new AbortController();
    const first = producer.send([change('a', '1')], { signal: controller.signal });
    await sleep(5);
    controller.abort();
    await expect(first).rejects.toThrow(SendError);
    await Promise.all([producer.send([change('a', '2')]), sleep(30).then(() => producer.send([change('a', '3')]))]);
    expect(versions(queue, 'a')).toEqual(['1', '2', '3']);
    expect(queue.requests.map((entries) => entries.length)).toEqual([1, 1, 1]);
  });

  test('does not cut a back-off short for a later entry of the group', async () => {
    const times: number[] = [];
    const queue = fakeQueue(async (_, __, request) => {
      times.push(performance.now());
      if (request === 1) throw new Error('down');
      return undefined;
    });
    const producer = producerOf(queue, { settings: { firstBackoffMs: 80, maxBackoffMs: 80 } });
    const first = producer.send([change('a', '1')]);
    await sleep(15);
    await Promise.all([first, producer.send([change('a', '2')])]);
    expect(versions(queue, 'a')).toEqual(['1', '1', '2']);
    const waited = (times[1] ?? 0) - (times[0] ?? 0);
    expect(waited).toBeGreaterThanOrEqual(40);
    expect(waited).toBeLessThanOrEqual(80);
  });

  test('refuses a message that the worker would refuse before anything is sent', async () => {
    const queue = fakeQueue(async () => undefined);
    await expect(producerOf(queue).send([change('ok'), change('../x')])).rejects.toThrow(BadMessageError);
    await sleep(5);
    expect(queue.requests).toEqual([]);
  });
});

describe('enqueueThrough', () => {
  test('sends the key with its hint, and names the cause in the id', async () => {
    const queue = fakeQueue(async () => undefined);
    const enqueue = enqueueThrough(producerOf(queue));
    const key = { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'c', extra: 1 } as const;
    await Promise.all([
      enqueue(key, { uid: 'u', resourceVersion: '7' }, { volumeName: 'pv-1' }),
      enqueue({ kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'd' }, { uid: 'u', resourceVersion: '7' }),
    ]);
    expect(queue.requests.length).toBe(1);
    expect(JSON.parse(queue.requests[0]?.[0]?.body ?? '')).toEqual({
      v: 1,
      kind: 'PersistentVolumeClaim',
      namespace: 'ns',
      name: 'c',
      reason: 'enqueued',
      hint: { volumeName: 'pv-1' },
    });
  });

  test('leaves out a target that cannot exist', async () => {
    const queue = fakeQueue(async () => undefined);
    await enqueueThrough(producerOf(queue))(
      { kind: 'PersistentVolume', name: '../x' },
      { uid: 'u', resourceVersion: '1' },
    );
    await sleep(5);
    expect(queue.requests).toEqual([]);
  });
});
