/** The end of one request: its time-out or the caller's abort, whichever comes first. */

/** The time of a request was up, or its caller gave it up. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/** One time limit for all steps of a request. */
export class Deadline {
  readonly #signals: readonly AbortSignal[];
  readonly #timer: NodeJS.Timeout;
  readonly #listeners = new Set<(error: DeadlineError) => void>();
  #error: DeadlineError | undefined;

  /**
   * @param timeoutMs milliseconds from now.
   * @param signals each ends the request at once, also when it is aborted already.
   */
  constructor(timeoutMs: number, ...signals: AbortSignal[]) {
    this.#signals = signals;
    this.#timer = setTimeout(() => this.#end(new DeadlineError(`no answer within ${timeoutMs} ms`)), timeoutMs);
    for (const signal of signals) signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signals.some((signal) => signal.aborted)) this.#onAbort();
  }

  /** Calls `listener` once at the end, at once when it has come. @returns a function that takes the listener off. */
  onEnd(listener: (error: DeadlineError) => void): () => void {
    if (this.#error !== undefined) listener(this.#error);
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @throws DeadlineError when the end came before `promise` did. */
  async race<T>(promise: Promise<T>): Promise<T> {
    let stop = (): void => {};
    const end = new Promise<never>((_, reject) => {
      stop = this.onEnd(reject);
    });
    try {
      return await Promise.race([promise, end]);
    } finally {
      stop();
    }
  }

  /** The time-out no longer counts; the caller's abort still does. For streams, once their headers are there. */
  stopTimer(): void {
    clearTimeout(this.#timer);
  }

  /** Frees the timer and the signal's listener. */
  dispose(): void {
    clearTimeout(this.#timer);
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#onAbort);
    this.#listeners.clear();
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#signals.find((signal) => signal.aborted)?.reason;
    this.#end(new DeadlineError('aborted by its caller', { cause: reason }));
  };

  #end(error: DeadlineError): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    const listeners = [...this.#listeners];
    this.dispose();
    for (const listener of listeners) listener(error);
  }
}
