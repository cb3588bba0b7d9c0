import { ChangeMessageVisibilityBatchCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { describe, expect, test, vi } from 'vitest';
import { OperationError, ThrottledError } from '../controller/errors.ts';
import { keyOf, parseMessage, type SyncMessage } from './message.ts';
import { sleep, useTestTime } from './test-time.ts';
import { createBatchHandler, Postponement, type WorkerOptions } from './worker.ts';

useTestTime();

const volume = (name: string, more: Partial<SyncMessage> = {}): SyncMessage => ({
  v: 1,
  kind: 'PersistentVolume',
  name,
  reason: 'modified',
  ...more,
});

type RecordSpec = {
  body: SyncMessage | string;
  group?: string;
  receiveCount?: number;
  firstReceivedAt?: number;
  sentAt?: number;
};

function eventOf(specs: readonly RecordSpec[]): SQSEvent {
  const toRecord = (
    { body, group, receiveCount = 1, firstReceivedAt = 0, sentAt = 0 }: RecordSpec,
    index: number,
  ): SQSRecord => ({
    messageId: `m${index}`,
    receiptHandle: `h${index}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: {
      ApproximateReceiveCount: String(receiveCount),
      SentTimestamp: String(sentAt),
      SenderId: 's',
      ApproximateFirstReceiveTimestamp: String(firstReceivedAt),
      ...(group !== undefined && { MessageGroupId: group }),
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:volumes.fifo',
    awsRegion: 'us-east-1',
  });
  return { Records: specs.map(toRecord) };
}

/** Runs one event; what the worker asked of SQS and told its hooks comes back with the response. */
async function run(
  specs: readonly RecordSpec[],
  handle: WorkerOptions['handle'],
  more: Partial<WorkerOptions> & { isDlqAway?: boolean; isStuck?: boolean; timeMs?: number } = {},
) {
  const dead: SendMessageCommand['input'][] = [];
  const visibility: Record<string, number | undefined> = {};
  const log: string[] = [];
  const send = async (command: unknown) => {
    if (command instanceof SendMessageCommand) {
      if (more.isDlqAway) throw new Error('away');
      dead.push(command.input);
    } else if (command instanceof ChangeMessageVisibilityBatchCommand) {
      if (more.isStuck) throw new Error('away');
      for (const entry of command.input.Entries ?? []) visibility[entry.ReceiptHandle ?? ''] = entry.VisibilityTimeout;
    }
    return {};
  };
  const handler = createBatchHandler({
    client: { send } as unknown as SQSClient,
    queueUrl: 'http://q/volumes.fifo',
    deadLetterQueueUrl: 'http://q/dead.fifo',
    parse: (body) => parseMessage(body, 'PersistentVolume'),
    handle,
    hooks: {
      onDone: (key, messages) => log.push(`done ${keyOf(key)} ${messages.length}`),
      onFailed: (key, error, { seconds }) => log.push(`failed ${keyOf(key)} ${error} ${seconds}`),
      onPostponed: (key, seconds) => log.push(`postponed ${keyOf(key)} ${seconds}`),
      onSkipped: (key, why) => log.push(`skipped ${key} ${why}`),
      onDeadLetter: (record, error) => log.push(`dead ${record.messageId} ${error.field}`),
      onQueueError: (error) => log.push(`queue ${error}`),
    },
    ...more,
  });
  const end = performance.now() + (more.timeMs ?? 30_000);
  const response = await handler(eventOf(specs), { getRemainingTimeInMillis: () => end - performance.now() });
  return { failed: response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier), dead, visibility, log };
}

describe('createBatchHandler', () => {
  test('gives the messages of a key to one call, a deleted payload and the highest receive count with them', async () => {
    const calls: unknown[] = [];
    const deleted = { claimRef: { namespace: 'ns', name: 'c', uid: 'u' } };
    const { failed, log, visibility } = await run(
      [
        { body: volume('a', { reason: 'deleted', deleted }), group: 'a', receiveCount: 3 },
        { body: volume('a', { reason: 'added' }), group: 'a' },
        { body: volume('b'), group: 'b' },
      ],
      async (key, messages, { receiveCount }) => {
        calls.push([key, messages.map((message) => [message.reason, message.deleted]), receiveCount]);
      },
    );
    expect(calls).toEqual([
      [
        { kind: 'PersistentVolume', name: 'a' },
        [
          ['deleted', deleted],
          ['added', undefined],
        ],
        3,
      ],
      [{ kind: 'PersistentVolume', name: 'b' }, [['modified', undefined]], 1],
    ]);
    expect(failed).toEqual([]);
    expect(visibility).toEqual({});
    expect(log).toEqual(['done PersistentVolume/a 2', 'done PersistentVolume/b 1']);
  });

  test('hands back a failed group with one visibility for all of it', async () => {
    const { failed, visibility, log } = await run(
      [
        { body: volume('a'), group: 'g', receiveCount: 3 },
        { body: volume('b'), group: 'b' },
        { body: volume('a2'), group: 'g' },
        { body: volume('o'), group: 'o', receiveCount: 6 },
      ],
      async ({ name }) => {
        if (name === 'a') throw new Error('409');
        if (name === 'o') throw new OperationError('busy');
      },
    );
    expect(failed.sort()).toEqual(['m0', 'm2', 'm3']);
    expect(visibility).toEqual({ h0: 4, h2: 4, h3: 32 });
    expect(log).toContain('failed PersistentVolume/a Error: 409 4');
    expect(log).toContain('skipped PersistentVolume/a2 behind-failure');
  });

  test.each([
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [59_900, 60],
    [1e9, 43_200],
  ])(
    'hands back a key that was postponed for %i ms, and those behind it, for %i s, and fails none',
    async (againInMs, seconds) => {
      const { failed, visibility, log } = await run(
        [
          { body: volume('a'), group: 'g', receiveCount: 9 },
          { body: volume('b'), group: 'b' },
          { body: volume('a2'), group: 'g' },
        ],
        async ({ name }) => (name === 'a' ? new Postponement(againInMs) : 'done'),
      );
      expect(failed.sort()).toEqual(['m0', 'm2']);
      expect(visibility).toEqual({ h0: seconds, h2: seconds });
      expect(log.sort()).toEqual([
        'done PersistentVolume/b 1',
        `postponed PersistentVolume/a ${seconds}`,
        'skipped PersistentVolume/a2 behind-failure',
      ]);
    },
  );

  test.each([
    [
      'the newest that tells of a change',
      [
        ['modified', 5],
        ['added', 9],
        ['resync', 20],
      ],
      9,
    ],
    [
      'a deletion as well',
      [
        ['modified', 5],
        ['deleted', 7],
      ],
      7,
    ],
    [
      'the first resync where there is nothing else',
      [
        ['resync', 8],
        ['resync', 20],
      ],
      8,
    ],
  ] as const)('says when the news was first received: %s', async (_, messages, expected) => {
    const seen: unknown[] = [];
    const specs = messages.map(([reason, firstReceivedAt]) => ({ body: volume('a', { reason }), firstReceivedAt }));
    await run(specs, async (_key, _messages, { noticedAt }) => void seen.push(noticedAt));
    expect(seen).toEqual([expected]);
  });

  test('says which messages a call stands for, and when the oldest was sent', async () => {
    const seen: unknown[] = [];
    const specs = [
      { body: volume('a'), sentAt: 7 },
      { body: volume('a'), sentAt: 5 },
    ];
    await run(specs, async (_key, _messages, { messageIds, sentAt }) => void seen.push([messageIds, sentAt]));
    expect(seen).toEqual([[['m0', 'm1'], 5]]);
  });

  test('tells how long a call took', async () => {
    const took: number[] = [];
    const hooks = { onDone: (_key: unknown, _messages: unknown, ms: number) => void took.push(ms) };
    await run([{ body: volume('a') }], () => sleep(100), { hooks });
    expect(took).toEqual([100]);
  });

  test('gives a dead letter the grace of the reserve, and a visibility nearly all that is left', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    const specs = [{ body: 'x' }, { body: volume('a') }];
    await run(specs, () => Promise.reject(new Error('409')), { timeMs: 10_000 });
    await run([{ body: 'x' }], async () => {}, { timeMs: 500 });
    expect(timeout.mock.calls.flat()).toEqual([9_000, 9_900, 0]);
    timeout.mockRestore();
  });

  test('sends poison to the dead-letter queue, reports it as done, and goes on with its group', async () => {
    const synced: string[] = [];
    const claim = { ...volume('c'), kind: 'PersistentVolumeClaim', namespace: 'ns' } as const;
    const { failed, dead, log } = await run(
      [
        { body: '{"v":9}', group: 'a' },
        { body: volume('a'), group: 'a' },
        { body: claim, group: 'ns/c' },
        { body: 'x' },
      ],
      async ({ name }) => void synced.push(name),
    );
    expect(synced).toEqual(['a']);
    expect(failed).toEqual([]);
    expect(log.sort()).toEqual(['dead m0 v', 'dead m2 kind', 'dead m3 body', 'done PersistentVolume/a 1']);
    expect(dead[0]).toMatchObject({
      QueueUrl: 'http://q/dead.fifo',
      MessageBody: '{"v":9}',
      MessageGroupId: 'a',
      MessageAttributes: {
        reason: { DataType: 'String', StringValue: 'bad message: v must be 1, got 9' },
        originalMessageId: { DataType: 'String', StringValue: 'm0' },
        originalGroup: { DataType: 'String', StringValue: 'a' },
      },
    });
    expect(dead[2]?.MessageGroupId).toBe('m3');
    expect(new Set(dead.map((input) => input.MessageDeduplicationId)).size).toBe(3);
  });

  test('cuts a huge body and says so; the reason keeps to what SQS takes', async () => {
    const { dead } = await run([{ body: `\u0000${'ä'.repeat(200_000)}`, group: 'a' }], async () => {});
    expect(Buffer.byteLength(dead[0]?.MessageBody ?? '')).toBeLessThanOrEqual(128 * 1024);
    expect(dead[0]?.MessageBody?.isWellFormed()).toBe(true);
    expect(dead[0]?.MessageBody?.endsWith('ä')).toBe(true);
    expect(dead[0]?.MessageAttributes?.['truncatedFrom']?.StringValue).toBe('400001');
    expect(dead[0]?.MessageAttributes?.['reason']?.StringValue).not.toMatch(/\p{Cc}/u);
  });

  test('fails poison that the dead-letter queue does not take, and nothing else', async () => {
    const { failed, visibility, log } = await run(
      [
        { body: 'x', group: 'a', receiveCount: 2 },
        { body: volume('a'), group: 'a' },
      ],
      async () => {},
      { isDlqAway: true },
    );
    expect(failed).toEqual(['m0']);
    expect(visibility).toEqual({ h0: 2 });
    expect(log.sort()).toEqual(['done PersistentVolume/a 1', 'queue Error: away']);
  });

  test('takes the key for the group where the record names none', async () => {
    const order: string[] = [];
    await run(
      [{ body: volume('a', { uid: '1' }) }, { body: volume('b') }, { body: volume('a', { uid: '2' }) }],
      async ({ name }, messages) => {
        order.push(`${name} ${messages.length}`);
      },
    );
    expect(order).toEqual(['a 2', 'b 1']);
  });

  test('hands back what there was no time for: at once what was not tried, after the back-off what was', async () => {
    const { failed, visibility, log } = await run(
      [
        { body: volume('a'), group: 'a', receiveCount: 2 },
        { body: volume('b'), group: 'b' },
      ],
      async (_, __, { signal }) => void (await sleep(10_000, signal)),
      { timeMs: 300, reserveMs: 250, concurrency: 1 },
    );
    expect(failed).toEqual(['m0', 'm1']);
    expect(visibility).toEqual({ h0: 2, h1: 0 });
    expect(log[0]).toBe('skipped PersistentVolume/b out-of-time');
    expect(log[1]).toMatch(/^failed PersistentVolume\/a Error: gave up/);
  });

  test('tells a visibility that could not be set', async () => {
    const handle = () => Promise.reject(new Error('409'));
    const { failed, log } = await run([{ body: volume('a') }], handle, { isStuck: true });
    expect(failed).toEqual(['m0']);
    expect(log).toEqual(['failed PersistentVolume/a Error: 409 1', 'queue Error: visibility not changed: away']);
  });

  test('takes a call that waited for its turn until time was up for one that was not tried', async () => {
    const noTurn = new ThrottledError('no turn', { code: 0 });
    const specs = [{ body: volume('a'), receiveCount: 5 }];
    const { failed, log, visibility } = await run(specs, () => Promise.reject(new Error('read', { cause: noTurn })));
    expect([failed, log, visibility]).toEqual([['m0'], ['skipped PersistentVolume/a out-of-time'], { h0: 0 }]);
    const throttled = await run(specs, () => Promise.reject(new ThrottledError('429', { code: 429 })));
    expect(throttled.log).toEqual(['failed PersistentVolume/a ThrottledError: 429 15']);
    expect(throttled.visibility).toEqual({ h0: 15 });
  });

  test('needs no hooks', async () => {
    const handle = (key: { name: string }) => (key.name === 'a' ? Promise.reject(new Error('no')) : Promise.resolve());
    const specs = [
      { body: volume('a'), group: 'g' },
      { body: volume('b'), group: 'g' },
      { body: volume('c') },
      { body: 'x' },
    ];
    const without = { hooks: {}, isStuck: true };
    expect((await run(specs, handle, without)).failed).toEqual(['m0', 'm1']);
    expect((await run(specs, handle, { ...without, isDlqAway: true })).failed).toEqual(['m3', 'm0', 'm1']);
    const noTurn = () => Promise.reject(new ThrottledError('no turn', { code: 0 }));
    expect((await run([{ body: volume('a') }], noTurn, without)).failed).toEqual(['m0']);
  });

  test('fails the whole batch where the parser itself is broken', async () => {
    const parse = () => {
      throw new TypeError('a bug');
    };
    await expect(run([{ body: 'x' }], async () => {}, { parse })).rejects.toThrow('a bug');
  });
});
