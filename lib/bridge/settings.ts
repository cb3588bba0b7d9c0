/** Every number of the bridge, with its default. */

/** Times are in milliseconds unless the name says otherwise. */
export interface BridgeSettings {
  /** Namespace of the recycler pods; undefined: no recycler, pods are not watched. */
  readonly recyclerNamespace: string | undefined;
  /** A watch that was silent for this long is taken for dead. Bookmarks come about once a minute: keep it over 90 s. */
  readonly idleTimeoutMs: number;
  /** Events of one resource whose messages are not accepted yet; at this many the watch is not read further. */
  readonly maxInFlight: number;
  /** First and longest delay after an error, of a list, a watch or the queue; they double in between. */
  readonly retryBaseMs: number;
  readonly retryMaxMs: number;
  /** A watch that lived this long makes earlier errors forgotten. */
  readonly goodPeriodMs: number;
  /** A key with a message on its way is looked at again this long after its newest event, not at once. */
  readonly echoWindowMs: number;
  /** Pending claims that one free volume wakes. */
  readonly wakeCount: number;
  /** For this long a woken claim is not woken for another volume; doubles each time it stays unbound. */
  readonly wakeWindowMs: number;
  /** Between two predicate sweeps; they cost no request unless something needs a sync. */
  readonly resyncPeriodMs: number;
  /** Longest time between two messages for a key that keeps needing a sync and does not change. */
  readonly resendMaxMs: number;
  /** In this time every key is sent once without the predicate; 0: never. */
  readonly sweepPeriodMs: number;
  /** Messages handed to the sender and not accepted yet; the others wait here, where equal keys become one. */
  readonly maxSending: number;
  /** How long a stop waits for the queue. */
  readonly stopTimeoutMs: number;
}

export const DEFAULT_SETTINGS: BridgeSettings = {
  recyclerNamespace: undefined,
  idleTimeoutMs: 100_000,
  maxInFlight: 2_048,
  retryBaseMs: 250,
  retryMaxMs: 30_000,
  goodPeriodMs: 30_000,
  echoWindowMs: 1_000,
  wakeCount: 3,
  wakeWindowMs: 1_000,
  resyncPeriodMs: 15_000,
  resendMaxMs: 3_600_000,
  sweepPeriodMs: 3_600_000,
  maxSending: 1_000,
  stopTimeoutMs: 10_000,
};
