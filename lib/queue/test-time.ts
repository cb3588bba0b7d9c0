/** Time of the queue's tests: a second passes at once, and no load of the machine makes one fail. */
import { afterEach, beforeEach, vi } from 'vitest';

/** In this file time goes on to the next timer whenever nothing else is left to do. */
export function useTestTime(): void {
  beforeEach(() => void vi.useFakeTimers().setTimerTickMode('nextTimerAsync'));
  afterEach(() => void vi.useRealTimers());
}

/** Resolves after `ms`, or rejects when the signal is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error('gave up', { cause: signal?.reason }));
    if (signal?.aborted) return giveUp();
    setTimeout(resolve, ms);
    signal?.addEventListener('abort', giveUp, { once: true });
  });
}
