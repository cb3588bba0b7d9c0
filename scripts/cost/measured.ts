/** docs/measured.json: what the benches have measured and the cost page reckons with, with the command of each figure. */
import { readFileSync, writeFileSync } from 'node:fs';

/** One measured number. */
export interface Figure {
  readonly value: number;
  readonly unit: string;
  /** What was measured, and how often. */
  readonly what: string;
  /** Measures it again, and writes it. */
  readonly command: string;
}

/** A figure as the file holds it. */
export interface RecordedFigure extends Figure {
  readonly machine: string;
  /** `YYYY-MM-DD` */
  readonly measuredOn: string;
}

/** Events of which `bench:events` says what each costs. */
export const EVENTS = ['available', 'bound', 'contested', 'touched', 'released'] as const;
const COUNTS = ['messages', 'invocations', 'reads', 'writes'] as const;

export type EventName = (typeof EVENTS)[number];

const NAMES = [
  ...EVENTS.flatMap((event) => COUNTS.map((count) => `${event}.${count}` as const)),
  'volumeBytes',
  'claimBytes',
  'changeMs',
  'changeCpuMs',
  'settledMs',
  'settledCpuMs',
  'settledReads',
  'coldMs',
  'workerPeakMb',
  'backlogPerInvocation',
] as const;

export type FigureName = (typeof NAMES)[number];

/** Some of them. */
export type Figures = Readonly<Partial<Record<FigureName, Figure>>>;

export type Measured = Readonly<Record<FigureName, RecordedFigure>>;

const FILE = new URL('../../docs/measured.json', import.meta.url);

/** @throws Error that names the figure which is missing or no number of 0 or more, and how to measure it. */
export function readMeasured(): Measured {
  return checkMeasured(JSON.parse(readFileSync(FILE, 'utf8')));
}

/** @throws as `readMeasured`. */
export function checkMeasured(measured: Readonly<Record<string, Partial<RecordedFigure>>>): Measured {
  for (const name of NAMES) {
    const { value, command = 'a command with --record' } = measured[name] ?? {};
    if (!(typeof value === 'number' && value >= 0)) {
      const got = JSON.stringify(value);
      throw new Error(
        `docs/measured.json: ${name}.value must be a number of 0 or more, got ${got}: ${command} writes it`,
      );
    }
  }
  return measured as Measured;
}

/** Puts these figures in place of the earlier ones; all others stay. `npm run cost` is then due. */
export function recordFigures(
  figures: Figures,
  machine: string,
  { file = FILE, measuredOn = new Date() }: { readonly file?: URL | string; readonly measuredOn?: Date } = {},
): void {
  const before = JSON.parse(readFileSync(file, 'utf8')) as Record<string, RecordedFigure>;
  const day = measuredOn.toISOString().slice(0, 10);
  const recorded = Object.entries(figures).map(([name, figure]) => [name, { ...figure, machine, measuredOn: day }]);
  const all = { ...before, ...Object.fromEntries(recorded) } as Record<string, RecordedFigure>;
  const sorted = NAMES.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]]));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
  console.log(`docs/measured.json: ${Object.keys(figures).join(', ')}. Now \`npm run cost\` writes the page.`);
}
