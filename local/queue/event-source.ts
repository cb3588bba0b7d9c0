/**
 * The local stand-in for Lambda's event source mapping: polls a queue, calls the handler with an event of Lambda's shape,
 * and deletes what the handler did not report as failed. The queue's group lock keeps a key to one call at a time.
 */
import { setTimeout } from 'node:timers/promises';
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { awsError } from '../../lib/aws-error.ts';
import { createContext, toDelete, toEvent } from './lambda-event.ts';

// biome-ignore lint/suspicious/noConfusingVoidType: as Lambda's own type of an SQS handler.
export type LocalHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse | null | void>;

export interface EventSourceOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly handler: LocalHandler;
  readonly functionName?: string;
  /** Calls at the same time, and pollers: each poller handles what it received. Default 2; over 4 was no faster. */
  readonly maximumConcurrency?: number;
  /** Messages per call: 1 to 10, which is the default. */
  readonly batchSize?: number;
  /** The long poll, and so the longest time that `stop` waits for an idle poller. Default 1. */
  readonly waitTimeSeconds?: number;
  /** The function's time-out. Default 30,000. */
  readonly timeoutMs?: number;
  /** Told of a call that threw or ran out of time, and of requests that failed (they are repeated). */
  readonly onError?: (error: unknown) => void;
}

/** Counters since the start. */
interface EventSourceStats {
  readonly invocations: number;
  /** Calls that threw, ran out of time or answered what Lambda cannot read. */
  readonly failedInvocations: number;
  readonly received: number;
  readonly deleted: number;
  /** Messages left in the queue to come back. */
  readonly failed: number;
}

export interface EventSource {
  readonly stats: EventSourceStats;
  /** Resolves when no poll and no call is under way. Nothing is left in flight but what failed. */
  stop(): Promise<void>;
}

const PAUSE_AFTER_ERROR_MS = 250;
const DELETE_ATTEMPTS = 3;

/** Starts to poll at once. */
export function startEventSource(options: EventSourceOptions): EventSource {
  const { client, queueUrl, queueArn, handler, onError } = options;
  const { functionName = 'local', maximumConcurrency = 2, batchSize = 10, timeoutMs = 30_000 } = options;
  const stats = { invocations: 0, failedInvocations: 0, received: 0, deleted: 0, failed: 0 };
  const stopping = new AbortController();

  const receive = async (): Promise<Message[]> => {
    const command = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: batchSize,
      WaitTimeSeconds: options.waitTimeSeconds ?? 1,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    });
    // Never aborted: an aborted poll may already have taken messages, which then stay hidden until their time is over.
    const { Messages = [] } = await client.send(command);
    return Messages;
  };

  const invoke = async (messages: readonly Message[]): Promise<Message[]> => {
    stats.invocations += 1;
    stats.received += messages.length;
    const context = createContext(functionName, timeoutMs, queueArn.split(':')[3] ?? '');
    try {
      const done = toDelete(messages, await withTimeout(handler(toEvent(messages, queueArn), context), timeoutMs));
      stats.failed += messages.length - done.length;
      return done;
    } catch (error) {
      stats.failedInvocations += 1;
      stats.failed += messages.length;
      onError?.(error);
      return [];
    }
  };

  const remove = async (messages: readonly Message[]): Promise<void> => {
    let left = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    for (let attempt = 1; left.length > 0 && attempt <= DELETE_ATTEMPTS; attempt += 1) {
      const { Failed = [] } = await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries: left }));
      stats.deleted += left.length - Failed.length;
      left = left.filter(({ Id }) => Failed.some((failed) => failed.Id === Id));
    }
    if (left.length > 0) onError?.(new Error(`${left.length} message(s) not deleted: they will be handled again`));
  };

  const poll = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        const messages = await receive();
        if (messages.length > 0) await remove(await invoke(messages));
      } catch (error) {
        onError?.(awsError(error, 'the queue: '));
        await setTimeout(PAUSE_AFTER_ERROR_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  };

  const pollers = Promise.all(Array.from({ length: maximumConcurrency }, poll));
  return {
    stats,
    async stop() {
      stopping.abort();
      await pollers;
    },
  };
}

/**
 * As Lambda, which stops waiting when the time is over. It freezes the process too; here a handler that ignores its time
 * goes on beside its successor.
 */
async function withTimeout<T>(call: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = globalThis.setTimeout(
    () => reject(new Error(`Task timed out after ${timeoutMs / 1000} seconds`)),
    timeoutMs,
  );
  try {
    return await Promise.race([call, promise]);
  } finally {
    clearTimeout(timer);
  }
}
