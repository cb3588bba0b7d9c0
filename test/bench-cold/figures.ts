/**
 * What of a report the cost page reckons with (docs/measured.json). Of elapsed times it is the shortest: whatever else the
 * machine does only makes them longer. Of CPU times it is the median.
 */
import type { Figures } from '../../scripts/cost/measured.ts';
import type { ColdReport, FunctionReport } from './report.ts';

/** @throws Error where the report is without the emulator's part. */
export function figuresOf({ runs, latencyMs, functions }: ColdReport): Figures {
  const command = `npm run bench:cold -- --latency ${latencyMs} --record`;
  const figure = (value: number, unit: string, what: string) => ({ value, unit, what, command });
  const [claim, volume] = [functionIn(functions, 'claimWorker'), functionIn(functions, 'volumeWorker')];
  const away = `the API server ${latencyMs} ms away`;
  const [binding, settled] = [claim.warm.change, larger(claim.warm.settled, volume.warm.settled)];
  return {
    changeMs: figure(
      binding.elapsedMs.min,
      'ms per invocation',
      `three claims bound, warm, shortest of ${binding.elapsedMs.runs}; ${away}`,
    ),
    changeCpuMs: figure(binding.cpuMs.median, 'ms of CPU per invocation', 'of the same invocations, median'),
    settledMs: figure(
      settled.elapsedMs.min,
      'ms per invocation',
      `ten settled keys, warm, shortest of ${settled.elapsedMs.runs}; ${away}`,
    ),
    settledCpuMs: figure(settled.cpuMs.median, 'ms of CPU per invocation', 'of the same invocations, median'),
    settledReads: figure(settled.readsPerKey.median, 'reads per key', 'of a settled key, by the API server’s count'),
    coldMs: figure(
      Math.max(...[claim, volume].map(({ initMs, firstMs }) => initMs.min + firstMs.min)),
      'ms',
      `a worker’s init and first event, each the shortest of ${runs}; ${away}`,
    ),
    workerPeakMb: figure(
      Math.max(claim.warm.maxRssMb, volume.warm.maxRssMb),
      'MB',
      'most memory of a worker’s process, the pool of all volumes of the run included',
    ),
  };
}

function functionIn(functions: readonly FunctionReport[], name: FunctionReport['name']) {
  const { emulated } = functions.find((one) => one.name === name) ?? {};
  if (emulated?.warm === undefined) throw new Error(`${name} was not measured under the emulator`);
  return { ...emulated, warm: emulated.warm };
}

function larger<T extends { readonly elapsedMs: { readonly min: number } }>(one: T, other: T): T {
  return one.elapsedMs.min >= other.elapsedMs.min ? one : other;
}
