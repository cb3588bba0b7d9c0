/**
 * The audit trail on an EventBridge bus, beside the logs: records are collected, and sent at the end of an invocation.
 * What the bus does not take is counted and told; the log has it all the same (docs/decisions/027-audit-bus.md).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Deadline } from '../cluster/deadline.ts';
import type { AuditRecord, AuditSink } from './record.ts';

/** An entry of PutEvents, but for its bus. */
export interface BusEntry {
  readonly Source: string;
  readonly DetailType: string;
  /** Seconds since the epoch. */
  readonly Time: number;
  /** The record as JSON. */
  readonly Detail: string;
}

/** An entry that the bus has not taken. */
export interface Refusal {
  readonly entry: BusEntry;
  readonly why: string;
  /** Whether it may be taken when it is sent again. */
  readonly mayPass: boolean;
}

/** One request with up to ten entries. @returns those that were not taken; it never rejects. */
export type PutEvents = (entries: readonly BusEntry[], deadline: Deadline) => Promise<readonly Refusal[]>;

/** Told of records that the bus has not; `why` is undefined where it would only be said again. */
export type OnLost = (records: number, why: string | undefined) => void;

/** PutEvents takes no more at a time. */
const MAX_ENTRIES = 10;
/** Of all entries of a request. EventBridge has taken 1 MiB since January 2026; what its guide says holds everywhere. */
const MAX_BYTES = 256 * 1024;
/** Records that wait for a flush at most: a bus that is away must not fill an environment's memory. */
const MAX_WAITING = 1_000;

/** The most that a flush may delay the end of an invocation. */
const FLUSH_MS = 1_000;
const MAX_ATTEMPTS = 3;
/** About; doubled before the third attempt. */
const BACKOFF_MS = 100;
/** So long no invocation waits for a bus that took nothing. */
const REST_MS = 30_000;

/** The event of one record. Rules match by the kind of object in `detail-type`, and by the record's fields in `detail`. */
export function busEntry(record: AuditRecord): BusEntry {
  return {
    Source: 'serverless-pv-controller',
    DetailType: `${record.kind} transition`,
    Time: Date.parse(record.time) / 1_000,
    Detail: JSON.stringify(record),
  };
}

/**
 * Collects records and sends them when it is told to.
 *
 * @example
 * const bus = new EventBus(putEventsTo({ bus: 'storage', region, credentials }), (records) => count(records));
 * bus.write(record);
 * await bus.flush();
 */
export class EventBus {
  readonly #put: PutEvents;
  readonly #onLost: OnLost;
  #waiting: BusEntry[] = [];
  #overflowed = 0;
  #restUntil = 0;

  constructor(put: PutEvents, onLost: OnLost) {
    this.#put = put;
    this.#onLost = onLost;
  }

  /** Takes a record in, to be sent by the next flush. */
  readonly write: AuditSink = (record) => {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(busEntry(record));
    else this.#overflowed += 1;
  };

  /**
   * Sends what has come in. Never rejects: a record that is lost here fails no sync.
   * @param withinMs what is left of the invocation; a flush takes no longer than a second anyway.
   */
  async flush(withinMs = FLUSH_MS): Promise<void> {
    const [entries, overflowed] = [this.#waiting, this.#overflowed];
    [this.#waiting, this.#overflowed] = [[], 0];
    if (overflowed > 0) this.#onLost(overflowed, `more than ${MAX_WAITING} at once`);
    if (entries.length === 0) return;
    if (Date.now() < this.#restUntil) return this.#onLost(entries.length, undefined);
    if (withinMs <= 0) return this.#onLost(entries.length, 'no time was left');
    const deadline = new Deadline(Math.min(withinMs, FLUSH_MS));
    const sent = await Promise.all(batchesOf(entries).map((batch) => this.#send(batch, deadline)));
    deadline.dispose();
    const lost = sent.flat();
    if (lost.length === 0) return;
    // What took nothing in less time than it should have had is no bus to be left alone.
    if (lost.length === entries.length && withinMs >= FLUSH_MS) this.#restUntil = Date.now() + REST_MS;
    this.#onLost(lost.length, [...new Set(lost.map(({ why }) => why))].join(', '));
  }

  /** @returns what was not taken in the end. */
  async #send(batch: readonly BusEntry[], deadline: Deadline, attempt = 1): Promise<readonly Refusal[]> {
    const refusals = await this.#put(batch, deadline);
    const again = refusals.filter(({ mayPass }) => mayPass).map(({ entry }) => entry);
    if (again.length === 0 || attempt === MAX_ATTEMPTS) return refusals;
    const waitMs = BACKOFF_MS * attempt * (0.5 + Math.random());
    const isOver = await deadline.race(sleep(waitMs, false, { ref: false })).catch(() => true);
    if (isOver) return refusals;
    return [...refusals.filter(({ mayPass }) => !mayPass), ...(await this.#send(again, deadline, attempt + 1))];
  }
}

/** In order, each within the limits of one request. */
function batchesOf(entries: readonly BusEntry[]): BusEntry[][] {
  const batches: BusEntry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const last = batches.at(-1);
    const size = sizeOf(entry);
    bytes += size;
    if (last !== undefined && last.length < MAX_ENTRIES && bytes <= MAX_BYTES) last.push(entry);
    else {
      batches.push([entry]);
      bytes = size;
    }
  }
  return batches;
}

/** As EventBridge counts: the texts in UTF-8, and 14 bytes for the time. */
function sizeOf({ Source, DetailType, Detail }: BusEntry): number {
  return Buffer.byteLength(Source + DetailType + Detail) + 14;
}
