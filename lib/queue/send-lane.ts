/**
 * Sends entries to one FIFO queue: in batches, several at once, each group in the order of its entries.
 * Order is kept by having at most one entry of a group under way. Two in one batch would not do: SQS may take the second
 * and refuse the first, and then the first could only be sent again behind it.
 */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { type Answer, type BatchEntry, MAX_BATCH_BYTES, MAX_BATCH_ENTRIES, sendBatch } from './send-batch.ts';

/** How many requests are made at once, and when. */
export interface LaneSettings {
  /** Batches of one queue under way at the same time. */
  readonly concurrency: number;
  /** How long an entry waits for others to share its request, in milliseconds. A full batch goes at once. */
  readonly lingerMs: number;
  /** A request without an answer after this many milliseconds is given up and repeated; its ids make that harmless. */
  readonly requestTimeoutMs: number;
  /** The wait after an entry's first failure, in milliseconds; it doubles up to `maxBackoffMs`, half of it random. */
  readonly firstBackoffMs: number;
  readonly maxBackoffMs: number;
}

/** What one request came to. */
export interface BatchOutcome {
  /** Entries that SQS accepted, those that it knew already by their deduplication id included. */
  readonly sent: number;
  /** Entries that are sent again. */
  readonly retried: number;
  /** Entries given up: refused for good, aborted, or out of attempts. */
  readonly failed: number;
  /** Why entries were not accepted: the first reason found. */
  readonly error?: Error;
}

/** A message, how many requests it is worth, and who waits for it. */
export interface LaneEntry extends BatchEntry {
  readonly maxAttempts: number;
  /** Called once, when SQS has accepted the entry or it is given up with an error. */
  readonly settle: (error?: Error) => void;
}

type Item = { readonly entry: LaneEntry; readonly group: Group; attempts: number; cancelled?: Error };
type Batch = { readonly items: readonly Item[]; readonly controller: AbortController };

/** The unsettled entries of one group in their order. Only the first is ever under way, or waits after a failure. */
type Group = { readonly id: string; items: Item[]; isUnderWay: boolean; backoff?: NodeJS.Timeout | undefined };

/** The sender of one queue; see the head of this file. */
export class SendLane {
  readonly #client: SQSClient;
  readonly #queueUrl: string;
  readonly #settings: LaneSettings;
  readonly #onBatch: (outcome: BatchOutcome) => void;
  readonly #groups = new Map<string, Group>();
  /** Groups whose first entry can be sent now, the longest waiting first. */
  readonly #ready = new Set<Group>();
  readonly #underWay = new Set<Batch>();
  #linger: NodeJS.Timeout | undefined;

  constructor(client: SQSClient, queueUrl: string, settings: LaneSettings, onBatch: (outcome: BatchOutcome) => void) {
    this.#client = client;
    this.#queueUrl = queueUrl;
    this.#settings = settings;
    this.#onBatch = onBatch;
  }

  add(entry: LaneEntry): void {
    const group = this.#groups.get(entry.groupId) ?? { id: entry.groupId, items: [], isUnderWay: false };
    this.#groups.set(group.id, group);
    group.items.push({ entry, group, attempts: 0 });
    this.#offer(group);
  }

  /**
   * Gives entries up. One that waits is settled at once; one that is under way with its answer, which may still be that
   * SQS has it. A request none of whose entries is wanted any more is aborted.
   */
  cancel(entries: ReadonlySet<LaneEntry>, reason: Error): void {
    for (const { items, controller } of this.#underWay) {
      for (const item of items) if (entries.has(item.entry)) item.cancelled = reason;
      if (items.every((item) => item.cancelled !== undefined)) controller.abort(reason);
    }
    for (const groupId of new Set([...entries].map((entry) => entry.groupId))) {
      const group = this.#groups.get(groupId);
      if (group === undefined) continue;
      const isDropped = (item: Item, index: number) => entries.has(item.entry) && !(index === 0 && group.isUnderWay);
      const dropped = group.items.filter(isDropped);
      group.items = group.items.filter((item) => !dropped.includes(item));
      if (group.items.length === 0) this.#forget(group);
      for (const item of dropped) item.entry.settle(reason);
    }
  }

  #forget(group: Group): void {
    clearTimeout(group.backoff);
    this.#ready.delete(group);
    this.#groups.delete(group.id);
  }

  /** Makes the group's first entry the next to go, unless the group has to wait. */
  #offer(group: Group): void {
    if (group.isUnderWay || group.backoff !== undefined) return;
    this.#ready.add(group);
    if (this.#ready.size >= MAX_BATCH_ENTRIES) this.#dispatch();
    else this.#linger ??= setTimeout(() => this.#dispatch(), this.#settings.lingerMs);
  }

  #dispatch(): void {
    clearTimeout(this.#linger);
    this.#linger = undefined;
    while (this.#ready.size > 0 && this.#underWay.size < this.#settings.concurrency) {
      const batch: Batch = { items: this.#takeBatch(), controller: new AbortController() };
      this.#underWay.add(batch);
      void this.#send(batch);
    }
  }

  #takeBatch(): Item[] {
    const items: Item[] = [];
    let bytes = 0;
    for (const group of this.#ready) {
      const [first] = group.items;
      if (first === undefined) continue;
      bytes += Buffer.byteLength(first.entry.body);
      if (items.length === MAX_BATCH_ENTRIES || (items.length > 0 && bytes > MAX_BATCH_BYTES)) break;
      items.push(first);
      group.isUnderWay = true;
      this.#ready.delete(group);
    }
    return items;
  }

  async #send(batch: Batch): Promise<void> {
    const { items, controller } = batch;
    const { requestTimeoutMs } = this.#settings;
    const giveUp = () => controller.abort(new Error(`no answer from SQS within ${requestTimeoutMs} ms`));
    const timer = setTimeout(giveUp, requestTimeoutMs);
    const entries = items.map((item) => item.entry);
    const answers = await sendBatch(this.#client, this.#queueUrl, entries, controller.signal);
    clearTimeout(timer);
    this.#underWay.delete(batch);
    const counts = { sent: 0, retried: 0, failed: 0 };
    // One draw for the batch, so that entries which failed together share a request again.
    const spread = 0.5 + Math.random() / 2;
    for (const [index, item] of items.entries()) counts[this.#conclude(item, answers[index], spread)] += 1;
    const error = answers.find((answer) => answer !== undefined)?.error;
    this.#onBatch(error === undefined ? counts : { ...counts, error });
    // What gathered meanwhile has waited long enough.
    this.#dispatch();
  }

  #conclude(item: Item, answer: Answer, spread: number): 'sent' | 'retried' | 'failed' {
    const { group, entry } = item;
    group.isUnderWay = false;
    item.attempts += 1;
    const isAgain =
      answer !== undefined && !answer.final && item.cancelled === undefined && item.attempts < entry.maxAttempts;
    if (isAgain) {
      this.#backOff(group, item.attempts, spread);
      return 'retried';
    }
    group.items.shift();
    if (group.items.length > 0) this.#offer(group);
    else this.#forget(group);
    entry.settle(answer === undefined ? undefined : (item.cancelled ?? answer.error));
    return answer === undefined ? 'sent' : 'failed';
  }

  /** The whole group waits, not just the entry: what comes behind it must not overtake it. */
  #backOff(group: Group, attempts: number, spread: number): void {
    const { firstBackoffMs, maxBackoffMs } = this.#settings;
    const wait = Math.min(maxBackoffMs, firstBackoffMs * 2 ** (attempts - 1)) * spread;
    group.backoff = setTimeout(() => {
      group.backoff = undefined;
      this.#offer(group);
    }, wait);
  }
}
