/** How much is tried: the same number of cases at each run of `npm test`, and more with `FUZZ_RUNS=n`. */
import { expect, vi } from 'vitest';

const USUAL = 300;
const asked = Number(process.env['FUZZ_RUNS'] ?? USUAL);
if (!(Number.isSafeInteger(asked) && asked > 0)) {
  throw new Error(`FUZZ_RUNS must be a whole number above 0, got ${JSON.stringify(process.env['FUZZ_RUNS'])}`);
}

/** CPU time for a large input, in milliseconds. Linear code takes a tenth of it, quadratic code hours. */
const MAX_MS = 2_000;

// Of the file that imports this: more cases take longer.
vi.setConfig({ testTimeout: 20_000 + asked * 30 });

/**
 * Settings of a property.
 * @param cost how much dearer a case is than one call of a parser: it gets so many times fewer cases.
 */
export function runs(cost = 1): { numRuns: number } {
  return { numRuns: Math.max(10, Math.ceil(asked / cost)) };
}

/** Calls it once with a large input, and says when that took longer than any linear code would, however busy the machine. */
export async function inTime<T>(call: () => T | Promise<T>): Promise<T> {
  const before = process.cpuUsage();
  try {
    return await call();
  } finally {
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(MAX_MS);
  }
}
