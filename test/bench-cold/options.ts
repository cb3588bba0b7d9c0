/** What the benches of this folder have in common: numbers on the command line, and the machine that they ran on. */
import { cpus, loadavg } from 'node:os';
import { UsageError, type Values } from '../../local/command-line.ts';

/** @throws UsageError when it is no whole number of `least` or more. */
export function countOption(values: Values, name: string, otherwise: number, least: number): number {
  const value = values[name];
  if (value === undefined) return otherwise;
  const number = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least) return number;
  throw new UsageError(`--${name} must be a whole number of ${least} or more, got ${JSON.stringify(value)}`);
}

/** Cores, processor, Node, and how many processes wanted a core over the last minute: times of a busy machine are longer. */
export function machine(): string {
  const processors = cpus();
  const [load = 0] = loadavg();
  const model = processors[0]?.model.trim() ?? 'unknown processor';
  return `${processors.length} × ${model}, Node ${process.versions.node}, load ${load.toFixed(1)} before`;
}

/** On stderr, at each tenth of the way. @returns to be called after each step. */
export function progress(what: string, total: number): () => void {
  let done = 0;
  const tenths = (at: number) => Math.floor((at * 10) / total);
  return () => {
    done += 1;
    if (tenths(done) > tenths(done - 1)) console.error(`${what}: ${done} of ${total}`);
  };
}
