/**
 * The audit trail of a worker: one record for each phase or binding that it writes, with what the sync had last observed
 * and the messages that started it. A bridge's half is `seenRecords`.
 */
import type { Kind, PersistentVolume, PersistentVolumeClaim, SyncKey } from '../controller/types.ts';
import type { SyncMessage } from '../queue/message.ts';
import { type Transition, transitionsOf } from '../worker/transition.ts';
import {
  type AuditRecord,
  type AuditSink,
  type Circumstances,
  madeRecord,
  seenRecord,
  type Written,
} from './record.ts';

/** Where the messages of a sync come from, as far as its caller knows. */
export interface Origin {
  /** SQS message ids. */
  readonly messageIds?: readonly string[];
  /** When the oldest of them was sent, in milliseconds since the epoch. */
  readonly sentAt?: number;
}

/** The controller announces a phase before it writes it: that is no reason for it. */
const ANNOUNCED_PHASE = /: phase .* -> /;

type Start = Pick<Circumstances, 'cause' | 'causedAt'>;

/** Holds what syncs have said so far, by their key's object: of one key there is one sync at a time, and it is let go of with it. */
export class AuditTrail {
  readonly #sink: AuditSink;
  readonly #now: () => number;
  readonly #starts = new WeakMap<SyncKey, Start>();
  readonly #notes = new WeakMap<SyncKey, string>();

  /** @param now milliseconds since the epoch. */
  constructor(sink: AuditSink, now: () => number = Date.now) {
    this.#sink = sink;
    this.#now = now;
  }

  /** A sync begins. */
  started(key: SyncKey, messages: readonly SyncMessage[], { messageIds, sentAt }: Origin = {}): void {
    const { reason, uid, resourceVersion } = messages.at(-1) ?? {};
    const cause = {
      ...(reason !== undefined && { reason }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(messageIds !== undefined && { messages: messageIds }),
    };
    this.#starts.set(key, { cause, ...(sentAt !== undefined && { causedAt: sentAt }) });
  }

  /** A branch of the state machine was taken. @returns whether it is more than the announcement of a write. */
  noted(key: SyncKey, observation: string): boolean {
    if (ANNOUNCED_PHASE.test(observation)) return false;
    this.#notes.set(key, observation);
    return true;
  }

  /** A write has succeeded. @param volumeUid of the volume that the key is about. */
  wrote(key: SyncKey, transition: Transition, written?: Written, volumeUid?: string): void {
    const reason = this.#notes.get(key);
    const record = madeRecord(transition, {
      at: this.#now(),
      ...this.#starts.get(key),
      ...(reason !== undefined && { reason }),
      ...(written !== undefined && { written }),
      ...(volumeUid !== undefined && { volumeUid }),
    });
    this.#sink(record, key);
  }
}

/** A change that a watch has told of. */
export interface SeenChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly kind: SyncKey['kind'];
  /** As it was held; a slim copy will do. Undefined when it was not. */
  readonly before: PersistentVolume | PersistentVolumeClaim | undefined;
  /** With its managedFields, or nobody can say who it was. */
  readonly after: PersistentVolume | PersistentVolumeClaim;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What a change is in the audit trail. An object that was not held tells nothing: it may be as it is for years. */
export function seenRecords({ type, kind, before, after, at }: SeenChange, volumeUid?: string): AuditRecord[] {
  return transitionsSeen(type, kind, before, after).map((transition) =>
    seenRecord(transition, { at, written: { before, after }, ...(volumeUid !== undefined && { volumeUid }) }),
  );
}

/** The transitions between two versions of one object. */
export function transitionsSeen(
  type: SeenChange['type'],
  kind: Kind,
  before: SeenChange['before'],
  after: SeenChange['after'],
): Transition[] {
  if (before === undefined || before.metadata.uid !== after.metadata.uid) return [];
  if (type === 'DELETED') return transitionsOf('delete', kind, before, after);
  return [...transitionsOf('update', kind, before, after), ...transitionsOf('updateStatus', kind, before, after)];
}
