/**
 * Retry is visibility (DESIGN D10): a failed message comes back by itself when its visibility ends, so the back-off is set
 * there. The queue's own visibility (6 × the function's time-out) would be far too long for a conflict.
 */
import { ChangeMessageVisibilityBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { awsError } from '../aws-error.ts';
import { findCause, OperationError, ThrottledError } from '../controller/errors.ts';

/** A wait that starts at `firstSeconds`, doubles with each receive, and stays at `maxSeconds`. */
interface Backoff {
  readonly firstSeconds: number;
  readonly maxSeconds: number;
}

/** How long what failed stays invisible (DESIGN D10). */
export interface RetrySettings {
  /** After a sync that failed. */
  readonly sync: Backoff;
  /** After a plugin operation (delete, provision) that failed. */
  readonly operation: Backoff;
  /** Seconds for what was handed back unworked, for lack of time: the next invocation may have it at once. */
  readonly outOfTimeSeconds: number;
}

/**
 * Syncs as upstream's resync would repeat them at the latest; operations as upstream's operation back-off (500 ms to
 * 2 min 2 s) in whole seconds, which is all that SQS knows.
 */
export const DEFAULT_RETRY: RetrySettings = {
  sync: { firstSeconds: 1, maxSeconds: 15 },
  operation: { firstSeconds: 1, maxSeconds: 122 },
  outOfTimeSeconds: 0,
};

/** SQS's limit, counted from the receive: 12 hours. */
const MAX_VISIBILITY_SECONDS = 43_200;
const MAX_ENTRIES = 10;

/**
 * How long a message stays hidden after a failure.
 * @param error what its sync threw. An OperationError or ThrottledError counts also as the cause of another error.
 * @param receiveCount ApproximateReceiveCount: 1 at the first failure.
 * @returns whole seconds, at least what a throttling server asked for, at most 43,200.
 */
export function retrySeconds(error: unknown, receiveCount: number, settings: RetrySettings = DEFAULT_RETRY): number {
  const { firstSeconds, maxSeconds } = findCause(error, OperationError) ? settings.operation : settings.sync;
  const backoff = Math.min(maxSeconds, firstSeconds * 2 ** Math.max(0, receiveCount - 1));
  const asked = findCause(error, ThrottledError)?.retryAfterSeconds ?? 0;
  return Math.min(MAX_VISIBILITY_SECONDS, Math.ceil(Math.max(backoff, asked)));
}

/** How long a message stays hidden that is to come back in so many milliseconds: never for a shorter time than asked. */
export function postponedSeconds(againInMs: number): number {
  return Math.min(MAX_VISIBILITY_SECONDS, Math.max(1, Math.ceil(againInMs / 1_000)));
}

/** Messages that are to come back after the same time: a failed one and all of its group received with it. */
export interface Retry {
  readonly receiptHandles: readonly string[];
  readonly seconds: number;
}

/**
 * Sets the visibility of failed messages.
 * Never throws: what could not be changed keeps the queue's own visibility and comes back later, which `onError` tells.
 * @param timeoutMs gives the requests up, so that none outlives the invocation.
 */
export async function applyRetries(
  client: SQSClient,
  queueUrl: string,
  retries: readonly Retry[],
  { timeoutMs, onError }: { readonly timeoutMs: number; readonly onError?: (error: Error) => void },
): Promise<void> {
  const entries = retries.flatMap(({ receiptHandles, seconds }) =>
    receiptHandles.map((handle) => ({ ReceiptHandle: handle, VisibilityTimeout: seconds })),
  );
  const batches: (typeof entries)[] = [];
  for (let at = 0; at < entries.length; at += MAX_ENTRIES) batches.push(entries.slice(at, at + MAX_ENTRIES));
  const abortSignal = AbortSignal.timeout(Math.max(0, Math.floor(timeoutMs)));
  const change = async (batch: typeof entries) => {
    const Entries = batch.map((entry, index) => ({ Id: String(index), ...entry }));
    try {
      const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries });
      const { Failed = [] } = await client.send(command, { abortSignal });
      for (const { Code, Message } of Failed) onError?.(new Error(`visibility not changed: ${Code} ${Message ?? ''}`));
    } catch (error) {
      onError?.(awsError(error, 'visibility not changed: '));
    }
  };
  await Promise.all(batches.map(change));
}
