/** Redriving on a real (local) FIFO queue: what is sent, what stays, and that a kill at any request loses nothing. */
import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BadMessageError } from '../../lib/queue/message.ts';
import { type Redriven, redrive } from '../../lib/queue/redrive.ts';
import { addressesOf } from '../queue/addresses.ts';
import { type EmbeddedQueue, startEmbeddedQueue } from '../queue/embedded.ts';
import { startEventSource } from '../queue/event-source.ts';
import { checkQueues } from './route.ts';

let queue: EmbeddedQueue;
let from: string;
let to: string;
/** Lets requests of that command fail, before the queue sees them (`lost`) or after it acted (`unanswered`). */
let fault: { command: string; when: 'lost' | 'unanswered'; text?: string } | undefined;

beforeAll(async () => {
  queue = await startEmbeddedQueue();
  queue.client.middlewareStack.add(
    (next, context) => async (args) => {
      const isHit = fault !== undefined && context['commandName'] === fault.command;
      const failure = new Error(fault?.text ?? 'the connection is gone');
      if (isHit && fault?.when === 'lost') throw failure;
      const answer = await next(args);
      if (isHit) throw failure;
      return answer;
    },
    { step: 'initialize', name: 'fault' },
  );
});
afterAll(() => queue.close());

beforeEach(async () => {
  fault = undefined;
  const create = async (name: string) => {
    const Attributes = { FifoQueue: 'true' };
    const { QueueUrl = '' } = await queue.client.send(new CreateQueueCommand({ QueueName: name, Attributes }));
    return QueueUrl;
  };
  const name = randomUUID();
  to = await create(`${name}.fifo`);
  from = await create(`${name}-dead-letters.fifo`);
});

const key = { v: 1, kind: 'PersistentVolume', uid: 'u', resourceVersion: '7', reason: 'modified' };
const bodyOf = (name: string, more: object = {}) => JSON.stringify({ ...key, name, ...more });

async function bury(body: string, group = 'a-group', reason?: string): Promise<void> {
  await queue.client.send(
    new SendMessageCommand({
      QueueUrl: from,
      MessageBody: body,
      MessageGroupId: group,
      MessageDeduplicationId: randomUUID(),
      ...(reason !== undefined && { MessageAttributes: { reason: { DataType: 'String', StringValue: reason } } }),
    }),
  );
}

async function run(apply: boolean, more: { limit?: number; signal?: AbortSignal } = {}): Promise<Redriven[]> {
  const all: Redriven[] = [];
  const options = { client: queue.client, from, to, kind: 'PersistentVolume', apply, ...more } as const;
  for await (const redriven of redrive(options)) all.push(redriven);
  return all;
}

const told = (redriven: readonly Redriven[]) =>
  redriven.map(({ letter: { content }, outcome }) => [
    content instanceof BadMessageError ? 'bad' : content.name,
    outcome.action,
  ]);

async function visibleIn(url: string): Promise<number> {
  const names = ['ApproximateNumberOfMessages' as const];
  const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: names });
  const { Attributes } = await queue.client.send(command);
  return Number(Attributes?.ApproximateNumberOfMessages);
}

/** The bodies in a queue, the fronts of its groups first; they stay hidden. */
async function bodiesIn(url: string): Promise<Record<string, unknown>[]> {
  const all: Message[] = [];
  for (;;) {
    const command = new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, VisibilityTimeout: 60 });
    const { Messages = [] } = await queue.client.send(command);
    if (Messages.length === 0) return all.map(({ Body = '' }) => JSON.parse(Body));
    all.push(...Messages);
  }
}

test('a dry run tells what it would do, sends nothing, and shows all letters to others again at once', async () => {
  await bury(bodyOf('pv-1'), 'pv-1', 'bad message: v must be 1, got 2');
  await bury(bodyOf('pv-2'), 'pv-2');
  await bury(bodyOf('pv-3', { v: 2 }), 'pv-3');

  const redriven = await run(false);

  expect(told(redriven)).toEqual([
    ['pv-1', 'would send'],
    ['pv-2', 'would send'],
    ['bad', 'stays'],
  ]);
  expect(redriven[0]?.letter).toMatchObject({ group: 'pv-1', reason: 'bad message: v must be 1, got 2' });
  expect(redriven[1]?.letter).toMatchObject({ reason: undefined, receiveCount: 1 });
  expect(redriven[2]?.outcome).toEqual({ action: 'stays', because: 'bad message: v must be 1, got 2' });
  expect(await visibleIn(from)).toBe(3);
  expect(await visibleIn(to)).toBe(0);
  expect((await run(false))[0]?.letter.receiveCount).toBe(2);
});

test('sends the keys as a redrive with all that they say, and keeps what no worker would take', async () => {
  const deleted = { claimRef: { namespace: 'default', name: 'data', uid: 'u-2' } };
  await bury(bodyOf('pv-1', { reason: 'deleted', deleted }), 'pv-1');
  await bury('no JSON', 'pv-2');

  expect(told(await run(true))).toEqual([
    ['pv-1', 'sent'],
    ['bad', 'stays'],
  ]);

  expect(await bodiesIn(to)).toEqual([{ ...key, name: 'pv-1', reason: 'redrive', deleted }]);
  expect(await visibleIn(from)).toBe(1);
});

test('a key of the other kind stays: its worker would bury it again', async () => {
  await bury(bodyOf('data', { kind: 'PersistentVolumeClaim', namespace: 'default' }));

  expect(told(await run(true))).toEqual([['bad', 'stays']]);
  expect(await visibleIn(to)).toBe(0);
});

test('goes through a group letter by letter, and does not see what is behind one that stays', async () => {
  for (const name of ['pv-1', 'pv-2']) await bury(bodyOf(name), 'one-group');
  await bury('no JSON', 'one-group');
  await bury(bodyOf('pv-3'), 'one-group');

  expect(told(await run(true))).toEqual([
    ['pv-1', 'sent'],
    ['pv-2', 'sent'],
    ['bad', 'stays'],
  ]);
  expect(await visibleIn(from)).toBe(2);
});

test('the same key gets through as often as it is redriven, also within five minutes', async () => {
  for (let times = 1; times <= 2; times += 1) {
    await bury(bodyOf('pv-1'), 'pv-1');
    expect(told(await run(true))).toEqual([['pv-1', 'sent']]);
    expect(await visibleIn(to)).toBe(times);
  }
});

test('--limit looks at so many letters and touches no other', async () => {
  for (let index = 0; index < 13; index += 1) await bury(bodyOf(`pv-${index}`), `pv-${index}`);

  expect(await run(true, { limit: 11 })).toHaveLength(11);
  expect(await visibleIn(from)).toBe(2);
  expect(await visibleIn(to)).toBe(11);
});

test('when stopped, it finishes the letters in its hands and shows the rest', async () => {
  for (let index = 0; index < 13; index += 1) await bury(bodyOf(`pv-${index}`), `pv-${index}`);
  const stopping = new AbortController();
  const options = { client: queue.client, from, to, kind: 'PersistentVolume', apply: false } as const;
  let seen = 0;
  for await (const _ of redrive({ ...options, signal: stopping.signal })) {
    seen += 1;
    stopping.abort();
  }

  expect(seen).toBe(10);
  expect(await visibleIn(from)).toBe(13);
});

describe('nothing is lost when a request fails', () => {
  beforeEach(() => bury(bodyOf('pv-1'), 'pv-1'));

  test('the send is lost: the letter stays, visible', async () => {
    fault = { command: 'SendMessageBatchCommand', when: 'lost' };
    const [redriven] = await run(true);
    expect(redriven?.outcome).toEqual({ action: 'refused', because: 'the connection is gone' });
    expect(await visibleIn(from)).toBe(1);
    expect(await visibleIn(to)).toBe(0);
  });

  test('the answer to the send is lost: the letter stays, and the next run sends it once more', async () => {
    fault = { command: 'SendMessageBatchCommand', when: 'unanswered' };
    expect(told(await run(true))).toEqual([['pv-1', 'refused']]);
    fault = undefined;
    expect(told(await run(true))).toEqual([['pv-1', 'sent']]);
    expect(await visibleIn(from)).toBe(0);
    expect(await visibleIn(to)).toBe(2);
  });

  test('the delete is lost: the key is sent, the letter stays, visible, and is told', async () => {
    fault = { command: 'DeleteMessageBatchCommand', when: 'lost' };
    const [redriven] = await run(true);
    expect(redriven?.outcome).toEqual({ action: 'undeleted', because: 'the connection is gone' });
    expect(await visibleIn(from)).toBe(1);
    expect(await visibleIn(to)).toBe(1);
  });

  test('a queue that takes nothing ends the run after ten letters', async () => {
    for (let index = 0; index < 13; index += 1) await bury(bodyOf(`pv-x-${index}`), `pv-x-${index}`);
    fault = { command: 'SendMessageBatchCommand', when: 'lost' };
    const redriven = await run(true);
    expect(redriven).toHaveLength(10);
    expect(await visibleIn(from)).toBe(14);
  });
});

describe('a refused signature is told without the request that was signed, which holds the token', () => {
  const text = 'The signature does not match.\n\nx-amz-security-token:a-session-token';
  const told = 'The signature does not match.';
  const refuse = (command: string) => {
    fault = { command: `${command}Command`, when: 'lost', text };
  };

  test.each(['SendMessageBatch', 'DeleteMessageBatch'])('%s', async (command) => {
    await bury(bodyOf('pv-1'), 'pv-1');
    refuse(command);
    const [redriven] = await run(true);
    expect(redriven?.outcome).toMatchObject({ because: told });
  });

  test('ReceiveMessage', async () => {
    refuse('ReceiveMessage');
    const error = await run(true).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ message: `no dead letters received: ${told}` });
    expect(inspect(error)).not.toContain('a-session-token');
  });

  test('GetQueueAttributes, of the two queues before a redrive', async () => {
    refuse('GetQueueAttributes');
    const error = await checkQueues(queue.client, { from, to }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect((error as Error).message).toMatch(/^--(from|to) \S+ cannot be read: The signature does not match\.$/);
    expect(inspect(error)).not.toContain('a-session-token');
  });

  test('GetQueueAttributes, of queues that are given by URL', async () => {
    refuse('GetQueueAttributes');
    const given = { url: to, deadLetterUrl: from };
    const found = addressesOf(queue.client, { PersistentVolume: given, PersistentVolumeClaim: given });
    const error = await found.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect((error as Error).message).toMatch(/^queue \S+ cannot be read: The signature does not match\.$/);
    expect(inspect(error)).not.toContain('a-session-token');
  });

  test('ReceiveMessage, by a poller', async () => {
    refuse('ReceiveMessage');
    const seen = Promise.withResolvers<unknown>();
    const source = startEventSource({
      client: queue.client,
      queueUrl: to,
      queueArn: 'arn:aws:sqs:us-east-1:000000000000:keys.fifo',
      handler: async () => null,
      onError: seen.resolve,
    });
    const error = await seen.promise;
    await source.stop();
    expect((error as Error).message).toBe(`the queue: ${told}`);
    expect(inspect(error)).not.toContain('a-session-token');
  });
});
