/** The result of `npm run bench:cold`, and how it is shown. */
import type { FunctionKey } from '../package/stack/functions.ts';
import type { Spread } from './statistics.ts';

interface Times {
  readonly elapsedMs: Spread;
  readonly cpuMs: Spread;
  /** Gets and lists of the API server, by one key. */
  readonly readsPerKey: Spread;
}

/** Under Lambda's emulator. */
export interface Emulated {
  /** From the start of the process until the handler is loaded. */
  readonly initMs: Spread;
  /** The handler's time for the first event; of the bridge, until it begins to list. */
  readonly firstMs: Spread;
  /** Of a worker: `change` is a batch of three new objects, `settled` one of ten keys that need nothing. */
  readonly warm?: { readonly change: Times; readonly settled: Times; readonly maxRssMb: number };
}

export interface FunctionReport {
  readonly name: FunctionKey;
  /** As configured. */
  readonly memoryMb: number;
  readonly bundleBytes: number;
  readonly zipBytes: number;
  readonly importMs: Spread;
  readonly importCpuMs: Spread;
  /** Absent where the emulator is missing. */
  readonly emulated?: Emulated;
}

export interface ColdReport {
  readonly machine: string;
  readonly runs: number;
  /** How much later the API server answered under the emulator. */
  readonly latencyMs: number;
  readonly functions: readonly FunctionReport[];
}

/** DESIGN section 5, for the workers. */
const GOALS = { bundleKib: 300, importMs: 120 };
const KIB = 1024;

/** Tables for a terminal. */
export function textOf({ machine, runs, latencyMs, functions }: ColdReport): string {
  const sizes = functions.map(({ name, bundleBytes, zipBytes }) => [
    name,
    (bundleBytes / KIB).toFixed(1),
    (zipBytes / KIB).toFixed(1),
    goal(name, bundleBytes / KIB, GOALS.bundleKib, 'KiB'),
  ]);
  const imports = functions.map(({ name, importMs, importCpuMs }) => [
    name,
    shown(importMs),
    shown(importCpuMs),
    goal(name, importMs.median, GOALS.importMs, 'ms'),
  ]);
  const starts = functions.flatMap(({ name, emulated }) =>
    emulated === undefined ? [] : [[name, shown(emulated.initMs), shown(emulated.firstMs)]],
  );
  const warm = functions.flatMap(({ name, emulated }) => {
    if (emulated?.warm === undefined) return [];
    const { change, settled, maxRssMb } = emulated.warm;
    const of = ({ elapsedMs, cpuMs, readsPerKey }: Times) => [
      shown(elapsedMs),
      shown(cpuMs),
      String(readsPerKey.median),
    ];
    return [[name, ...of(change), ...of(settled), String(maxRssMb)]];
  });
  return [
    `\n${machine}. Milliseconds: median (lowest to highest).`,
    section('What is uploaded, KiB', ['function', 'bundle', 'zip', 'goal'], sizes),
    section(`Import in a new process, ${runs} of each in turn`, ['function', 'elapsed', 'CPU', 'goal'], imports),
    section(
      `Lambda’s emulator, ${runs} environments of each, the API server ${latencyMs} ms away`,
      ['function', 'init', 'first event'],
      starts,
    ),
    section(
      'The same, warm: a batch of three new objects, and one of ten settled keys',
      ['function', 'new', 'CPU', 'reads/key', 'settled', 'CPU', 'reads/key', 'MB'],
      warm,
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function goal(name: FunctionKey, value: number, most: number, unit: string): string {
  if (name !== 'volumeWorker' && name !== 'claimWorker') return '';
  return `${value <= most ? 'met' : 'NOT MET'}: at most ${most} ${unit}`;
}

function shown({ median, min, max }: Spread): string {
  return `${median} (${min} to ${max})`;
}

/** A titled table with columns as wide as their texts; nothing without rows. */
export function section(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const lines = all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [title, '', ...lines].join('\n');
}
