/** What is told of a series of measurements. */

/** Median, lowest and highest; all in the unit of the values. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly runs: number;
}

/** @throws Error for no values: there is nothing to tell then. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) throw new Error('nothing was measured');
  const middle = (sorted.length - 1) / 2;
  const [below = min, above = max] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return { median: (below + above) / 2, min, max, runs: sorted.length };
}

/** With the digits that a machine with other work on it can vouch for. */
export function rounded(value: number): number {
  return Number(value.toFixed(value < 10 ? 1 : 0));
}

/** The same with each of its times rounded. */
export function roundedSpread({ median, min, max, runs }: Spread): Spread {
  return { median: rounded(median), min: rounded(min), max: rounded(max), runs };
}
