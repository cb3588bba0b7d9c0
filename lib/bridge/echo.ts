/**
 * The echo filter. The writes of a sync come back as events while the message that led to them is still on its way; to
 * look at each would send two or three more messages per bind. So a key with a message on its way is looked at once, a
 * window after the newest of these events (a few windows after the first one at the latest), and mostly found settled.
 * So is a volume while a message about its claim is on its way: the two come by watches of their own, and in the middle of
 * a bind the claim's event often overtakes the volume's. Any other key is looked at immediately, and so is every key for
 * which something new appeared.
 */
import type { SyncKey } from '../controller/types.ts';
import { keyOf } from '../queue/message.ts';
import type { BridgeClock } from './clock.ts';
import { merge, type Trigger } from './occasion.ts';

/** How the filter looks at a key, and which keys it makes wait for how many milliseconds. */
export interface EchoOptions {
  /** Looks at the key in its newest state; returns the promise of its message, if it needed one. */
  readonly evaluate: (key: SyncKey, trigger: Trigger) => Promise<void> | undefined;
  /** Whether a message is on its way that may lead to writes of this key's object. */
  readonly isOnItsWay: (key: SyncKey) => boolean;
  readonly windowMs: number;
  readonly clock: BridgeClock;
}

interface Deferred {
  readonly key: SyncKey;
  trigger: Trigger;
  cancel: () => void;
  /** When it is looked at whatever comes. */
  readonly latest: number;
  readonly done: PromiseWithResolvers<void>;
}

/** A bind that takes longer is taken for one that stopped halfway. */
const MAX_WINDOWS = 4;

/** Looks at keys at once or at the end of their window; see the head of this file. */
export class Echo {
  readonly #options: EchoOptions;
  readonly #deferred = new Map<string, Deferred>();

  constructor(options: EchoOptions) {
    this.#options = options;
  }

  /** Keys that wait for the end of their window. */
  get size(): number {
    return this.#deferred.size;
  }

  isDeferred(key: SyncKey): boolean {
    return this.#deferred.has(keyOf(key));
  }

  /** @returns undefined when the key was looked at and needs nothing, else the promise that its message is accepted. */
  look(key: SyncKey, trigger: Trigger): Promise<void> | undefined {
    const { evaluate, isOnItsWay, windowMs, clock } = this.#options;
    const known = this.#deferred.get(keyOf(key));
    if (known !== undefined) {
      known.trigger = merge(known.trigger, trigger);
      known.cancel();
      if (trigger.urgent) this.#conclude(known);
      else this.#wait(known);
      return known.done.promise;
    }
    if (trigger.urgent || !isOnItsWay(key)) return evaluate(key, trigger);
    const latest = clock.now() + MAX_WINDOWS * windowMs;
    const deferred: Deferred = { key, trigger, cancel: () => {}, latest, done: Promise.withResolvers() };
    this.#wait(deferred);
    deferred.done.promise.catch(() => {}); // a stop concerns those who wait for it
    this.#deferred.set(keyOf(key), deferred);
    return deferred.done.promise;
  }

  /** Looks at everything now. */
  flush(): void {
    for (const deferred of this.#deferred.values()) {
      deferred.cancel();
      this.#conclude(deferred);
    }
  }

  #wait(deferred: Deferred): void {
    const { windowMs, clock } = this.#options;
    const ms = Math.max(0, Math.min(windowMs, deferred.latest - clock.now()));
    deferred.cancel = clock.after(ms, () => this.#conclude(deferred));
  }

  #conclude({ key, trigger, done }: Deferred): void {
    this.#deferred.delete(keyOf(key));
    done.resolve(this.#options.evaluate(key, trigger));
  }
}
