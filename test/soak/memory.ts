/** The memory of the processes over the time of a soak: read from their files, fitted, judged, and told as a table. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Line, lineThrough, type Verdict, verdictOn } from './trend.ts';

export interface MemorySample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Bytes in use after a full collection of garbage, compiled code aside: the heap, and what belongs to it outside. */
  readonly live: number;
  /** Bytes of compiled code. */
  readonly code: number;
  /** Bytes that the process has of the machine. */
  readonly rss: number;
}

type Measure = Exclude<keyof MemorySample, 'at'>;
const MEASURES: readonly Measure[] = ['live', 'code', 'rss'];

/** KB per minute that are too many, of what is judged. */
export type Limits = Readonly<Partial<Record<Measure, number>>>;

export interface ProcessMemory {
  /** As `bridge-4711`. */
  readonly process: string;
  readonly samples: readonly MemorySample[];
}

/** Of every process that has written into this folder, those that were killed too. */
export async function readMemory(folder: string): Promise<ProcessMemory[]> {
  const files = (await readdir(folder)).filter((file) => /^(bridge|worker)-\d+$/.test(file)).sort();
  return await Promise.all(
    files.map(async (process) => {
      // A process that is killed may leave half a line.
      const lines = (await readFile(join(folder, process), 'utf8')).split('\n').slice(0, -1);
      return { process, samples: lines.map((line) => JSON.parse(line) as MemorySample) };
    }),
  );
}

/** Those that lived from the first minute to the end: what is judged. */
export function survivors(all: readonly ProcessMemory[]): ProcessMemory[] {
  const times = all.flatMap(({ samples }) => samples.map(({ at }) => at));
  const [start, end] = [Math.min(...times), Math.max(...times)];
  const NEAR_MS = 30_000;
  return all.filter(({ samples }) => {
    const [first, last] = [samples[0], samples.at(-1)];
    return first !== undefined && last !== undefined && first.at < start + NEAR_MS && last.at > end - NEAR_MS;
  });
}

export interface Growth {
  /** KB per minute, over the second two thirds: what fills up at first, such as caches, is left out. */
  readonly line: Line;
  readonly verdict: Verdict;
}

/** @param limit KB per minute. @returns undefined for a process that was measured too seldom. */
export function growthOf(samples: readonly MemorySample[], of: Measure, limit: number): Growth | undefined {
  const [first] = samples;
  const late = samples.slice(Math.floor(samples.length / 3));
  if (first === undefined || late.length < 3) return undefined;
  const line = lineThrough(late.map((sample) => ({ x: (sample.at - first.at) / 60_000, y: sample[of] / 1024 })));
  return { line, verdict: verdictOn(line, limit) };
}

/** How many of these measures grow. */
export function countGrowing(processes: readonly ProcessMemory[], limits: Limits): number {
  const judged = processes.flatMap(({ samples }) =>
    MEASURES.map((of) => limits[of] !== undefined && growthOf(samples, of, limits[of])?.verdict === 'grows'),
  );
  return judged.filter(Boolean).length;
}

/** A line for each process and measure. */
export function memoryTable(processes: readonly ProcessMemory[], limits: Limits): string {
  const kb = (bytes: number) => (bytes / 1024).toFixed(0);
  const line = (what: string, of: string, ...cells: readonly string[]) =>
    what.padEnd(16) + of.padEnd(5) + cells.map((cell) => cell.padStart(9)).join('');
  const row = ({ process, samples }: ProcessMemory, of: Measure) => {
    const values = samples.map((sample) => sample[of]);
    const limit = limits[of];
    const growth = growthOf(samples, of, limit ?? Number.POSITIVE_INFINITY);
    const [start = 0, end = 0] = [values[0], values.at(-1)];
    const slope = growth && [growth.line.slope.toFixed(1), growth.line.standardError.toFixed(1)];
    const verdict = limit === undefined ? 'not judged' : (growth?.verdict ?? 'too few to tell');
    const range = [kb(start), kb(end), kb(Math.min(...values)), kb(Math.max(...values))];
    return `${line(process, of, String(values.length), ...range, ...(slope ?? ['-', '-']), String(limit ?? '-'))}  ${verdict}`;
  };
  return [
    `${line('process', 'KB', 'samples', 'start', 'end', 'min', 'max', 'slope', '+-', 'limit')}  verdict`,
    ...processes.flatMap((each) => MEASURES.map((of) => row(each, of))),
    'slope and its standard error: KB per minute, least squares over the second two thirds',
  ].join('\n');
}
