/** The rows as text of at most 120 columns. */
import type { Row } from './summary.ts';

interface Column {
  readonly title: string;
  readonly cell: (row: Row) => string;
}

/** Three digits that say something; nothing where there is no number. */
export function short(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '';
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  return value.toFixed(2);
}

/** The parts of a contender that are the controller; `queue` stands for SQS, which runs elsewhere. */
export const controllerParts = ['controller', 'bridge', 'workers'] as const;

/** Of the parts that are there; undefined where there is none. */
export function ofController(values: Readonly<Record<string, number>>): number | undefined {
  const found = controllerParts.flatMap((part) => values[part] ?? []);
  return found.length === 0 ? undefined : found.reduce((sum, value) => sum + value, 0);
}

const columns: readonly Column[] = [
  { title: 'contender', cell: ({ contender }) => contender },
  { title: 'n', cell: ({ objects }) => String(objects) },
  { title: '/s', cell: ({ perSecond }) => short(perSecond) },
  { title: '×b-in', cell: ({ ratios }) => short(ratios['built-in']) },
  { title: '×unl', cell: ({ ratios }) => short(ratios['built-in-unlimited']) },
  { title: '×floor', cell: ({ ratios }) => short(ratios['floor-16']) },
  { title: 'p50', cell: ({ p50 }) => short(p50) },
  { title: 'p95', cell: ({ p95 }) => short(p95) },
  { title: 'p99', cell: ({ p99 }) => short(p99) },
  { title: 'reads', cell: ({ reads }) => short(reads) },
  { title: 'writes', cell: ({ writes }) => short(writes) },
  { title: 'msgs', cell: ({ messages }) => short(messages) },
  { title: 'cpu ms', cell: ({ cpu }) => short(ofController(cpu)) },
  { title: 'api ms', cell: ({ cpu }) => short(cpu['apiServer']) },
  { title: 'MiB', cell: ({ peakMiB }) => short(ofController(peakMiB)) },
];

/** One table for each job and latency. */
export function tablesOf(rows: readonly Row[], about: Readonly<Record<string, string>>): string {
  const blocks = Map.groupBy(rows, ({ latencyMs, job }) => `${latencyMs} ${job}`);
  return [...blocks.values()]
    .map((block) => {
      const [{ job, latencyMs, runs }] = block as [Row];
      const added = latencyMs === 0 ? 'no delay' : `${latencyMs} ms added to each call`;
      return [`${job}: ${about[job] ?? ''}`, `  ${added}, ${runs} run(s)`, ...linesOf(block)].join('\n');
    })
    .join('\n\n');
}

function linesOf(rows: readonly Row[]): string[] {
  const cells = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ cell }) => cell(row)))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  return cells.map((line) =>
    line
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

export const legend = [
  'n: objects; /s: done per second; ×b-in, ×unl, ×floor: as often as built-in, built-in-unlimited, floor-16;',
  'p50, p95, p99: ms from creation to the end state; reads, writes: API requests per object, those of events aside;',
  'msgs: queue messages per object; cpu ms, api ms: processor time per object of the controller and of the API server;',
  'MiB: peak memory of the controller.',
].join('\n');
