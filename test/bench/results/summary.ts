/** Many runs become one row for each job and contender: medians, and ratios to the others of the same run. */
import type { Figures } from '../meters/meter.ts';
import type { Measurement } from './report.ts';
import { median } from './statistics.ts';

export interface Row {
  readonly latencyMs: number;
  readonly job: string;
  readonly contender: string;
  readonly runs: number;
  readonly objects: number;
  readonly perSecond: number;
  /** To the rate of another contender at the same job in the same run; the median of these. */
  readonly ratios: Readonly<Record<string, number>>;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly reads: number;
  readonly writes: number;
  readonly events: number;
  readonly messages: number | undefined;
  /** Milliseconds of processor time for each object. */
  readonly cpu: Readonly<Record<string, number>>;
  readonly peakMiB: Readonly<Record<string, number>>;
}

/** In the order in which jobs and contenders first appear. */
export function rowsOf(measurements: readonly Measurement[]): Row[] {
  const groups = Map.groupBy(measurements, ({ latencyMs, job, contender }) => [latencyMs, job, contender].join(' '));
  const order = [...new Set(measurements.map(({ job }) => job))];
  const rows = [...groups.values()].map((group) => rowOf(group, measurements));
  return rows.sort(
    (one, other) => one.latencyMs - other.latencyMs || order.indexOf(one.job) - order.indexOf(other.job),
  );
}

function rowOf(group: readonly Measurement[], all: readonly Measurement[]): Row {
  const [first] = group as [Measurement];
  const of = (figure: (figures: Figures) => number) => median(group.map(({ figures }) => figure(figures)));
  const cpuParts = Object.keys(first.figures.cpuSeconds);
  const memoryParts = Object.keys(first.figures.peakBytes);
  return {
    latencyMs: first.latencyMs,
    job: first.job,
    contender: first.contender,
    runs: group.length,
    objects: first.figures.objects,
    perSecond: of(({ perSecond }) => perSecond),
    ratios: ratiosOf(group, all),
    p50: of(({ latencyMs }) => latencyMs.p50),
    p95: of(({ latencyMs }) => latencyMs.p95),
    p99: of(({ latencyMs }) => latencyMs.p99),
    reads: of(({ reads }) => reads),
    writes: of(({ writes }) => writes),
    events: of(({ events }) => events),
    messages: first.figures.messagesSent === undefined ? undefined : of(({ messagesSent }) => messagesSent ?? 0),
    cpu: Object.fromEntries(
      cpuParts.map((part) => [part, of(({ cpuSeconds, objects }) => ((cpuSeconds[part] ?? 0) * 1_000) / objects)]),
    ),
    peakMiB: Object.fromEntries(
      memoryParts.map((part) => [part, of(({ peakBytes }) => (peakBytes[part] ?? 0) / 2 ** 20)]),
    ),
  };
}

function ratiosOf(group: readonly Measurement[], all: readonly Measurement[]): Record<string, number> {
  const [{ latencyMs, job, contender }] = group as [Measurement];
  const rivals = all.filter((each) => each.latencyMs === latencyMs && each.job === job && each.contender !== contender);
  const ratios: Record<string, number> = {};
  for (const [rival, theirs] of Map.groupBy(rivals, (each) => each.contender)) {
    const paired = group.flatMap(({ run, figures }) => {
      const other = theirs.find((each) => each.run === run);
      return other === undefined ? [] : [figures.perSecond / other.figures.perSecond];
    });
    if (paired.length > 0) ratios[rival] = median(paired);
  }
  return ratios;
}
