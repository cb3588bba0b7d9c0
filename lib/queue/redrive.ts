/**
 * Takes dead letters back to the queue that they came from. A letter is deleted only after the queue has accepted its
 * key, so nothing is lost wherever this is killed: the key is then sent once more, and synced once more.
 */
import { randomUUID } from 'node:crypto';
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { awsError } from '../aws-error.ts';
import type { SyncKey } from '../controller/types.ts';
import { deduplicationId, groupId } from './ids.ts';
import { BadMessageError, formatMessage, type SyncMessage } from './message.ts';
import { type DeadLetter, readLetter } from './redrive-letter.ts';
import { applyRetries } from './retry.ts';
import { MAX_BATCH_ENTRIES, sendBatch } from './send-batch.ts';

/** From where to where, and whether it is meant. */
export interface RedriveOptions {
  readonly client: SQSClient;
  /** URL of the dead-letter queue. */
  readonly from: string;
  /** URL of the queue that its letters go to. */
  readonly to: string;
  /** Of the keys in that queue. */
  readonly kind: SyncKey['kind'];
  /** Send and delete. Otherwise the letters are only looked at. */
  readonly apply: boolean;
  /** Most letters to look at. Default: all. */
  readonly limit?: number;
  /** Ends it before the next ten letters; those under way are finished first. */
  readonly signal?: AbortSignal;
  /** Told when letters could not be shown to others again at once. */
  readonly onReleaseError?: (error: Error) => void;
}

/**
 * What became of a letter. `stays`: no worker would take it. `refused`: the queue did not. `undeleted`: it was sent, and is
 * still a dead letter too.
 */
export type Outcome =
  | { readonly action: 'would send' | 'sent' }
  | { readonly action: 'stays' | 'refused' | 'undeleted'; readonly because: string };

export interface Redriven {
  readonly letter: DeadLetter;
  readonly outcome: Outcome;
}

/** For others the letters are hidden as long: over what ten of them take, and short enough when this is killed. */
const HIDDEN_SECONDS = 300;
const REQUEST_MS = 15_000;
const DELETE_ATTEMPTS = 3;
/** Letters that are shown again at once: ten requests beside each other. */
const RELEASED_TOGETHER = 100;

/**
 * Goes through a dead-letter queue from its front, until nothing new comes. What stays in it is hidden meanwhile, so that
 * the next ones come, and visible again as soon as the generator ends, also when its caller breaks off.
 *
 * A queue hands out no message while one before it in its group is hidden: what stands behind a letter that stays may
 * therefore not be seen at all.
 * @throws Error in one line, of the name that the SQS client's has, when receiving fails.
 */
export async function* redrive(options: RedriveOptions): AsyncGenerator<Redriven> {
  const { client, from, kind, apply, signal, limit = Number.POSITIVE_INFINITY } = options;
  // One per run: a second run within five minutes gets through, a repeated request of this one does not.
  const run = randomUUID();
  const known = new Set<string>();
  const hidden = new Map<string, string>();
  try {
    while (known.size < limit && signal?.aborted !== true) {
      const messages = await receive(client, from, Math.min(MAX_BATCH_ENTRIES, limit - known.size));
      for (const { MessageId = '', ReceiptHandle = '' } of messages) hidden.set(MessageId, ReceiptHandle);
      const letters = messages
        .filter(({ MessageId = '' }) => !known.has(MessageId))
        .map((message) => readLetter(message, kind));
      if (letters.length === 0) return;
      for (const { messageId } of letters) known.add(messageId);
      const outcomes = apply ? await sendAll(letters, run, options) : new Map<DeadLetter, Outcome>();
      for (const [{ messageId }, { action }] of outcomes) if (action === 'sent') hidden.delete(messageId);
      for (const letter of letters) yield { letter, outcome: outcomes.get(letter) ?? prospect(letter) };
      // A queue that takes none of ten takes none of thousands.
      if (outcomes.size > 0 && [...outcomes.values()].every(({ action }) => action === 'refused')) return;
    }
  } finally {
    await release(client, from, [...hidden.values()], options.onReleaseError);
  }
}

async function receive(client: SQSClient, queueUrl: string, most: number): Promise<Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: queueUrl,
    MaxNumberOfMessages: most,
    VisibilityTimeout: HIDDEN_SECONDS,
    // A long poll asks all of SQS's servers: a short one may say that there is nothing.
    WaitTimeSeconds: 1,
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  });
  // Never aborted: it may have hidden messages by then.
  const { Messages = [] } = await client.send(command).catch((error: unknown) => {
    throw awsError(error, 'no dead letters received: ');
  });
  return Messages;
}

function prospect({ content }: DeadLetter): Outcome {
  return content instanceof BadMessageError ? { action: 'stays', because: content.message } : { action: 'would send' };
}

/** @returns what became of the letters that a worker would take. */
async function sendAll(
  letters: readonly DeadLetter[],
  run: string,
  { client, from, to }: RedriveOptions,
): Promise<Map<DeadLetter, Outcome>> {
  const sendable = letters.flatMap((letter) => {
    const { content, messageId } = letter;
    return content instanceof BadMessageError ? [] : [{ letter, entry: entryOf(content, `${run} ${messageId}`) }];
  });
  const outcomes = new Map<DeadLetter, Outcome>();
  if (sendable.length === 0) return outcomes;
  const entries = sendable.map(({ entry }) => entry);
  const answers = await sendBatch(client, to, entries, AbortSignal.timeout(REQUEST_MS));
  const accepted = sendable.filter((_, index) => answers[index] === undefined).map(({ letter }) => letter);
  const left = await remove(client, from, accepted);
  for (const [index, { letter }] of sendable.entries()) {
    const refusal = answers[index]?.error;
    const undeleted = left.get(letter);
    if (refusal !== undefined) outcomes.set(letter, { action: 'refused', because: refusal.message });
    else if (undeleted !== undefined) outcomes.set(letter, { action: 'undeleted', because: undeleted });
    else outcomes.set(letter, { action: 'sent' });
  }
  return outcomes;
}

function entryOf(message: SyncMessage, nonce: string) {
  return {
    groupId: groupId(message),
    deduplicationId: deduplicationId(message, { form: 'redrive', nonce }),
    body: formatMessage({ ...message, reason: 'redrive' }),
  };
}

/** Never throws. @returns the letters that could not be deleted, and why. */
async function remove(
  client: SQSClient,
  queueUrl: string,
  letters: readonly DeadLetter[],
): Promise<Map<DeadLetter, string>> {
  let left = new Map(letters.map((letter) => [letter, 'SQS said nothing about it']));
  for (let attempt = 1; left.size > 0 && attempt <= DELETE_ATTEMPTS; attempt += 1) {
    const batch = [...left.keys()];
    const Entries = batch.map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle }));
    try {
      const { Failed = [] } = await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
      const failed = new Map(Failed.map(({ Id, Code = '', Message = '' }) => [Id, `${Code} ${Message}`.trim()]));
      left = new Map(
        batch.flatMap((letter, index) => {
          const why = failed.get(String(index));
          return why === undefined ? [] : [[letter, why] as const];
        }),
      );
    } catch (error) {
      left = new Map(batch.map((letter) => [letter, awsError(error).message]));
    }
  }
  return left;
}

async function release(
  client: SQSClient,
  queueUrl: string,
  receiptHandles: readonly string[],
  onError: (error: Error) => void = () => {},
): Promise<void> {
  for (let at = 0; at < receiptHandles.length; at += RELEASED_TOGETHER) {
    const together = { receiptHandles: receiptHandles.slice(at, at + RELEASED_TOGETHER), seconds: 0 };
    await applyRetries(client, queueUrl, [together], { timeoutMs: REQUEST_MS, onError });
  }
}
