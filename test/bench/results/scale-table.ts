/** The costs of `bench:scale` by size, and how each grows. */
import type { SizeFigures } from '../scale/sizes.ts';
import type { Machine } from './report.ts';
import { logLogSlope } from './statistics.ts';
import { ofController, short } from './table.ts';

/** The file of `--json`. */
export interface ScaleReport {
  readonly command: string;
  readonly date: string;
  readonly machine: Machine;
  readonly sizes: readonly SizeFigures[];
}

export interface Cost {
  readonly name: string;
  /** By size, in the order of the report; undefined where it was not measured. */
  readonly values: readonly (number | undefined)[];
  readonly slope: number | undefined;
}

type Look = (size: SizeFigures) => number | undefined;

const mib = (bytes: number) => bytes / 2 ** 20;
const each = (seconds: number | undefined, objects: number) => seconds && (seconds * 1_000) / objects;

const looks: readonly (readonly [name: string, look: Look])[] = [
  ['one bind: median ms', ({ bind }) => bind.latencyMs.p50],
  ['one bind: reads', ({ bind }) => bind.reads],
  ['one bind: ms of processor, bridge + worker', ({ bind }) => each(ofController(bind.cpuSeconds), bind.objects)],
  ['one bind: ms of processor, API server', ({ bind }) => each(bind.cpuSeconds['apiServer'], bind.objects)],
  ['one bind: KiB read by requests', ({ bind }) => bind.readBytes / 1024 / bind.objects],
  ['first bind of a worker: ms', ({ firstBind }) => firstBind.latencyMs.p50],
  ['first bind of a worker: MiB read by requests', ({ firstBind }) => mib(firstBind.readBytes)],
  ['settled event: ms of processor, bridge', ({ event }) => each(event.cpuSeconds['bridge'], event.objects)],
  ['settled event: messages', ({ event }) => event.messagesSent],
  ['settled event: reads', ({ event }) => event.reads],
  ['settled event: writes', ({ event }) => event.writes],
  ['bridge start: s', ({ bridgeStart }) => bridgeStart.seconds],
  ['bridge start: s of processor, bridge', ({ bridgeStart }) => bridgeStart.cpuSeconds],
  ['bridge start: requests', ({ bridgeStart }) => bridgeStart.reads],
  ['bridge start: MiB read', ({ bridgeStart }) => mib(bridgeStart.readBytes)],
  ['full resync: s', ({ resync }) => resync?.seconds],
  ['full resync: keys per s', ({ resync }) => resync?.perSecond],
  ['full resync: messages per key', ({ resync }) => resync?.messagesSent],
  ['full resync: reads per key', ({ resync }) => resync?.reads],
  ['full resync: writes per key', ({ resync }) => resync?.writes],
  ['bridge: MiB resident after its start', ({ bridgeStart }) => mib(bridgeStart.memory.residentBytes)],
  ['bridge: MiB at its peak', ({ bridgeMemory }) => mib(bridgeMemory.peakBytes)],
  ['bridge: MiB of live heap', ({ bridgeStart }) => mib(bridgeStart.memory.heapBytes)],
  ['workers: MiB resident', ({ workerMemory }) => mib(workerMemory.residentBytes)],
  ['workers: MiB at their peak', ({ workerMemory }) => mib(workerMemory.peakBytes)],
  ['workers: MiB of live heap', ({ workerMemory }) => mib(workerMemory.heapBytes)],
];

export function costsOf(sizes: readonly SizeFigures[]): Cost[] {
  return looks.map(([name, look]) => {
    const values = sizes.map(look);
    const points = sizes.flatMap(({ pairs }, index) => ({ x: pairs, y: values[index] ?? 0 }));
    return { name, values, slope: logLogSlope(points) };
  });
}

/** As text of at most 100 columns. */
export function scaleTable(sizes: readonly SizeFigures[]): string {
  const header = ['', ...sizes.map(({ pairs }) => `${pairs} pairs`), 'slope'];
  const lines = [
    header,
    ...costsOf(sizes).map(({ name, values, slope }) => [name, ...values.map(short), short(slope)]),
  ];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))),
    )
    .map((line) => line.join('  ').trimEnd())
    .join('\n');
}

/** What a settled cluster did while nothing happened. */
export function settledLine({ sizes }: Pick<ScaleReport, 'sizes'>): string | undefined {
  const last = sizes.find(({ settled }) => settled !== undefined);
  if (last?.settled === undefined) return undefined;
  const { seconds, reads, writes, messagesSent = 0, watchBytes, cpuSeconds } = last.settled;
  return (
    `${last.pairs} settled pairs at rest for ${(seconds / 60).toFixed(1)} minutes: ${messagesSent} messages, ${writes} writes, ` +
    `${reads} reads, ${Math.round(watchBytes / 1024)} KiB of watch events, bridge ${short(cpuSeconds['bridge'])} s of processor. ` +
    `The hourly sweep is off here; by its nature it would send ${2 * last.pairs} messages in an hour.`
  );
}
