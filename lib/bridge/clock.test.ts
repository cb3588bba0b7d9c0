import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Backoff, pause, systemClock } from './clock.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000 }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('the clock of the system', () => {
  it('calls once when the time has come, and not when that was prevented', () => {
    const called: string[] = [];
    systemClock.after(20, () => called.push(`kept at ${systemClock.now()}`));
    systemClock.after(10, () => called.push('prevented'))();
    vi.advanceTimersByTime(100);
    expect(called).toEqual(['kept at 1020']);
  });
});

describe('a pause', () => {
  /** When it ends, in milliseconds from now; undefined after a minute. */
  async function lengthOf(paused: Promise<void>): Promise<number | undefined> {
    let end: number | undefined;
    const start = Date.now();
    void paused.then(() => {
      end = Date.now() - start;
    });
    await vi.advanceTimersByTimeAsync(60_000);
    return end;
  }

  it('is as long as it is asked to be', async () => {
    expect(await lengthOf(pause(systemClock, 50))).toBe(50);
    expect(await lengthOf(pause(systemClock, 50, new AbortController().signal))).toBe(50);
  });

  it('is over at once where the signal is aborted, and sets no timer', async () => {
    const paused = pause(systemClock, 50, AbortSignal.abort());
    expect(vi.getTimerCount()).toBe(0);
    expect(await lengthOf(paused)).toBe(0);
  });

  it('ends with the signal, and leaves neither timer nor listener', async () => {
    const controller = new AbortController();
    const paused = pause(systemClock, 50, controller.signal);
    controller.abort();
    expect(vi.getTimerCount()).toBe(0);
    expect(await lengthOf(paused)).toBe(0);
    const { signal } = new AbortController();
    await lengthOf(pause(systemClock, 50, signal));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('a back-off', () => {
  it('doubles up to the most, between half of that and all of it', () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0);
    const backoff = new Backoff(100, 1_000);
    expect(Array.from({ length: 6 }, () => backoff.next())).toEqual([50, 100, 200, 400, 500, 500]);
    random.mockReturnValue(1);
    expect(backoff.next()).toBe(1_000);
    expect(backoff.failures).toBe(7);
  });

  it('starts again when it is reset', () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const backoff = new Backoff(100, 1_000);
    backoff.next();
    backoff.next();
    backoff.reset();
    expect(backoff.failures).toBe(0);
    expect(backoff.next()).toBe(100);
  });
});
