/** From a batch of SQS records to syncs and back: what a worker's Lambda does around the controller. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { findCause, ThrottledError } from '../controller/errors.ts';
import type { SyncKey } from '../controller/types.ts';
import { sendToDeadLetters } from './dead-letter.ts';
import { type GroupFailure, processFifoBatch, type SkipReason } from './fifo-batch.ts';
import { groupId } from './ids.ts';
import { BadMessageError, keyOf, type SyncMessage, syncKey } from './message.ts';
import { applyRetries, DEFAULT_RETRY, postponedSeconds, type RetrySettings, retrySeconds } from './retry.ts';

/** What the handler of one key is told besides the key. */
export interface CallInfo {
  /** Aborted when time is up: every request must be given up then, and the promise must end soon. */
  readonly signal: AbortSignal;
  /** The highest ApproximateReceiveCount of the messages: over 1 says that an earlier attempt did not finish. */
  readonly receiveCount: number;
  /**
   * When the news in the messages was first received, in milliseconds since the epoch: the newest of them, a resync being
   * none unless there is nothing else. NaN where the queue does not say.
   */
  readonly noticedAt?: number;
  /** SQS ids of the messages, for the audit trail. */
  readonly messageIds?: readonly string[];
  /** When the oldest of them was sent, in milliseconds since the epoch; left out where the queue does not say. */
  readonly sentAt?: number;
}

/** What a handler resolves to when nobody failed, and the key is to come back all the same. */
export class Postponement {
  readonly againInMs: number;

  constructor(againInMs: number) {
    this.againInMs = againInMs;
  }
}

/** All optional, for logs and metrics. None may throw: it would fail the whole batch. */
export interface WorkerHooks {
  /** A key was synced. `messages` is how many messages this one call stood for. */
  readonly onDone?: (key: SyncKey, messages: readonly SyncMessage[], durationMs: number) => void;
  /** A key failed, or did not end in time (`error` undefined if it said nothing), and comes back in `seconds`. */
  readonly onFailed?: (key: SyncKey, error: unknown, retry: { seconds: number; receiveCount: number }) => void;
  /** A key was looked at, and comes back in `seconds` because its handler asked for that: no failure. */
  readonly onPostponed?: (key: SyncKey, seconds: number) => void;
  /** A key was handed back without an attempt. */
  readonly onSkipped?: (key: string, why: SkipReason) => void;
  /** A message went to the dead-letter queue. */
  readonly onDeadLetter?: (record: SQSRecord, error: BadMessageError) => void;
  /** The queue refused something that the retry will heal: a dead letter, a visibility. */
  readonly onQueueError?: (error: unknown) => void;
}

/** The queue of a worker, what is done with its keys, and the times that this is given, in milliseconds. */
export interface WorkerOptions {
  readonly client: SQSClient;
  /** The queue that the events come from. */
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  /** @throws BadMessageError for what belongs in the dead-letter queue, e.g. `parseMessage`. */
  readonly parse: (body: string) => SyncMessage;
  /**
   * Syncs a key for all messages of it in this batch, the oldest first. A rejection makes it come back, and so does a
   * Postponement, at the time that it names; what else it resolves to is ignored.
   */
  readonly handle: (key: SyncKey, messages: readonly SyncMessage[], info: CallInfo) => Promise<unknown>;
  readonly retry?: RetrySettings;
  /** As in `processFifoBatch`; the end of the reserve also carries the requests that set the visibility. */
  readonly reserveMs?: number;
  readonly graceMs?: number;
  readonly concurrency?: number;
  readonly hooks?: WorkerHooks;
}

export type BatchHandler = (
  event: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<SQSBatchResponse>;

type Parsed = { readonly record: SQSRecord; readonly message: SyncMessage };
type Poison = { readonly record: SQSRecord; readonly error: BadMessageError };

/** Fails the messages of a key that is to come back, and those behind it. */
class PostponedError extends Error {
  readonly seconds: number;

  constructor({ againInMs }: Postponement) {
    super('postponed');
    this.seconds = postponedSeconds(againInMs);
  }
}

/** Milliseconds kept back from the very end, so that the response is on its way before the platform cuts. */
const LAST_MS = 100;

/**
 * Builds a Lambda handler for an SQS FIFO event source with `ReportBatchItemFailures`.
 * It resolves even when every sync failed; nothing that it began is under way then, unless a handler ignored its signal.
 */
export function createBatchHandler(options: WorkerOptions): BatchHandler {
  const { client, queueUrl, handle, retry = DEFAULT_RETRY, reserveMs = 2_000, graceMs = reserveMs / 2 } = options;
  const { hooks = {} } = options;
  return async (event, context) => {
    const remainingMs = () => context.getRemainingTimeInMillis();
    const { parsed, poison } = sort(event.Records, options.parse);
    const [undelivered, { batchItemFailures, failures }] = await Promise.all([
      bury(poison, options, Math.max(0, remainingMs() - reserveMs + graceMs)),
      processFifoBatch<Parsed>({
        records: parsed,
        idOf: ({ record }) => record.messageId,
        groupOf: ({ record, message }) => record.attributes.MessageGroupId ?? groupId(message),
        keyOf: ({ message }) => keyOf(message),
        handle: async (_, batch, signal) => {
          const messages = batch.map(({ message }) => message);
          const key = syncKey(batch[0].message);
          const start = performance.now();
          const info = {
            signal,
            receiveCount: receiveCountOf(batch),
            noticedAt: noticedAt(batch),
            ...originOf(batch),
          };
          const outcome = await handle(key, messages, info);
          if (outcome instanceof Postponement) throw new PostponedError(outcome);
          hooks.onDone?.(key, messages, performance.now() - start);
        },
        remainingMs,
        reserveMs,
        graceMs,
        ...(options.concurrency !== undefined && { concurrency: options.concurrency }),
        onSkipped: (key, _, why) => hooks.onSkipped?.(key, why),
      }),
    ]);
    const retries = [
      ...failures.map((failure) => retryOf(failure, retry, hooks)),
      ...undelivered.map((record) => ({
        receiptHandles: [record.receiptHandle],
        seconds: retrySeconds(undefined, receiveCountOf([{ record }]), retry),
      })),
    ];
    if (retries.length > 0) {
      await applyRetries(client, queueUrl, retries, {
        timeoutMs: remainingMs() - LAST_MS,
        onError: (error) => hooks.onQueueError?.(error),
      });
    }
    const ids = undelivered.map(({ messageId }) => ({ itemIdentifier: messageId }));
    return { batchItemFailures: [...ids, ...batchItemFailures] };
  };
}

function sort(records: readonly SQSRecord[], parse: WorkerOptions['parse']): { parsed: Parsed[]; poison: Poison[] } {
  const parsed: Parsed[] = [];
  const poison: Poison[] = [];
  for (const record of records) {
    try {
      parsed.push({ record, message: parse(record.body) });
    } catch (error) {
      if (!(error instanceof BadMessageError)) throw error;
      poison.push({ record, error });
    }
  }
  return { parsed, poison };
}

/**
 * Sends poison to the dead-letter queue; the rest of its group goes on meanwhile, since a message that names no key
 * cannot come before another of the key.
 * @returns the records that did not get there.
 */
async function bury(
  poison: readonly Poison[],
  { client, deadLetterQueueUrl, hooks }: WorkerOptions,
  timeoutMs: number,
): Promise<SQSRecord[]> {
  if (poison.length === 0) return [];
  const undelivered: SQSRecord[] = [];
  const abortSignal = AbortSignal.timeout(Math.floor(timeoutMs));
  const buryOne = async ({ record, error }: Poison) => {
    try {
      await sendToDeadLetters(client, deadLetterQueueUrl, record, error.message, abortSignal);
      hooks?.onDeadLetter?.(record, error);
    } catch (failure) {
      hooks?.onQueueError?.(failure);
      undelivered.push(record);
    }
  };
  await Promise.all(poison.map(buryOne));
  return undelivered;
}

function retryOf(failure: GroupFailure<Parsed>, settings: RetrySettings, hooks: WorkerHooks) {
  const { onFailed, onSkipped, onPostponed } = hooks;
  const { reason, error, key, keyRecords, records } = failure;
  const receiptHandles = records.map(({ record }) => record.receiptHandle);
  if (error instanceof PostponedError) {
    onPostponed?.(syncKey(keyRecords[0].message), error.seconds);
    return { receiptHandles, seconds: error.seconds };
  }
  const receiveCount = receiveCountOf(keyRecords);
  // Its call waited for a turn (the limit on calls per second) when the time was up: nobody failed, and nothing was sent.
  const gotNoTurn = findCause(error, ThrottledError)?.code === 0;
  const isUntried = reason === 'out-of-time' || gotNoTurn;
  if (gotNoTurn) onSkipped?.(key, 'out-of-time');
  const seconds = isUntried ? settings.outOfTimeSeconds : retrySeconds(error, receiveCount, settings);
  if (!isUntried) onFailed?.(syncKey(keyRecords[0].message), error, { seconds, receiveCount });
  return { receiptHandles, seconds };
}

function noticedAt(batch: readonly Parsed[]): number {
  const times = (parsed: readonly Parsed[]) =>
    parsed.map(({ record }) => Number(record.attributes.ApproximateFirstReceiveTimestamp));
  const news = times(batch.filter(({ message }) => message.reason !== 'resync'));
  return news.length > 0 ? Math.max(...news) : Math.min(...times(batch));
}

function receiveCountOf(batch: readonly { readonly record: SQSRecord }[]): number {
  return Math.max(1, ...batch.map(({ record }) => Number(record.attributes.ApproximateReceiveCount) || 1));
}

function originOf(batch: readonly { readonly record: SQSRecord }[]): Pick<CallInfo, 'messageIds' | 'sentAt'> {
  const sentAt = Math.min(...batch.map(({ record }) => Number(record.attributes.SentTimestamp)));
  return { messageIds: batch.map(({ record }) => record.messageId), ...(Number.isFinite(sentAt) && { sentAt }) };
}
