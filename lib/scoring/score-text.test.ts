/** A score as people read it. */
import { expect, test } from 'vitest';
import { scoreText } from './score-text.ts';
import type { Scoreboard } from './scoreboard.ts';

const BOARD: Scoreboard = {
  verdicts: 205,
  counted: 200,
  agreed: 199,
  equallyGood: 3,
  rate: 0.995,
  pending: 1,
  notCounted: { late: 4, overtaken: 0, superseded: 0, lost: 0, dropped: 0 },
  unforeseen: 12,
  lags: [{ transition: 'PersistentVolumeClaim phase Pending -> Bound', count: 199, p50: 7_600.4, p99: 14_900 }],
  disagreements: [
    {
      key: { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'data' },
      how: 'nothing',
      at: 0,
      before: undefined,
      wanted: [],
      notes: ['first', 'binding volume pv-a to claim ns/data'],
    },
  ],
};

test('says how often, of how many, how late, and where not, in 80 columns', () => {
  const text = scoreText(BOARD, {
    builtIn: {
      claims: { depth: 17, p50: 0.001, p99: 0.98 },
      volumes: { depth: undefined, p50: undefined, p99: undefined },
    },
    ours: { claims: { depth: 0, p50: 0.0021, p99: 0.012 }, volumes: { depth: 1, p50: 0.001, p99: 0.001 } },
  });
  expect(text).toBe(`agreement   99.50 % (199 of 200 verdicts; 3 on a volume as good)
verdicts    205: counted 200, pending 1, late 4
unforeseen  12 changes by the built-in controller, mostly as it was faster

its lag behind the verdict:
  claim phase Pending -> Bound          199  p50   7600 ms  p99  14900 ms

queues:
  built-in  claims   depth 17, waits p50 1.0 ms, p99 980.0 ms
  ours      claims   depth 0, waits p50 2.1 ms, p99 12.0 ms
  built-in  volumes  depth unknown, waits p50 unknown, p99 unknown
  ours      volumes  depth 1, waits p50 1.0 ms, p99 1.0 ms

disagreements:
  PersistentVolumeClaim ns/data: it wrote nothing
    we: binding volume pv-a to claim ns/data`);
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

test('promises nothing when nothing was compared', () => {
  const { lags: _lags, disagreements: _disagreements, rate: _rate, ...rest } = BOARD;
  const text = scoreText({ ...rest, counted: 0, agreed: 0, rate: undefined, lags: [], disagreements: [] });
  expect(text).toContain('agreement   nothing to compare yet (0 of 0 verdicts');
  expect(text.split('\n')).toHaveLength(3);
});
