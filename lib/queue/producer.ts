/** Puts keys into their queues. What it promises: when `send` resolves, SQS has every message (DESIGN D8). */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { isPossibleKey } from '../controller/names.ts';
import type { Enqueue } from '../controller/ports.ts';
import type { SyncKey } from '../controller/types.ts';
import { deduplicationId, groupId, type Occasion } from './ids.ts';
import { formatMessage, keyOf, type SyncMessage, syncKey } from './message.ts';
import { type BatchOutcome, type LaneEntry, type LaneSettings, SendLane } from './send-lane.ts';

/** A message and what it is sent for; its ids are made from both. */
export interface OutgoingMessage {
  readonly message: SyncMessage;
  readonly occasion: Occasion;
}

export type QueueUrls = Readonly<Record<SyncKey['kind'], string>>;

/** The queues, and how batches are sent to them. */
export interface ProducerOptions {
  readonly client: SQSClient;
  readonly queueUrls: QueueUrls;
  /** Defaults: 4 batches at once per queue, 2 ms of linger, 10 s per request, back-off from 100 ms to 5 s. */
  readonly settings?: Partial<LaneSettings>;
  /** Called after each request, for metrics. Must not throw. */
  readonly onBatch?: (kind: SyncKey['kind'], outcome: BatchOutcome) => void;
}

/** How long a message is tried; by default until it is accepted. */
export interface SendOptions {
  /** Gives up what SQS has not accepted. An answer under way is still awaited, unless nobody else waits for it. */
  readonly signal?: AbortSignal;
  /** Requests per message before it is given up. Default: no limit, as a bridge must not lose a change. */
  readonly maxAttempts?: number;
}

/** Some messages did not get into their queue. The others did. */
export class SendError extends Error {
  override readonly name = 'SendError';
  readonly failures: readonly { readonly key: string; readonly error: Error }[];

  constructor(failures: SendError['failures']) {
    const [first] = failures;
    super(`${failures.length} message(s) not sent, the first for ${first?.key}: ${first?.error.message}`, {
      cause: first?.error,
    });
    this.failures = failures;
  }
}

const DEFAULTS: LaneSettings = {
  concurrency: 4,
  lingerMs: 2,
  requestTimeoutMs: 10_000,
  firstBackoffMs: 100,
  maxBackoffMs: 5_000,
};

/**
 * Collects the messages of all callers into batches. Messages of one key leave in the order of the calls, those of
 * different keys in parallel; a failed one is repeated, and its key waits for it, while the other keys go on.
 *
 * @example
 * const producer = new QueueProducer({ client, queueUrls });
 * await producer.send([{ message, occasion: { form: 'change', uid, resourceVersion } }]);
 */
export class QueueProducer {
  readonly #lanes: Readonly<Record<SyncKey['kind'], SendLane>>;

  constructor({ client, queueUrls, settings, onBatch }: ProducerOptions) {
    const lane = (kind: SyncKey['kind']) =>
      new SendLane(client, queueUrls[kind], { ...DEFAULTS, ...settings }, (outcome) => onBatch?.(kind, outcome));
    this.#lanes = { PersistentVolume: lane('PersistentVolume'), PersistentVolumeClaim: lane('PersistentVolumeClaim') };
  }

  /**
   * Resolves when SQS has accepted every message; settles only when none of them is under way any more.
   * @throws BadMessageError before anything is sent, when a message is none that the worker would take.
   * @throws SendError when messages were given up.
   */
  async send(outgoing: readonly OutgoingMessage[], { signal, maxAttempts }: SendOptions = {}): Promise<void> {
    const bodies = outgoing.map(({ message }) => formatMessage(message));
    signal?.throwIfAborted();
    const entries = new Map<LaneEntry, SyncKey['kind']>();
    const failures: { key: string; error: Error }[] = [];
    const settled = outgoing.map(({ message, occasion }, index) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const settle = (error?: Error) => {
        if (error !== undefined) failures.push({ key: keyOf(message), error });
        resolve();
      };
      entries.set(
        {
          groupId: groupId(message),
          deduplicationId: deduplicationId(message, occasion),
          body: bodies[index] ?? '',
          maxAttempts: maxAttempts ?? Number.POSITIVE_INFINITY,
          settle,
        },
        message.kind,
      );
      return promise;
    });
    const cancel = () => {
      const reason = signal?.reason instanceof Error ? signal.reason : new Error('sending was aborted');
      for (const lane of Object.values(this.#lanes)) lane.cancel(new Set(entries.keys()), reason);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      for (const [entry, kind] of entries) this.#lanes[kind].add(entry);
      await Promise.all(settled);
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
    if (failures.length > 0) throw new SendError(failures);
  }
}

/**
 * The controller's `enqueue` port over a producer. Calls of one moment share a request.
 * A target that cannot exist is left out: its name comes from a field that nobody checks, and no sync could find it.
 */
export function enqueueThrough(producer: QueueProducer, options: SendOptions = {}): Enqueue {
  return async (key, cause, hint) => {
    if (!isPossibleKey(key)) return;
    const message: SyncMessage = { v: 1, ...syncKey(key), reason: 'enqueued', ...(hint !== undefined && { hint }) };
    await producer.send([{ message, occasion: { form: 'enqueue', cause } }], options);
  };
}
