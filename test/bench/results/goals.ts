/** The goals of docs/design.md section 5, and whether what was measured meets them. */
import type { ScaleReport } from './scale-table.ts';
import { costsOf } from './scale-table.ts';
import type { Row } from './summary.ts';
import { short } from './table.ts';

export interface Goal {
  readonly what: string;
  readonly goal: string;
  /** What was measured, in words; undefined where it was not. */
  readonly measured: string | undefined;
  readonly isMet: boolean | undefined;
  /** It is about time, and so says nothing when it was measured on a machine that was busy with other work. */
  readonly isTimed?: boolean;
}

interface Wanted {
  readonly what: string;
  readonly latencyMs: number;
  readonly job: string;
  readonly against: string;
  readonly least: number;
}

const rates: readonly Wanted[] = [
  { what: 'claims bound per second, static volumes', latencyMs: 0, job: 'bind', against: 'built-in', least: 20 },
  { what: 'the same', latencyMs: 0, job: 'bind', against: 'built-in-unlimited', least: 1.8 },
  { what: 'the same, 5 ms added to each call', latencyMs: 5, job: 'bind', against: 'built-in-unlimited', least: 4 },
  {
    what: 'claims there already, bound per second',
    latencyMs: 0,
    job: 'backlog',
    against: 'floor-16',
    least: 0.75,
  },
  { what: 'volumes Released per second', latencyMs: 0, job: 'release', against: 'built-in-unlimited', least: 1 },
  { what: 'the same, 5 ms added', latencyMs: 5, job: 'release', against: 'built-in-unlimited', least: 2.2 },
];

/** Our contender that the goals are about: the best one at binding without a delay, of those that run as deployed. */
export function championOf(rows: readonly Row[]): string | undefined {
  const ours = rows.filter(({ contender, job, latencyMs }) => isOwn(contender) && job === 'bind' && latencyMs === 0);
  return ours.toSorted((one, other) => other.perSecond - one.perSecond)[0]?.contender;
}

const isOwn = (contender: string) => /^ours-\d+$/.test(contender);

export function goalsOf(rows: readonly Row[], scale: ScaleReport | undefined): Goal[] {
  const champion = championOf(rows);
  const find = (job: string, latencyMs: number) =>
    rows.find((row) => row.contender === champion && row.job === job && row.latencyMs === latencyMs);
  return [
    ...rates.map((wanted): Goal => {
      const ratio = find(wanted.job, wanted.latencyMs)?.ratios[wanted.against];
      return {
        what: `${wanted.what}, against ${wanted.against}`,
        goal: `≥ ${wanted.least} ×`,
        measured: ratio === undefined ? undefined : `${short(ratio)} ×`,
        isMet: ratio === undefined ? undefined : ratio >= wanted.least,
        isTimed: true,
      };
    }),
    ...countsOf(find('bind', 0), find('waiting', 0)),
    ...(scale === undefined ? [] : growthOf(scale)),
  ];
}

function countsOf(bind: Row | undefined, waiting: Row | undefined): Goal[] {
  const atMost = (what: string, value: number | undefined, most: number, unit = ''): Goal => ({
    what,
    goal: `≤ ${most}${unit}`,
    measured: value === undefined ? undefined : `${short(value)}${unit}`,
    isMet: value === undefined ? undefined : value <= most,
  });
  return [
    {
      ...atMost('Pending claim → Bound after a fitting volume appears, p99', waiting?.p99, 1_000, ' ms'),
      isTimed: true,
    },
    // A lost race for a volume is a write that is refused; a few of them are no other way of working.
    atMost('API writes per bound pair, rounded to a tenth', bind && Math.round(bind.writes * 10) / 10, 4),
    atMost('API reads per bound pair', bind?.reads, 2),
    atMost('messages per bound pair', bind?.messages, 3),
  ];
}

function growthOf(scale: ScaleReport): Goal[] {
  const costs = costsOf(scale.sizes);
  const cost = (name: string) => costs.find((each) => each.name === name);
  const largest = scale.sizes.at(-1);
  const slope = (name: string): Goal => {
    const value = cost(name)?.slope;
    return {
      what: `${name}, from ${scale.sizes[0]?.pairs} to ${largest?.pairs} pairs: slope`,
      goal: '≤ 0.1',
      measured: value === undefined ? undefined : short(value),
      isMet: value === undefined ? undefined : value <= 0.1,
    };
  };
  const at = (name: string) => cost(name)?.values.at(-1);
  const grown = (cost('one bind: median ms')?.values ?? []).map((value) => value ?? 0);
  const growth = (grown.at(-1) ?? 0) / (grown[0] ?? 1);
  const memory = at('bridge: MiB at its peak') ?? 0;
  const resync = { reads: at('full resync: reads per key'), writes: at('full resync: writes per key') };
  const settled = largest?.settled;
  const isQuiet = settled !== undefined && settled.messagesSent === 0 && settled.writes === 0;
  return [
    slope('settled event: ms of processor, bridge'),
    { ...slope('one bind: median ms'), isTimed: true },
    {
      what: 'one bind at the largest size, against the smallest',
      goal: '≤ 1.3 ×',
      measured: `${short(growth)} ×`,
      isMet: growth <= 1.3,
      isTimed: true,
    },
    {
      what: `bridge memory with ${2 * (largest?.pairs ?? 0)} volumes and claims`,
      goal: '≤ 200 MiB at 100,000',
      measured: `${short(memory)} MiB at its peak`,
      isMet: memory <= 200,
    },
    {
      what: 'a sync of a settled object',
      goal: '0 writes, ≤ 2 reads',
      measured: resync.reads === undefined ? undefined : `${short(resync.writes)} writes, ${short(resync.reads)} reads`,
      // The pages of a list, and a read that was repeated, are a hundredth of this.
      isMet: resync.reads === undefined ? undefined : resync.writes === 0 && resync.reads < 2.05,
    },
    {
      what: `a settled cluster of ${largest?.pairs} pairs, at rest for ${short((settled?.seconds ?? 0) / 60)} minutes`,
      goal: '0 messages, 0 writes',
      measured: settled === undefined ? undefined : `${settled.messagesSent ?? 0} messages, ${settled.writes} writes`,
      isMet: settled === undefined ? undefined : isQuiet,
    },
  ];
}
