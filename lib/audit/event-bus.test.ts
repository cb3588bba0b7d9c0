/** Records on their way to a bus: in tens, once each, and never at a sync's cost. */
import { beforeEach, expect, test } from 'vitest';
import { type BusEntry, busEntry, EventBus } from './event-bus.ts';
import type { AuditRecord } from './record.ts';

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
let lost: [records: number, why: string][];
let refuse: () => number;
let bus: EventBus;
beforeEach(() => {
  sent = [];
  lost = [];
  refuse = () => 0;
  const put = async (entries: readonly BusEntry[]) => {
    sent.push(entries);
    return refuse();
  };
  bus = new EventBus('storage', put, (...args) => lost.push(args));
});

const write = (records: number) => {
  for (let i = 0; i < records; i++) bus.write({ ...RECORD, name: `pv-${i}` });
};

test('an entry can be matched by its kind of change, and holds the whole record', () => {
  expect(busEntry(RECORD, 'storage')).toEqual({
    EventBusName: 'storage',
    Source: 'serverless-pv-controller',
    DetailType: 'PersistentVolume phase',
    Time: new Date('2026-05-01T10:00:05.250Z'),
    Detail: JSON.stringify(RECORD),
  });
});

test('nothing is sent before the flush, then all in tens, once each and in order', async () => {
  write(23);
  expect(sent).toEqual([]);
  await bus.flush();
  await bus.flush();
  expect(sent.map(({ length }) => length)).toEqual([10, 10, 3]);
  const names = sent.flat().map(({ Detail }) => (JSON.parse(Detail) as AuditRecord).name);
  expect(names).toEqual(Array.from({ length: 23 }, (_, i) => `pv-${i}`));
  expect(lost).toEqual([]);
});

test('a bus that refuses, or is not there, costs records and nothing else', async () => {
  write(11);
  let calls = 0;
  refuse = () => {
    calls += 1;
    if (calls === 2) throw new Error('no such bus');
    return 4;
  };
  await bus.flush();
  expect(lost).toEqual([
    [4, 'refused by the bus'],
    [1, 'no such bus'],
  ]);
});

test('a bus that nobody flushes holds a thousand records, and tells of the others', async () => {
  write(1_003);
  await bus.flush();
  expect(sent.flat()).toHaveLength(1_000);
  expect(lost).toEqual([[3, 'more than 1000 in one go']]);
});
