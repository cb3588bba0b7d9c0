import { describe, expect, it } from 'vitest';
import type { Figures } from '../meters/meter.ts';
import { goalsOf } from './goals.ts';
import { limitsOf } from './limits.ts';
import type { Measurement } from './report.ts';
import { logLogSlope, median, percentile } from './statistics.ts';
import { rowsOf } from './summary.ts';
import { legend, tablesOf } from './table.ts';

describe('statistics', () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 2, 3], 2.5],
  ])('the median of %j is %d', (values, expected) => expect(median(values)).toBe(expected));

  it('a percentile is a value that was measured', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect([0.5, 0.95, 0.99, 1].map((share) => percentile(values, share))).toEqual([50, 95, 99, 100]);
  });

  it.each([0, 1, 2])('what grows with power %d has that slope', (power) => {
    const points = [1_000, 10_000, 50_000].map((x) => ({ x, y: 3 * x ** power }));
    expect(logLogSlope(points)).toBeCloseTo(power, 10);
  });

  it('one point has no slope, nor has zero', () => {
    expect(logLogSlope([{ x: 10, y: 1 }])).toBeUndefined();
    expect(logLogSlope([1, 2].map((x) => ({ x, y: 0 })))).toBeUndefined();
  });
});

const FIGURES: Figures = {
  objects: 100,
  seconds: 1,
  perSecond: 100,
  latencyMs: { p50: 10, p95: 20, p99: 30, max: 40 },
  reads: 2,
  writes: 4,
  events: 0,
  requests: {},
  readBytes: 0,
  watchBytes: 0,
  cpuSeconds: { controller: 0.5, apiServer: 1 },
  peakBytes: { controller: 2 ** 20 },
};

function measured(run: number, contender: string, more: Partial<Figures>, job = 'bind'): Measurement {
  return { run, latencyMs: 0, contender, job, figures: { ...FIGURES, ...more } };
}

describe('rows', () => {
  const rows = rowsOf([
    measured(1, 'built-in', { perSecond: 10 }),
    measured(1, 'ours-10', { perSecond: 30, messagesSent: 1 }),
    measured(2, 'built-in', { perSecond: 1 }),
    measured(2, 'ours-10', { perSecond: 4, messagesSent: 3 }),
    measured(3, 'built-in', { perSecond: 20 }),
    measured(3, 'ours-10', { perSecond: 20, messagesSent: 1 }),
  ]);

  it('are medians of all runs', () => {
    expect(rows.find(({ contender }) => contender === 'ours-10')).toMatchObject({
      runs: 3,
      perSecond: 20,
      messages: 1,
      cpu: { controller: 5, apiServer: 10 },
      peakMiB: { controller: 1 },
    });
  });

  it('compare with the rival of the same run, not with its median', () => {
    expect(rows.find(({ contender }) => contender === 'ours-10')?.ratios).toEqual({ 'built-in': 3 });
  });

  it('fit into 120 columns', () => {
    const wide = rowsOf([measured(1, 'built-in-unlimited', {}), measured(1, 'ours-deployed-10', { perSecond: 1_234 })]);
    const lines = [...tablesOf(wide, {}).split('\n'), ...legend.split('\n')];
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
  });
});

describe('goals', () => {
  const of = (perSecond: number, reads: number) =>
    goalsOf(
      rowsOf([measured(1, 'built-in-unlimited', { perSecond: 10 }), measured(1, 'ours-10', { perSecond, reads })]),
      undefined,
    );
  const verdict = (goals: ReturnType<typeof of>, what: string) => goals.find((goal) => goal.what.includes(what))?.isMet;

  it.each([
    [18, true],
    [17.9, false],
  ])('%d binds per second against 10 of the built-in: met is %s', (perSecond, isMet) => {
    expect(verdict(of(perSecond, 2), 'against built-in-unlimited')).toBe(isMet);
  });

  it.each([
    [2, true],
    [2.01, false],
  ])('%d reads per bound pair: met is %s', (reads, isMet) => expect(verdict(of(1, reads), 'reads')).toBe(isMet));

  it('are neither met nor missed where nothing was measured', () => {
    expect(verdict(of(1, 1), 'against floor-16')).toBeUndefined();
  });
});

describe('limits', () => {
  it('tell how busy the machine was, with what, and how far bare writes get', () => {
    const cpuSeconds = { bridge: 1, workers: 2, queue: 1, apiServer: 3, etcd: 1, driver: 2 };
    const rows = rowsOf([
      measured(1, 'built-in', { perSecond: 5 }),
      measured(1, 'ours-4', { perSecond: 20, objects: 100, cpuSeconds }),
      measured(1, 'floor-16', { perSecond: 40 }),
    ]);
    expect(limitsOf(rows, 'ours-4')).toEqual([
      {
        job: 'bind',
        latencyMs: 0,
        coresBusy: 2,
        shares: { apiServerAndEtcd: 40, ours: 30, queue: 10, others: 20 },
        most: { builtIn: 8, unlimited: undefined },
      },
    ]);
  });
});
