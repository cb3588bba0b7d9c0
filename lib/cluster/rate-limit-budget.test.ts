import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { callsPerEnvironment } from './rate-limit-budget.ts';

it.each([2, 10, 50, 100, 478])(
  'keeps %i workers per queue, the bridges and the resync within 24 seats',
  (concurrency) => {
    const perSecond = callsPerEnvironment(concurrency) * (2 * concurrency + 4);
    expect(perSecond * 0.025).toBeLessThanOrEqual(24);
    // Rounded down to whole calls, and no further.
    expect(perSecond + 2 * concurrency + 4).toBeGreaterThan(24 / 0.025);
  },
);

it('never is 0, which would be no limit at all', () => {
  expect(callsPerEnvironment(1_000)).toBe(1);
});

it('has the figures of docs/queue-hygiene.md', () => {
  const page = readFileSync(new URL('../../docs/queue-hygiene.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| +(\d+) +\| +(\d+) +\| +(\d+) +\|/gm)].map((row) => row.slice(1).map(Number));
  expect(rows.length).toBeGreaterThan(2);
  for (const [concurrency = 0, environments, limit] of rows) {
    expect([environments, limit]).toEqual([2 * concurrency + 4, callsPerEnvironment(concurrency)]);
  }
});
