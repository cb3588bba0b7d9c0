import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Progress } from './progress.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('a run says nothing before two seconds are over, then how far it is, and nothing when it is done', () => {
  const told: string[] = [];
  const progress = new Progress((line) => told.push(line));
  progress.set('1 of 3');
  vi.advanceTimersByTime(1_999);
  expect(told).toEqual([]);
  progress.set('2 of 3');
  vi.advanceTimersByTime(1);
  expect(told).toEqual(['2 of 3']);
  progress.stop();
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual(['2 of 3']);
});
