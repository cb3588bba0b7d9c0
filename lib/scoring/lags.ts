/** How long the built-in controller took for each transition, from the verdict that foresaw it: bounded, in milliseconds. */

/** The spread of one transition's times. */
export interface Lag {
  /** Such as `PersistentVolumeClaim phase Pending -> Bound`. */
  readonly transition: string;
  readonly count: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Times that are kept of one transition: the latest. */
const MAX_TIMES = 2_000;
/** Phases are few; whatever else the objects say must not fill the memory. */
const MAX_TRANSITIONS = 100;

/** Collects times. */
export class Lags {
  readonly #times = new Map<string, { count: number; readonly latest: number[] }>();

  add(transition: string, ms: number): void {
    const known = this.#times.get(transition) ?? { count: 0, latest: [] };
    if (known.count === 0) {
      if (this.#times.size >= MAX_TRANSITIONS) return;
      this.#times.set(transition, known);
    }
    known.latest[known.count % MAX_TIMES] = ms;
    known.count += 1;
  }

  /** By name. */
  summary(): Lag[] {
    const lags = [...this.#times].map(([transition, { count, latest }]) => {
      const sorted = latest.toSorted((a, b) => a - b);
      return { transition, count, p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
    });
    return lags.sort((a, b) => (a.transition < b.transition ? -1 : 1));
  }
}

/** The nearest rank. @param sorted in ascending order, not empty. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
