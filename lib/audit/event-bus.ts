/**
 * The audit trail on an EventBridge bus, beside the logs. What sends is a parameter, so that no worker carries the client
 * or the permission for a bus that it does not have.
 */
import { messageOf } from '../controller/errors.ts';
import type { AuditRecord, AuditSink } from './record.ts';

/** An entry of PutEvents. */
export interface BusEntry {
  readonly EventBusName: string;
  readonly Source: string;
  readonly DetailType: string;
  readonly Time: Date;
  /** The record as JSON. */
  readonly Detail: string;
}

/** Sends up to 10 entries: `PutEvents`. @returns how many of them the bus has refused. */
export type PutEvents = (entries: readonly BusEntry[]) => Promise<number>;

/** PutEvents takes no more at a time. */
const MAX_ENTRIES = 10;
/** Records that wait for a flush at most; a bus that is away must not fill an environment's memory. */
const MAX_WAITING = 1_000;

const SOURCE = 'serverless-pv-controller';

/** The event of one record. Rules match by `detail-type` (`PersistentVolume phase`) and by the record's fields in `detail`. */
export function busEntry(record: AuditRecord, bus: string): BusEntry {
  return {
    EventBusName: bus,
    Source: SOURCE,
    DetailType: `${record.kind} ${record.of}`,
    Time: new Date(record.time),
    Detail: JSON.stringify(record),
  };
}

/**
 * Collects records and sends them when it is told to, at the end of an invocation.
 *
 * @example
 * const bus = new EventBus('storage', putEvents, (lost, why) => logger.warn('audit records lost', { lost, why }));
 * bus.write(record);
 * await bus.flush();
 */
export class EventBus {
  readonly #name: string;
  readonly #put: PutEvents;
  readonly #onLost: (records: number, why: string) => void;
  #waiting: AuditRecord[] = [];
  #overflowed = 0;

  /** @param onLost told of records that the bus has not; the log has them all. */
  constructor(name: string, put: PutEvents, onLost: (records: number, why: string) => void) {
    this.#name = name;
    this.#put = put;
    this.#onLost = onLost;
  }

  /** Takes a record in, to be sent by the next flush. */
  readonly write: AuditSink = (record) => {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(record);
    else this.#overflowed += 1;
  };

  /** Sends what has come in, once each. Never rejects: a record that is lost here fails no sync. */
  async flush(): Promise<void> {
    const [records, overflowed] = [this.#waiting, this.#overflowed];
    [this.#waiting, this.#overflowed] = [[], 0];
    if (overflowed > 0) this.#onLost(overflowed, `more than ${MAX_WAITING} in one go`);
    for (let i = 0; i < records.length; i += MAX_ENTRIES) {
      const entries = records.slice(i, i + MAX_ENTRIES).map((record) => busEntry(record, this.#name));
      try {
        const refused = await this.#put(entries);
        if (refused > 0) this.#onLost(refused, 'refused by the bus');
      } catch (error) {
        this.#onLost(entries.length, messageOf(error));
      }
    }
  }
}
