/** How many calls there were in the worst stretch of time. */

/**
 * @param times of calls, in milliseconds, in any order.
 * @returns the most calls within any `windowMs`.
 */
export function peak(times: readonly number[], windowMs: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  let most = 0;
  let from = 0;
  for (const [index, time] of sorted.entries()) {
    while ((sorted[from] as number) <= time - windowMs) from += 1;
    most = Math.max(most, index - from + 1);
  }
  return most;
}
