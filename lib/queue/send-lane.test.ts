import { describe, expect, test, vi } from 'vitest';
import { type BatchOutcome, type LaneEntry, type LaneSettings, SendLane } from './send-lane.ts';
import { type FakeQueue, fakeQueue, type SentEntry } from './test-queue.ts';
import { sleep, useTestTime } from './test-time.ts';

useTestTime();

const SETTINGS: LaneSettings = {
  concurrency: 2,
  lingerMs: 1,
  requestTimeoutMs: 1_000,
  firstBackoffMs: 1,
  maxBackoffMs: 1,
};

function laneOf(queue: FakeQueue, settings: Partial<LaneSettings> = {}) {
  const outcomes: BatchOutcome[] = [];
  const lane = new SendLane(
    queue.client,
    'url',
    { ...SETTINGS, ...settings },
    (outcome) => void outcomes.push(outcome),
  );
  const settled: string[] = [];
  const add = (groupId: string, deduplicationId = groupId, size = 1): LaneEntry => {
    const settle = (error?: Error) => void settled.push(`${deduplicationId}: ${error?.message ?? 'sent'}`);
    const entry = { groupId, deduplicationId, body: 'x'.repeat(size), maxAttempts: 1, settle };
    lane.add(entry);
    return entry;
  };
  return { lane, add, outcomes, settled };
}

const idsOf = ({ requests }: FakeQueue) => requests.map((entries) => entries.map(({ id }: SentEntry) => id));
const all = async () => undefined;

describe('SendLane', () => {
  test('keeps a request under 256 KiB, and sends alone what is larger', async () => {
    const queue = fakeQueue(all);
    const { add, settled } = laneOf(queue);
    [100, 100, 100, 300, 10].map((kib, index) => add(String(index), String(index), kib * 1024));
    await sleep(50);
    expect(settled).toHaveLength(5);
    expect(idsOf(queue)).toEqual([['0', '1'], ['2'], ['3'], ['4']]);
  });

  test('sends a full batch at once, and never more than ten', async () => {
    const answers = Promise.withResolvers<undefined>();
    const queue = fakeQueue(() => answers.promise);
    const { add } = laneOf(queue, { concurrency: 1, lingerMs: 500, requestTimeoutMs: 10_000 });
    const names = Array.from({ length: 21 }, (_, index) => `g${index}`);
    for (const name of names.slice(0, 10)) add(name);
    await sleep(10);
    expect(idsOf(queue)).toEqual([names.slice(0, 10)]);
    for (const name of names.slice(10)) add(name);
    answers.resolve(undefined);
    await sleep(100);
    expect(idsOf(queue)).toEqual([names.slice(0, 10), names.slice(10, 20), names.slice(20)]);
  });

  test('tells the first reason of a batch, also where the first entry was accepted', async () => {
    const queue = fakeQueue(async () => ({ failed: [{ index: 1, code: 'AccessDenied', isSenderFault: true }] }));
    const { add, outcomes } = laneOf(queue);
    add('a');
    add('b');
    await sleep(50);
    expect(outcomes).toEqual([{ sent: 1, retried: 0, failed: 1, error: expect.any(Error) }]);
    expect(String(outcomes[0]?.error)).toContain('AccessDenied');
  });

  test('says of a batch that came off nothing but its counts', async () => {
    const { add, outcomes } = laneOf(fakeQueue(all));
    add('a');
    await sleep(50);
    expect(outcomes).toStrictEqual([{ sent: 1, retried: 0, failed: 0 }]);
  });

  test('waits twice as long after each failure, up to the longest, half of it at random', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const times: number[] = [];
    const queue = fakeQueue(async () => {
      times.push(performance.now());
      throw new Error('away');
    });
    const { lane } = laneOf(queue, { firstBackoffMs: 100, maxBackoffMs: 300 });
    lane.add({ groupId: 'a', deduplicationId: 'a', body: 'x', maxAttempts: 5, settle: () => {} });
    await sleep(5_000);
    random.mockRestore();
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0) - SETTINGS.lingerMs);
    expect(waits).toEqual([75, 150, 225, 225]);
  });

  test('leaves no timer behind', async () => {
    const { add } = laneOf(fakeQueue(all), { requestTimeoutMs: 60_000 });
    vi.useFakeTimers();
    add('a');
    await vi.advanceTimersByTimeAsync(10);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('an entry that is given up before it went', () => {
  const reason = new Error('not wanted');

  test('takes nothing else of its group with it', async () => {
    const queue = fakeQueue(all);
    const { lane, add, settled } = laneOf(queue);
    const first = add('a', 'a1');
    add('a', 'a2');
    lane.cancel(new Set([first]), reason);
    await sleep(50);
    expect(idsOf(queue)).toEqual([['a2']]);
    expect(settled).toEqual(['a1: not wanted', 'a2: sent']);
  });

  test('makes no request, and leaves no place that others would wait behind', async () => {
    const queue = fakeQueue(all);
    const { lane, add, outcomes, settled } = laneOf(queue);
    lane.cancel(new Set([add('a')]), reason);
    await sleep(50);
    expect([queue.requests, outcomes]).toEqual([[], []]);
    add('a', 'again');
    await sleep(50);
    expect(settled).toEqual(['a: not wanted', 'again: sent']);
  });
});
