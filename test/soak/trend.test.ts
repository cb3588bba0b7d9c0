/** The line is the least squares one, and growth is told from noise. */
import { describe, expect, test } from 'vitest';
import { Random } from '../differential/random.ts';
import { lineThrough, type Point, verdictOn } from './trend.ts';

/** @param noise how far a point lies off the line at most; `memory` how much of that the next point shares. */
function points(slope: number, noise: number, { count = 240, memory = 0, seed = 1 } = {}): Point[] {
  const random = new Random(seed);
  let off = 0;
  return Array.from({ length: count }, (_, index) => {
    const x = index / 12;
    off = memory * off + (random.next() * 2 - 1) * noise;
    return { x, y: 20_000 + slope * x + off };
  });
}

describe('the line', () => {
  test('through points on a line is that line, without an error', () => {
    const { slope, standardError } = lineThrough(points(-7, 0));
    expect(slope).toBeCloseTo(-7, 8);
    expect(standardError).toBeCloseTo(0, 6);
  });

  test('is the one with the least squares, and its error that of the textbook', () => {
    const some = [1, 2, 1.5, 3, 2.5].map((y, x) => ({ x, y }));
    const { slope, standardError } = lineThrough(some);
    expect(slope).toBeCloseTo(0.4, 10);
    // Residuals -0.2, 0.4, -0.5, 0.6, -0.3: they swing, so nothing is added. sqrt(0.9 / 3 / 10).
    expect(standardError).toBeCloseTo(Math.sqrt(0.9 / 3 / 10), 10);
  });

  test('is less sure where neighbours are alike: the truth is within two errors nearly always', () => {
    const seeds = Array.from({ length: 200 }, (_, seed) => seed);
    const hits = seeds.filter((seed) => {
      const { slope, standardError } = lineThrough(points(0, 100, { memory: 0.8, seed }));
      return Math.abs(slope) < 2 * standardError;
    });
    expect(hits.length).toBeGreaterThan(180);
    expect(hits.length).toBeLessThan(200);
  });

  test('needs three points at more than one place', () => {
    expect(() => lineThrough(points(1, 1, { count: 2 }))).toThrow('2 points');
    expect(() => lineThrough([1, 2, 3].map((y) => ({ x: 1, y })))).toThrow('3 points');
  });
});

describe('the verdict', () => {
  test.each([
    [0, 100, 'flat'],
    [-50, 100, 'flat'],
    [60, 100, 'grows'],
    [20, 100, 'too few to tell'],
    [0, 20_000, 'too few to tell'],
  ])('on a slope of %i with noise of %i is: %s', (slope, noise, verdict) => {
    expect(verdictOn(lineThrough(points(slope, noise)), 20)).toBe(verdict);
  });
});
