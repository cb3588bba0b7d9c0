/** A bridge is idle when nothing is left to look at; here what waits for the end of its echo window. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as needsSync from '../controller/needs-sync.ts';
import { Bridge } from './bridge.ts';
import { FakeApi } from './testing/fake-api.ts';
import { FakeQueue } from './testing/fake-queue.ts';
import { rules, volume } from './testing/objects.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_000 }));
afterEach(() => void vi.useRealTimers());

it('being idle is not reached before the end of an echo window, though everything is sent', async () => {
  const api = new FakeApi();
  const queue = new FakeQueue();
  const settings = { echoWindowMs: 3_000, resyncPeriodMs: 3_600_000 };
  const bridge = new Bridge({ source: api, sender: queue, predicates: needsSync, rules, settings });
  const stop = new AbortController();
  const ended = bridge.run(stop.signal);
  await vi.advanceTimersByTimeAsync(100);
  for (const storageClassName of ['a', 'b']) {
    api.put('PersistentVolume', volume('pv-1', { storageClassName }));
    await vi.advanceTimersByTimeAsync(100);
  }
  expect([bridge.health().unsent, queue.messages.length]).toEqual([0, 1]);
  let sentAtIdle: number | undefined;
  void bridge.idle().then(() => {
    sentAtIdle = queue.messages.length;
  });
  await vi.advanceTimersByTimeAsync(2_800);
  expect(sentAtIdle).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sentAtIdle).toBe(2);
  stop.abort();
  await vi.advanceTimersByTimeAsync(11_000);
  await ended;
});
