/** The few sums that turn measurements into figures. */

/** @param share from 0 to 1; 0.5 is the median. The nearest measured value, none in between. @throws Error for none. */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new Error('there is no percentile of nothing');
  const sorted = values.toSorted((one, other) => one - other);
  const index = Math.max(0, Math.ceil(share * sorted.length) - 1);
  return sorted[index] as number;
}

/** The middle one, or between the middle two. @throws Error for none. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('there is no median of nothing');
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/**
 * How y grows with x, as the slope of the best line through the logarithms: 0 is flat, 1 grows alike, 2 squared.
 * @returns undefined where fewer than two points are above zero.
 */
export function logLogSlope(points: readonly { readonly x: number; readonly y: number }[]): number | undefined {
  const logs = points.filter(({ x, y }) => x > 0 && y > 0).map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }));
  if (new Set(logs.map(({ x }) => x)).size < 2) return undefined;
  const mean = (of: (point: { x: number; y: number }) => number) =>
    logs.reduce((sum, point) => sum + of(point), 0) / logs.length;
  const meanX = mean(({ x }) => x);
  const meanY = mean(({ y }) => y);
  const covariance = mean(({ x, y }) => (x - meanX) * (y - meanY));
  return covariance / mean(({ x }) => (x - meanX) ** 2);
}
