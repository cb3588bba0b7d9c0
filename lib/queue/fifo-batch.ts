/**
 * Works off one batch of a FIFO queue (DESIGN D11): the groups in parallel, a group's keys one after the other.
 *
 * - Messages of one key are one call that gets them all, so that none of their payloads is lost.
 * - A failed key fails the keys behind it in its group, as the queue's order demands, and no other group.
 * - Time is watched: before it runs out, running calls are aborted through their signal and awaited, and what was not
 *   finished is handed back, so that a slow key never makes the platform throw the whole batch away.
 *
 * It knows neither SQS clients nor this project's messages.
 *
 * @example
 * const { batchItemFailures } = await processFifoBatch({
 *   records: event.Records,
 *   idOf: (record) => record.messageId,
 *   groupOf: (record) => record.attributes.MessageGroupId ?? record.messageId,
 *   keyOf: (record) => record.body,
 *   handle: (key, records, signal) => sync(key, signal),
 *   remainingMs: () => context.getRemainingTimeInMillis(),
 * });
 * return { batchItemFailures };
 */
export interface FifoBatch<R> {
  /** In the order of the queue. */
  readonly records: readonly R[];
  /** What the queue calls the record: SQS's message id. */
  readonly idOf: (record: R) => string;
  readonly groupOf: (record: R) => string;
  readonly keyOf: (record: R) => string;
  /**
   * Works on one key for all `records` (one or more) that name it. It should end soon after `signal` is aborted.
   * A rejection fails the records; what it resolves to is ignored.
   */
  readonly handle: (key: string, records: readonly [R, ...R[]], signal: AbortSignal) => Promise<unknown>;
  /** Milliseconds until the platform stops the invocation. */
  readonly remainingMs: () => number;
  /** Milliseconds before that at which nothing new is begun and running calls are aborted. Default 2,000. */
  readonly reserveMs?: number;
  /** The part of the reserve in which aborted calls may still end, in milliseconds. Default: half of it. */
  readonly graceMs?: number;
  /** Groups worked on at the same time. Default: all. */
  readonly concurrency?: number;
  /** Told of each key that was handed back without a call of its own, for logs and metrics. Must not throw. */
  readonly onSkipped?: (key: string, records: readonly R[], why: SkipReason) => void;
}

/** `behind-failure`: an earlier key of its group failed. `out-of-time`: its turn did not come. */
export type SkipReason = 'behind-failure' | 'out-of-time';

/** The unfinished rest of one group, in order. */
export interface GroupFailure<R> {
  readonly group: string;
  readonly records: readonly [R, ...R[]];
  /** `failed`: the call for the first key rejected. `aborted`: it did not end in time. `out-of-time`: none was begun. */
  readonly reason: 'failed' | 'aborted' | 'out-of-time';
  /** The first key, which is the one that failed, and its records. */
  readonly key: string;
  readonly keyRecords: readonly [R, ...R[]];
  /** What the call rejected with; undefined when none did. */
  readonly error?: unknown;
}

/** What of a batch was not finished; everything else was. */
export interface FifoBatchResult<R> {
  /** As Lambda wants it: everything that failed or was not worked on. */
  readonly batchItemFailures: { itemIdentifier: string }[];
  /** The same by group, for back-off and logs. */
  readonly failures: readonly GroupFailure<R>[];
}

type Work<R> = { readonly key: string; readonly records: [R, ...R[]] };
type Ending = { readonly reason: GroupFailure<unknown>['reason']; readonly error?: unknown };

/** Rejects with nothing; errors of `handle` are in the result. See the head of this file. */
export async function processFifoBatch<R>(batch: FifoBatch<R>): Promise<FifoBatchResult<R>> {
  const { reserveMs = 2_000, graceMs = reserveMs / 2 } = batch;
  const groups = [...split(batch)];
  const time = new TimeLimit(batch.remainingMs() - reserveMs, graceMs);
  const failures: GroupFailure<R>[] = [];
  const waiting = groups.values();
  const workOffGroups = async () => {
    for (const [group, works] of waiting) {
      const failure = await workOff(group, works, batch, time);
      if (failure !== undefined) failures.push(failure);
    }
  };
  const lanes = Math.min(groups.length, Math.max(1, batch.concurrency ?? groups.length));
  await Promise.all(Array.from({ length: lanes }, workOffGroups));
  time.end();
  const batchItemFailures = failures.flatMap((failure) =>
    failure.records.map((record) => ({ itemIdentifier: batch.idOf(record) })),
  );
  return { batchItemFailures, failures };
}

/** By group, and in a group by key: a key stands where its first record stood. */
function split<R>({ records, groupOf, keyOf }: FifoBatch<R>): Map<string, Work<R>[]> {
  const groups = new Map<string, Work<R>[]>();
  for (const record of records) {
    const key = keyOf(record);
    const works = groups.get(groupOf(record)) ?? [];
    groups.set(groupOf(record), works);
    const same = works.find((work) => work.key === key);
    if (same === undefined) works.push({ key, records: [record] });
    else same.records.push(record);
  }
  return groups;
}

async function workOff<R>(
  group: string,
  works: readonly Work<R>[],
  { handle, onSkipped }: FifoBatch<R>,
  time: TimeLimit,
): Promise<GroupFailure<R> | undefined> {
  for (const [index, { key, records: keyRecords }] of works.entries()) {
    const ending = time.isUp
      ? ({ reason: 'out-of-time' } as const)
      : await time.limit(async (signal) => handle(key, keyRecords, signal));
    if (ending === undefined) continue;
    const skipped = works.slice(ending.reason === 'out-of-time' ? index : index + 1);
    const why = ending.reason === 'failed' ? 'behind-failure' : 'out-of-time';
    for (const work of skipped) onSkipped?.(work.key, work.records, why);
    const behind = works.slice(index + 1).flatMap((work) => work.records);
    return { group, key, keyRecords, records: [...keyRecords, ...behind], ...ending };
  }
  return undefined;
}

/** The end of the working time, as a signal for the calls and as a limit to waiting for them. */
class TimeLimit {
  readonly #controller = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  /** Resolves when even the grace is over. */
  readonly #over: Promise<Ending>;

  constructor(workMs: number, graceMs: number) {
    const { promise, resolve } = Promise.withResolvers<Ending>();
    this.#over = promise;
    const abort = () => this.#controller.abort(new Error('the invocation is about to run out of time'));
    if (workMs <= 0) abort();
    else this.#timers.push(setTimeout(abort, workMs));
    this.#timers.push(setTimeout(() => resolve({ reason: 'aborted' }), Math.max(0, workMs) + graceMs));
  }

  get isUp(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Awaits a call until the grace is over. What it finished in the grace is finished. */
  async limit(call: (signal: AbortSignal) => Promise<unknown>): Promise<Ending | undefined> {
    const { signal } = this.#controller;
    const ended = call(signal).then(
      () => undefined,
      (error: unknown): Ending => ({ reason: signal.aborted ? 'aborted' : 'failed', error }),
    );
    return await Promise.race([ended, this.#over]);
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
