import { describe, expect, test, vi } from 'vitest';
import { type FifoBatch, processFifoBatch } from './fifo-batch.ts';
import { sleep, useTestTime } from './test-time.ts';

useTestTime();

type Record = { id: string; group: string; key: string };

/** `a1 a1 a2 b1`: group a with keys 1, 1, 2; group b with key 1. The ids are the positions. */
function records(text: string): Record[] {
  return text.split(' ').map((word, index) => ({ id: String(index), group: word.slice(0, 1), key: word }));
}

function batch(
  text: string,
  handle: FifoBatch<Record>['handle'],
  more: Partial<FifoBatch<Record>> = {},
): FifoBatch<Record> {
  return {
    records: records(text),
    idOf: ({ id }) => id,
    groupOf: ({ group }) => group,
    keyOf: ({ key }) => key,
    handle,
    remainingMs: () => 30_000,
    ...more,
  };
}

const failed = ({ batchItemFailures }: { batchItemFailures: { itemIdentifier: string }[] }) =>
  batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).sort();

describe('processFifoBatch', () => {
  test('calls once per key, with all messages of it, in the order of the group', async () => {
    const calls: string[] = [];
    const result = await processFifoBatch(
      batch('a1 a2 a1 a3', async (key, messages) => void calls.push(`${key}:${messages.map((m) => m.id)}`)),
    );
    expect(calls).toEqual(['a1:0,2', 'a2:1', 'a3:3']);
    expect(result).toEqual({ batchItemFailures: [], failures: [] });
  });

  test('runs groups beside each other and a group one key at a time', async () => {
    let running = 0;
    let most = 0;
    const perGroup = new Map<string, number>();
    await processFifoBatch(
      batch('a1 b1 a2 c1 b2 a3', async (key) => {
        const group = key.slice(0, 1);
        perGroup.set(group, (perGroup.get(group) ?? 0) + 1);
        expect(perGroup.get(group)).toBe(1);
        most = Math.max(most, ++running);
        await sleep(5);
        running -= 1;
        perGroup.set(group, 0);
      }),
    );
    expect(most).toBe(3);
  });

  test('keeps to the concurrency that is set', async () => {
    let running = 0;
    let most = 0;
    const handle = async () => {
      most = Math.max(most, ++running);
      await sleep(2);
      running -= 1;
    };
    await processFifoBatch(batch('a1 b1 c1 d1 e1', handle, { concurrency: 2 }));
    expect(most).toBe(2);
  });

  test('fails the rest of the group of a failure, and nothing else', async () => {
    const skipped: string[] = [];
    const calls: string[] = [];
    const handle = async (key: string) => {
      calls.push(key);
      if (key === 'a2') throw new Error('no');
    };
    const result = await processFifoBatch(
      batch('a1 a2 b1 a3 a1 b2 a2', handle, { onSkipped: (key, _, why) => skipped.push(`${key} ${why}`) }),
    );
    expect(calls.sort()).toEqual(['a1', 'a2', 'b1', 'b2']);
    expect(failed(result)).toEqual(['1', '3', '6']);
    expect(skipped).toEqual(['a3 behind-failure']);
    expect(result.failures).toMatchObject([{ group: 'a', key: 'a2', reason: 'failed', error: new Error('no') }]);
    expect(result.failures[0]?.keyRecords.map(({ id }) => id)).toEqual(['1', '6']);
  });

  test('takes a handler that throws before its first await as a failed one', async () => {
    const handle = () => {
      throw new Error('at once');
    };
    expect(failed(await processFifoBatch(batch('a1 b1', handle)))).toEqual(['0', '1']);
  });

  test('takes an empty batch', async () => {
    expect(await processFifoBatch({ ...batch('a1', async () => {}), records: [] })).toMatchObject({
      batchItemFailures: [],
    });
  });

  test('aborts when time is up, awaits what ends in the grace, and hands the rest back', async () => {
    const skipped: string[] = [];
    let ended = 0;
    const handle = async (key: string, _: unknown, signal: AbortSignal) => {
      if (key === 'a1') return;
      const cleanUp = () => sleep(10).finally(() => (ended += 1));
      await sleep(10_000, signal).catch(async (error) => {
        await cleanUp();
        // One that still finishes its work is finished; one that gave up is not.
        if (key !== 'c1') throw error;
      });
    };
    const start = performance.now();
    const result = await processFifoBatch(
      batch('a1 a2 a3 b1 b2 c1', handle, {
        remainingMs: () => 300,
        reserveMs: 250,
        graceMs: 200,
        onSkipped: (key, _, why) => skipped.push(`${key} ${why}`),
      }),
    );
    expect(performance.now() - start).toBe(60);
    expect(ended).toBe(3);
    expect(failed(result)).toEqual(['1', '2', '3', '4']);
    expect(result.failures.map(({ reason }) => reason)).toEqual(['aborted', 'aborted']);
    expect(skipped.sort()).toEqual(['a3 out-of-time', 'b2 out-of-time']);
  });

  test('does not wait beyond the grace for a call that ignores its signal', async () => {
    const start = performance.now();
    const result = await processFifoBatch(
      batch('a1 b1', (key) => (key === 'a1' ? new Promise(() => {}) : Promise.resolve()), {
        remainingMs: () => 100,
        reserveMs: 80,
        graceMs: 20,
      }),
    );
    expect(performance.now() - start).toBe(40);
    expect(result.failures).toMatchObject([{ group: 'a', reason: 'aborted' }]);
    expect(failed(result)).toEqual(['0']);
  });

  test('waits half of the reserve for a call that ignores its signal, unless it is told', async () => {
    const start = performance.now();
    await processFifoBatch(batch('a1', () => new Promise(() => {}), { remainingMs: () => 100, reserveMs: 40 }));
    expect(performance.now() - start).toBe(80);
  });

  test('leaves no timer behind', async () => {
    await processFifoBatch(batch('a1 b1', async () => {}));
    expect(vi.getTimerCount()).toBe(0);
  });

  test('tells a call why it is aborted', async () => {
    const result = await processFifoBatch(
      batch('a1', (_, __, signal) => sleep(10_000, signal), { remainingMs: () => 100, reserveMs: 40 }),
    );
    expect(result.failures[0]?.error).toMatchObject({
      cause: new Error('the invocation is about to run out of time'),
    });
  });

  test.each([1_500, 2_000])('begins nothing when time is up from the start, with %d ms left', async (leftMs) => {
    let calls = 0;
    const result = await processFifoBatch(batch('a1 a2 b1', async () => void calls++, { remainingMs: () => leftMs }));
    expect(calls).toBe(0);
    expect(failed(result)).toEqual(['0', '1', '2']);
    expect(result.failures.map(({ reason }) => reason)).toEqual(['out-of-time', 'out-of-time']);
  });

  test('hands back groups that waited for their turn until time was up', async () => {
    const result = await processFifoBatch(
      batch('a1 b1', (_, __, signal) => sleep(10_000, signal), {
        concurrency: 1,
        remainingMs: () => 60,
        reserveMs: 40,
      }),
    );
    expect(result.failures.map(({ group, reason }) => `${group} ${reason}`)).toEqual(['a aborted', 'b out-of-time']);
  });
});
