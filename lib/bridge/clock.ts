/** Time, as something that tests can hold still. */

/** The time and the timers of everything in the bridge. */
export interface BridgeClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `run` once after `ms`; the returned function prevents that. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: BridgeClock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`, or at once when the signal is aborted. */
export function pause(clock: BridgeClock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const finish = () => {
      cancel();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.after(ms, finish);
    signal?.addEventListener('abort', finish, { once: true });
  });
}

/** Jittered exponential delays: between half of the step and the whole of it, so that many clients do not march in step. */
export class Backoff {
  readonly #baseMs: number;
  readonly #maxMs: number;
  #failures = 0;

  constructor(baseMs: number, maxMs: number) {
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  get failures(): number {
    return this.#failures;
  }

  next(): number {
    const step = Math.min(this.#maxMs, this.#baseMs * 2 ** Math.min(this.#failures++, 30));
    return step * (0.5 + Math.random() / 2);
  }

  reset(): void {
    this.#failures = 0;
  }
}
