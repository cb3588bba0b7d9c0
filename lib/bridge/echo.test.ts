import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SyncKey } from '../controller/types.ts';
import { systemClock } from './clock.ts';
import { Echo } from './echo.ts';
import type { Trigger } from './occasion.ts';

const key: SyncKey = { kind: 'PersistentVolume', name: 'pv' };
const trigger = (version: string): Trigger => ({ version });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function echoOver(isOnItsWay: () => boolean, result?: Promise<void>) {
  const evaluate = vi.fn((_key: SyncKey, _trigger: Trigger) => result);
  return { evaluate, echo: new Echo({ evaluate, isOnItsWay, windowMs: 250, clock: systemClock }) };
}

describe('Echo', () => {
  it('has a key looked at immediately when no message about it is on its way', () => {
    const { echo, evaluate } = echoOver(() => false);
    expect(echo.look(key, trigger('1'))).toBeUndefined();
    expect(evaluate).toHaveBeenCalledOnce();
  });

  it('has it looked at once, a window after the newest event, when one is, in the name of the newest change', async () => {
    const { echo, evaluate } = echoOver(() => true);
    const done = vi.fn();
    void echo.look(key, trigger('2'))?.then(done);
    await vi.advanceTimersByTimeAsync(200);
    void echo.look(key, trigger('3'));
    void echo.look(key, trigger('1'));
    expect([echo.size, echo.isDeferred(key)]).toEqual([1, true]);
    await vi.advanceTimersByTimeAsync(249);
    expect(evaluate).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(evaluate.mock.calls).toEqual([[key, trigger('3')]]);
    expect(done).toHaveBeenCalledOnce();
    expect(echo.size).toBe(0);
  });

  it('has it looked at four windows after the first event though there is no end of events', async () => {
    const { echo, evaluate } = echoOver(() => true);
    for (let version = 1; version <= 9; version++) {
      void echo.look(key, trigger(String(version)));
      await vi.advanceTimersByTimeAsync(111);
    }
    expect(evaluate).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(evaluate.mock.calls).toEqual([[key, trigger('9')]]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(evaluate).toHaveBeenCalledOnce();
  });

  it('is done with an event only when the message of the later look is accepted', async () => {
    const accepted = Promise.withResolvers<void>();
    const { echo } = echoOver(() => true, accepted.promise);
    const done = vi.fn();
    void echo.look(key, trigger('1'))?.then(done);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(done).not.toHaveBeenCalled();
    accepted.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(done).toHaveBeenCalledOnce();
  });

  it('has it looked at immediately for something new, with what had waited', () => {
    const { echo, evaluate } = echoOver(() => true);
    void echo.look(key, trigger('1'));
    void echo.look(key, { version: '2', urgent: true });
    expect(evaluate.mock.calls).toEqual([[key, { version: '2', urgent: true }]]);
    expect(echo.size).toBe(0);
  });

  it('can be told to look at everything now', async () => {
    const { echo, evaluate } = echoOver(() => true);
    void echo.look(key, trigger('1'));
    echo.flush();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(evaluate).toHaveBeenCalledOnce();
  });
});
