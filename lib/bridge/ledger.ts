/**
 * The keys that a message is on its way for: sent, and not seen settled since. It tells the echo filter whom to wait for
 * and the sweep what was sent when. It forgets a key as soon as it needs nothing.
 */
import type { SyncKey } from '../controller/types.ts';
import type { Occasion } from '../queue/ids.ts';
import { keyOf } from '../queue/message.ts';

/** What is known of the newest message of a key. */
export interface Sent {
  readonly occasion: string;
  /** When it was last sent or accepted, and how many times it was sent again for the same state. */
  readonly at: number;
  readonly resends: number;
}

/** Keys and their newest messages, in memory only: after a restart the first look sends what needs it again. */
export class Ledger {
  readonly #sent = new Map<string, Sent>();

  get size(): number {
    return this.#sent.size;
  }

  get(key: SyncKey): Sent | undefined {
    return this.#sent.get(keyOf(key));
  }

  /** A message was sent for what this occasion names. */
  sent(key: SyncKey, occasion: Occasion, now: number): void {
    this.#sent.set(keyOf(key), { occasion: textOf(occasion), at: now, resends: 0 });
  }

  /** The queue has it, perhaps long after it was sent. */
  accepted(key: SyncKey, occasion: Occasion, now: number): void {
    const sent = this.get(key);
    if (sent !== undefined && this.has(key, occasion)) this.#sent.set(keyOf(key), { ...sent, at: now });
  }

  /** It was sent again though nothing changed. */
  resent(key: SyncKey, now: number): void {
    const sent = this.get(key);
    if (sent !== undefined) this.#sent.set(keyOf(key), { ...sent, at: now, resends: sent.resends + 1 });
  }

  /** Whether a message for that very occasion is on its way. */
  has(key: SyncKey, occasion: Occasion): boolean {
    return this.get(key)?.occasion === textOf(occasion);
  }

  /** The key needs nothing, or is gone. */
  settled(key: SyncKey): void {
    this.#sent.delete(keyOf(key));
  }
}

function textOf(occasion: Occasion): string {
  return JSON.stringify(occasion);
}
