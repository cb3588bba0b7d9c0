import { describe, expect, test } from 'vitest';
import { SendLane } from './send-lane.ts';
import { fakeQueue } from './test-queue.ts';
import { useTestTime } from './test-time.ts';

useTestTime();

describe('SendLane', () => {
  test('keeps a request under 256 KiB, and sends alone what is larger', async () => {
    const queue = fakeQueue(async () => undefined);
    const settings = { concurrency: 2, lingerMs: 1, requestTimeoutMs: 1_000, firstBackoffMs: 1, maxBackoffMs: 1 };
    const lane = new SendLane(queue.client, 'url', settings, () => {});
    const sizes = [100, 100, 100, 300, 10].map((kib) => kib * 1024);
    const add = (size: number, index: number) => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      const id = String(index);
      lane.add({ groupId: id, deduplicationId: id, body: 'x'.repeat(size), maxAttempts: 1, settle: resolve });
      return promise;
    };
    expect(await Promise.all(sizes.map(add))).toEqual(Array(5).fill(undefined));
    expect(queue.requests.map((entries) => entries.map(({ group }) => group))).toEqual([
      ['0', '1'],
      ['2'],
      ['3'],
      ['4'],
    ]);
  });
});
