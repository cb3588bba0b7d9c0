/** A straight line through measurements of one process, and how sure its slope is. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Line {
  /** Of y per x. */
  readonly slope: number;
  /** Of the slope. */
  readonly standardError: number;
}

/**
 * Least squares. Neighbouring measurements of a process are alike, so that a hundred of them say less than a hundred
 * independent ones would: the standard error is that of as many as they are worth by the correlation of neighbouring
 * residuals (first-order autoregression).
 * @param points in the order of x, at least three and not all at one x.
 * @throws Error for fewer.
 */
export function lineThrough(points: readonly Point[]): Line {
  const count = points.length;
  const mean = { x: sum(points.map(({ x }) => x)) / count, y: sum(points.map(({ y }) => y)) / count };
  const spread = sum(points.map(({ x }) => (x - mean.x) ** 2));
  if (count < 3 || spread === 0) throw new Error(`no line goes through ${count} points at one place`);
  const slope = sum(points.map(({ x, y }) => (x - mean.x) * (y - mean.y))) / spread;
  const residuals = points.map(({ x, y }) => y - mean.y - slope * (x - mean.x));
  const variance = sum(residuals.map((residual) => residual ** 2)) / (count - 2);
  const independent = Math.sqrt(variance / spread);
  const likeness = correlationOfNeighbours(residuals);
  return { slope, standardError: independent * Math.sqrt((1 + likeness) / (1 - likeness)) };
}

export type Verdict = 'flat' | 'grows' | 'too few to tell';

/**
 * It grows when the slope is over the limit, and the limit is further below it than chance goes (two standard errors).
 * It is flat when it is below the limit by as much, and otherwise the measurements are too few.
 */
export function verdictOn({ slope, standardError }: Line, limit: number): Verdict {
  if (slope - 2 * standardError > limit) return 'grows';
  return slope + 2 * standardError < limit ? 'flat' : 'too few to tell';
}

/** From 0 to 0.95: residuals that swing to and fro make nothing surer, and a pure trend has no end. */
function correlationOfNeighbours(residuals: readonly number[]): number {
  const all = sum(residuals.map((residual) => residual ** 2));
  const neighbours = sum(residuals.slice(1).map((residual, index) => residual * (residuals[index] as number)));
  return all === 0 ? 0 : Math.min(0.95, Math.max(0, neighbours / all));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
