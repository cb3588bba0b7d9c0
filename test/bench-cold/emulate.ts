/** One function under Lambda's emulator, as the report has it. */
import type { FunctionUnderTest, Invocation } from './invocations.ts';
import { progress } from './options.ts';
import type { Emulated } from './report.ts';
import { roundedSpread, type Spread, spreadOf } from './statistics.ts';

/** Keys of a worker's batch. */
const KEYS = { change: 3, settled: 10 };

/**
 * @param runs environments that are started.
 * @param invocations of each kind of work, in one environment; workers only.
 */
export async function emulate(underTest: FunctionUnderTest, runs: number, invocations: number): Promise<Emulated> {
  const done = progress(underTest.key, runs + (underTest.isWorker ? 2 * invocations : 0));
  const starts = [];
  for (let run = 0; run < runs; run += 1) {
    starts.push(await underTest.cold());
    done();
  }
  const cold = {
    initMs: told(starts.map(({ initMs }) => initMs)),
    firstMs: told(starts.map(({ firstMs }) => firstMs)),
  };
  if (!underTest.isWorker) return cold;
  const change = await underTest.warm('change', KEYS.change, invocations, done);
  const settled = await underTest.warm('settled', KEYS.settled, invocations, done);
  const maxRssMb = Math.round(Math.max(...[...change, ...settled].map((one) => one.maxRssMb)));
  return { ...cold, warm: { change: times(change, KEYS.change), settled: times(settled, KEYS.settled), maxRssMb } };
}

function times(invocations: readonly Invocation[], keys: number) {
  return {
    elapsedMs: told(invocations.map(({ elapsedMs }) => elapsedMs)),
    cpuMs: told(invocations.map(({ cpuMs }) => cpuMs)),
    readsPerKey: told(invocations.map(({ reads }) => reads / keys)),
  };
}

function told(values: readonly number[]): Spread {
  return roundedSpread(spreadOf(values));
}
