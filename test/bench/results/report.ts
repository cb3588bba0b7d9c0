/** What a run of the benchmark leaves behind: the file of `--json`. */
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import type { Figures } from '../meters/meter.ts';

/** One job of one contender in one run. */
export interface Measurement {
  readonly run: number;
  /** Added to each call of the contender. */
  readonly latencyMs: number;
  readonly contender: string;
  readonly job: string;
  readonly figures: Figures;
}

export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly node: string;
  /** Of the machine, when the benchmark began: how many processes wanted a core over the last minute. */
  readonly load: number;
}

export interface Report {
  readonly command: string;
  readonly date: string;
  readonly machine: Machine;
  /** What each contender is, by its name. */
  readonly contenders: Readonly<Record<string, string>>;
  readonly measurements: readonly Measurement[];
  /** Whether a proxy stood before the API server even where nothing was delayed. */
  readonly proxyAlways: boolean;
}

export function thisMachine(): Machine {
  const processors = cpus();
  return {
    cores: processors.length,
    processor: processors[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    load: Number(readFileSync('/proc/loadavg', 'utf8').split(' ')[0]),
  };
}

/** The command that people type, without where Node is and where the file went. */
export function commandOf(script: string): string {
  const given = process.argv.slice(2);
  const kept = given.filter((word, index) => !word.startsWith('--json') && given[index - 1] !== '--json');
  return kept.length === 0 ? `npm run ${script}` : `npm run ${script} -- ${kept.join(' ')}`;
}
