/** A promise with an end: nothing in the demo may hang. */

/** The time is over. Its message says what was not done. */
export class OutOfTimeError extends Error {
  override readonly name = 'OutOfTimeError';
}

export interface Limit {
  readonly ms: number;
  /** Asked when the time is over. */
  readonly why: () => string;
  readonly signal?: AbortSignal;
}

/** The job goes on after the limit, unheard; what it must not do then is its own affair. @throws OutOfTimeError */
export async function withLimit<T>(job: Promise<T>, { ms, why, signal }: Limit): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal?.reason);
  const timer = setTimeout(() => reject(new OutOfTimeError(why())), Math.max(0, ms));
  signal?.addEventListener('abort', onAbort, { once: true });
  job.catch(() => {});
  try {
    signal?.throwIfAborted();
    return await Promise.race([job, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
