/**
 * At most so many calls per second: a token bucket in front of the API server. Together with the number of environments
 * it bounds what a backlog may ask of a cluster (docs/queue-hygiene.md).
 */
import { ThrottledError } from '../controller/errors.ts';

/** A bucket that holds one second's calls: what was not used in the last second may be made up for, and no more. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #now: () => number;
  #tokens: number;
  /** When the tokens were counted last. */
  #at: number;
  /** In the order in which they are let go. */
  readonly #waiting: { readonly turn: number; readonly go: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param perSecond 1 or more.
   * @param now milliseconds. By the wall clock, which goes on while a Lambda is frozen.
   */
  constructor(perSecond: number, now: () => number = Date.now) {
    this.#perSecond = perSecond;
    this.#now = now;
    this.#tokens = perSecond;
    this.#at = now();
  }

  /**
   * Waits until a call may go. It has no time-out of its own: here it is not the server that is slow.
   * @param turn the lowest goes first, equal ones in the order in which they came. Each key has a number of its own, in the
   * order in which the keys were begun: so they end one after the other. If all got on alike, and the limit is too low for
   * all of a batch, its time would be up with every key half done, and the next invocation would begin them anew.
   * @param signals each ends the waiting.
   * @returns undefined when the call may go at once.
   * @throws ThrottledError when a signal came first. Nothing was sent then, and no token is lost.
   */
  take(turn: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<void> | undefined {
    this.#refill();
    if (this.#waiting.length === 0 && this.#tokens >= 1) {
      this.#tokens -= 1;
      return undefined;
    }
    return this.#wait(
      turn,
      signals.filter((signal) => signal !== undefined),
    );
  }

  /** Counts a call that cannot wait, such as a repeat: later ones wait longer for it. */
  charge(): void {
    this.#refill();
    this.#tokens -= 1;
  }

  #wait(turn: number, signals: readonly AbortSignal[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        for (const signal of signals) signal.removeEventListener('abort', giveUp);
        if (this.#waiting.length === 0) clearTimeout(this.#timer);
        settle();
      };
      const giveUp = (): void => {
        const cause: unknown = signals.find((signal) => signal.aborted)?.reason;
        const message = `no turn in time under our own limit of ${this.#perSecond} calls per second`;
        end(() => reject(new ThrottledError(message, { code: 0, cause })));
      };
      const waiting = { turn, go: () => end(resolve) };
      const behind = this.#waiting.findIndex((other) => other.turn > turn);
      this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, waiting);
      for (const signal of signals) signal.addEventListener('abort', giveUp, { once: true });
      if (signals.some((signal) => signal.aborted)) giveUp();
      else if (this.#waiting.length === 1) this.#serveLater();
    });
  }

  /** One timer for all. */
  #serveLater(): void {
    const ms = Math.ceil(((1 - this.#tokens) * 1_000) / this.#perSecond);
    this.#timer = setTimeout(() => this.#serve(), Math.max(1, ms));
  }

  #serve(): void {
    this.#refill();
    for (; this.#tokens >= 1 && this.#waiting.length > 0; this.#tokens -= 1) this.#waiting[0]?.go();
    if (this.#waiting.length > 0) this.#serveLater();
  }

  #refill(): void {
    const now = this.#now();
    // A clock that was set back brings nothing, and takes nothing.
    const gained = (Math.max(0, now - this.#at) * this.#perSecond) / 1_000;
    this.#tokens = Math.min(this.#perSecond, this.#tokens + gained);
    this.#at = now;
  }
}
