/** Records on their way to a bus: within the limits of a request, tried a little, and never at a sync's cost. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type BusEntry, busEntry, EventBus, type PutEvents, type Refusal } from './event-bus.ts';
import type { AuditRecord } from './record.ts';
import { flushRegularly } from './regular-flush.ts';

const RECORD: AuditRecord = {
  v: 1,
  time: '2026-05-01T10:00:05.250Z',
  kind: 'PersistentVolume',
  name: 'pv-1',
  of: 'phase',
  from: 'Bound',
  to: 'Released',
  who: 'us',
  how: 'made',
};

let sent: (readonly BusEntry[])[];
let lost: [records: number, why: string | undefined][];
let put: PutEvents;
let bus: EventBus;
beforeEach(() => {
  sent = [];
  lost = [];
  put = async () => [];
  bus = new EventBus(
    async (entries, deadline) => {
      sent.push(entries);
      return await put(entries, deadline);
    },
    (...args) => lost.push(args),
  );
});
afterEach(() => vi.useRealTimers());

const write = (records: number, more: Partial<AuditRecord> = {}) => {
  for (let i = 0; i < records; i++) bus.write({ ...RECORD, name: `pv-${i}`, ...more });
};
const nameOf = ({ Detail }: BusEntry) => (JSON.parse(Detail) as AuditRecord).name;
const names = () => sent.map((entries) => entries.map(nameOf));
const refuse = (entries: readonly BusEntry[], why: string, mayPass: boolean): Refusal[] =>
  entries.map((entry) => ({ entry, why, mayPass }));

test('an entry can be matched by the kind of its object, and holds the whole record', () => {
  expect(busEntry(RECORD)).toEqual({
    Source: 'serverless-pv-controller',
    DetailType: 'PersistentVolume transition',
    Time: 1_777_629_605.25,
    Detail: JSON.stringify(RECORD),
  });
});

describe('a flush', () => {
  test('sends what came in before it, in tens, once each and in order', async () => {
    write(23);
    expect(sent).toEqual([]);
    await bus.flush();
    await bus.flush();
    expect(sent.map(({ length }) => length)).toEqual([10, 10, 3]);
    expect(names().flat()).toEqual(Array.from({ length: 23 }, (_, i) => `pv-${i}`));
    expect(lost).toEqual([]);
  });

  test('sends no request of more than 256 KiB, counted in UTF-8', async () => {
    // 40,000 characters of three bytes each: two of them fit.
    write(5, { reason: '€'.repeat(40_000) });
    await bus.flush();
    expect(sent.map(({ length }) => length)).toEqual([2, 2, 1]);
  });

  test('takes a thousand records, and tells of the others', async () => {
    write(1_003);
    await bus.flush();
    expect(sent.flat()).toHaveLength(1_000);
    expect(lost).toEqual([[3, 'more than 1000 at once']]);
  });

  test('does nothing in an invocation that has no time left, and tells of it', async () => {
    write(2);
    await bus.flush(-20);
    expect(sent).toEqual([]);
    expect(lost).toEqual([[2, 'no time was left']]);
  });
});

describe('entries that the bus does not take', () => {
  test('are sent again where that may help, and no others', async () => {
    write(4);
    put = async (entries) =>
      sent.length === 1
        ? [
            ...refuse(entries.slice(1, 2), 'ThrottlingException', true),
            ...refuse(entries.slice(3), 'MalformedDetail', false),
          ]
        : [];
    await bus.flush();
    expect(names()).toEqual([['pv-0', 'pv-1', 'pv-2', 'pv-3'], ['pv-1']]);
    expect(lost).toEqual([[1, 'MalformedDetail']]);
  });

  test('are sent three times at most; those of other requests are not lost with them', async () => {
    write(12);
    put = async (entries) => (entries.length === 2 ? refuse(entries, 'InternalFailure', true) : []);
    await bus.flush();
    expect(sent.map(({ length }) => length)).toEqual([10, 2, 2, 2]);
    expect(lost).toEqual([[2, 'InternalFailure']]);
  });

  test('are not waited for longer than a second, or what is left of the invocation', async () => {
    put = (entries, deadline) =>
      new Promise((resolve) => deadline.onEnd(({ message }) => resolve(refuse(entries, message, true))));
    for (const [withinMs, takesMs] of [
      [60_000, 1_000],
      [200, 200],
    ] as const) {
      const patient = new EventBus(put, (...args) => lost.push(args));
      patient.write(RECORD);
      const start = performance.now();
      await patient.flush(withinMs);
      expect(performance.now() - start).toBeLessThan(takesMs + 250);
      expect(performance.now() - start).toBeGreaterThan(takesMs - 20);
    }
    expect(lost).toEqual([
      [1, 'no answer within 1000 ms'],
      [1, 'no answer within 200 ms'],
    ]);
  });

  test('make a bus that takes nothing rest for 30 s: no invocation waits for it, and it is told of once', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    put = async (entries) => refuse(entries, '400 AccessDeniedException', false);
    const told = () => [sent.length, ...lost.splice(0)];
    write(2);
    await bus.flush();
    expect(told()).toEqual([1, [2, '400 AccessDeniedException']]);
    vi.advanceTimersByTime(29_000);
    write(3);
    await bus.flush();
    expect(told()).toEqual([1, [3, undefined]]);
    vi.advanceTimersByTime(2_000);
    put = async () => [];
    write(1);
    await bus.flush();
    expect(told()).toEqual([2]);
  });
});

describe('a bus that had less than a second for its answer', () => {
  test('does not rest: that it took nothing may be the fault of the invocation, which was nearly over', async () => {
    put = async (entries) => refuse(entries, 'no answer within 20 ms', true);
    write(1);
    await bus.flush(20);
    put = async () => [];
    write(1);
    await bus.flush();
    expect(lost).toEqual([[1, 'no answer within 20 ms']]);
  });
});

describe('a bridge', () => {
  test('flushes while it runs, and once more when it is stopped', async () => {
    const flushing = flushRegularly(bus, 20);
    write(1);
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    write(1);
    await flushing.stop();
    expect(sent).toHaveLength(2);
    write(1);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(sent).toHaveLength(2);
  });

  test('that is stopped waits for the flush under way', async () => {
    const order: string[] = [];
    put = async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      order.push('sent');
      return [];
    };
    const flushing = flushRegularly(bus, 20);
    write(1);
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    await flushing.stop();
    expect([...order, 'stopped']).toEqual(['sent', 'stopped']);
  });

  test('without a bus has nothing to flush', async () => {
    await expect(flushRegularly(undefined).stop()).resolves.toBeUndefined();
  });
});
