/**
 * Hands messages to the queue until it has accepted them, whatever goes wrong meanwhile. Of the messages about one key at
 * most one is under way and one waits: a later one takes the waiting one's place, since a worker reads the newest state.
 */

import type { SyncKey } from '../controller/types.ts';
import { BadMessageError, keyOf, type SyncMessage } from '../queue/message.ts';
import type { OutgoingMessage } from '../queue/producer.ts';
import { Backoff, type BridgeClock, pause } from './clock.ts';
import type { BridgeHooks, Sender } from './ports.ts';

/** The queue, and how hard it is tried: messages under way at once, first and longest delay in milliseconds. */
export interface PublisherOptions {
  readonly sender: Sender;
  readonly settings: { readonly maxSending: number; readonly retryBaseMs: number; readonly retryMaxMs: number };
  readonly clock: BridgeClock;
  readonly hooks: BridgeHooks;
  /** The volume that a message is about, for the hooks. */
  readonly volumeUidOf?: (message: SyncMessage) => string | undefined;
}

interface Entry {
  readonly slot: string;
  outgoing: OutgoingMessage;
  readonly since: number;
  readonly accepted: PromiseWithResolvers<void>;
}

/** Messages that do not replace each other though they are about one key. */
export type Lane = 'look' | 'wake' | `deleted ${string}`;

/** Sends messages until they are accepted or the bridge stops; see the head of this file. */
export class Publisher {
  readonly #options: PublisherOptions;
  /** By slot (key and lane): what can be sent, what is under way, and what waits behind that. */
  readonly #waiting = new Map<string, Entry>();
  readonly #sending = new Map<string, Entry>();
  readonly #behind = new Map<string, Entry>();
  readonly #stopped = new AbortController();
  #relieved: (() => void)[] = [];

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** Messages that are not accepted yet. */
  get size(): number {
    return this.#waiting.size + this.#sending.size + this.#behind.size;
  }

  /** Since when the oldest of them is there. */
  get oldestSince(): number | undefined {
    let oldest: number | undefined;
    for (const entries of [this.#sending, this.#waiting]) {
      for (const { since } of entries.values()) oldest = Math.min(oldest ?? since, since);
    }
    return oldest;
  }

  /** Resolves when the queue has this message or a later one about the key; rejects only when stopped before. */
  publish(outgoing: OutgoingMessage, lane: Lane = 'look'): Promise<void> {
    const slot = slotOf(outgoing.message, lane);
    const queue = this.#sending.has(slot) ? this.#behind : this.#waiting;
    const known = queue.get(slot);
    if (known !== undefined) {
      known.outgoing = { ...outgoing, message: { ...hintOf(known.outgoing), ...outgoing.message } };
      return known.accepted.promise;
    }
    const entry: Entry = { slot, outgoing, since: this.#options.clock.now(), accepted: Promise.withResolvers() };
    entry.accepted.promise.catch(() => {}); // a stop concerns those who wait for it
    if (this.#stopped.signal.aborted) {
      entry.accepted.reject(this.#stopped.signal.reason);
      return entry.accepted.promise;
    }
    queue.set(slot, entry);
    this.#pump();
    return entry.accepted.promise;
  }

  /** The promise of the newest message about a key that is not accepted yet. */
  pending(key: SyncKey): Promise<void> | undefined {
    const slot = slotOf(key, 'look');
    return (this.#behind.get(slot) ?? this.#waiting.get(slot) ?? this.#sending.get(slot))?.accepted.promise;
  }

  /** For those who publish in bulk: resolves when not too much waits. */
  async room(): Promise<void> {
    while (this.#waiting.size > 10 * this.#options.settings.maxSending && !this.#stopped.signal.aborted) {
      await new Promise<void>((resolve) => this.#relieved.push(resolve));
    }
  }

  /** Gives up what is not accepted. */
  stop(): void {
    this.#stopped.abort(new Error('the bridge was stopped before the queue accepted the message'));
    for (const entries of [this.#waiting, this.#sending, this.#behind]) {
      for (const { accepted } of entries.values()) accepted.reject(this.#stopped.signal.reason);
      entries.clear();
    }
    this.#relieve();
  }

  #pump(): void {
    for (const [slot, entry] of this.#waiting) {
      if (this.#sending.size >= this.#options.settings.maxSending) return;
      this.#waiting.delete(slot);
      this.#sending.set(slot, entry);
      void this.#send(entry);
    }
    this.#relieve();
  }

  async #send(entry: Entry): Promise<void> {
    const { settings } = this.#options;
    const backoff = new Backoff(settings.retryBaseMs, settings.retryMaxMs);
    while (!(await this.#attempt(entry, backoff))) this.#catchUp(entry);
    this.#sending.delete(entry.slot);
    const next = this.#behind.get(entry.slot);
    if (next !== undefined) {
      this.#behind.delete(entry.slot);
      this.#waiting.set(entry.slot, next);
    }
    entry.accepted.resolve();
    this.#pump();
  }

  /** @returns whether this message is done with. */
  async #attempt({ outgoing }: Entry, backoff: Backoff): Promise<boolean> {
    const { sender, clock, hooks, volumeUidOf } = this.#options;
    const { signal } = this.#stopped;
    const { message } = outgoing;
    try {
      await sender.send([outgoing], { signal });
      hooks.sent?.(message.kind, message.reason, message, volumeUidOf?.(message));
      return true;
    } catch (error) {
      if (signal.aborted) return true;
      const isPoison = error instanceof BadMessageError;
      hooks.failed?.(isPoison ? 'message' : 'send', error);
      if (isPoison) return true;
      await pause(clock, backoff.next(), signal);
      return signal.aborted;
    }
  }

  /** A failed message lets the one behind it take its place. */
  #catchUp(entry: Entry): void {
    const newer = this.#behind.get(entry.slot);
    if (newer === undefined) return;
    this.#behind.delete(entry.slot);
    entry.outgoing = { ...newer.outgoing, message: { ...hintOf(entry.outgoing), ...newer.outgoing.message } };
    entry.accepted.promise.then(newer.accepted.resolve, newer.accepted.reject);
  }

  #relieve(): void {
    const relieved = this.#relieved;
    this.#relieved = [];
    for (const resolve of relieved) resolve();
  }
}

function slotOf(key: SyncKey, lane: Lane): string {
  return `${lane} ${keyOf(key)}`;
}

/** A hint outlives the message that brought it: it only adds a candidate. */
function hintOf({ message }: OutgoingMessage): Pick<OutgoingMessage['message'], 'hint'> {
  return message.hint === undefined ? {} : { hint: message.hint };
}
