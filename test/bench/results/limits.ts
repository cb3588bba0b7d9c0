/** What stops a contender: how much of the machine a job takes, by part, and what bare writes reach on it. */
import type { Row } from './summary.ts';
import { ofController, short } from './table.ts';

/** One job at one delay. */
export interface Limit {
  readonly job: string;
  readonly latencyMs: number;
  /** Processors that were at work on average, of all parts together. */
  readonly coresBusy: number;
  /** The share of each part in percent. */
  readonly shares: Readonly<Record<'apiServerAndEtcd' | 'ours' | 'queue' | 'others', number>>;
  /** What the bare writes reach against the built-in, as it comes and unlimited: more than this nobody can. */
  readonly most: { readonly builtIn: number | undefined; readonly unlimited: number | undefined };
}

const JOBS = ['bind', 'backlog', 'release'];

/** @param champion the contender that the goals are about. */
export function limitsOf(rows: readonly Row[], champion: string): Limit[] {
  return rows
    .filter(({ contender, job }) => contender === champion && JOBS.includes(job))
    .map((row) => {
      const total = Object.values(row.cpu).reduce((sum, ms) => sum + ms, 0);
      const percent = (ms: number | undefined) => (100 * (ms ?? 0)) / total;
      const server = percent((row.cpu['apiServer'] ?? 0) + (row.cpu['etcd'] ?? 0));
      const ours = percent(ofController(row.cpu));
      const queue = percent(row.cpu['queue']);
      const floor = rows.find(
        ({ contender, job, latencyMs }) => contender === 'floor-16' && job === row.job && latencyMs === row.latencyMs,
      );
      return {
        job: row.job,
        latencyMs: row.latencyMs,
        coresBusy: (total * row.perSecond) / 1_000,
        shares: { apiServerAndEtcd: server, ours, queue, others: 100 - server - ours - queue },
        most: { builtIn: floor?.ratios['built-in'], unlimited: floor?.ratios['built-in-unlimited'] },
      };
    });
}

/** As cells of a table, under `limitsHeader`. */
export function limitCells({ job, latencyMs, coresBusy, shares, most }: Limit): string[] {
  const { apiServerAndEtcd, ours, queue, others } = shares;
  const percents = [apiServerAndEtcd, ours, queue, others].map((share) => `${Math.round(share)} %`);
  return [job, `${latencyMs} ms`, short(coresBusy), ...percents, short(most.builtIn), short(most.unlimited)];
}

export const limitsHeader = [
  'Job',
  'Added',
  'processors busy',
  'API server, etcd',
  'this system',
  'stand-in for SQS',
  'driver, proxy',
  'floor-16 × built-in',
  'floor-16 × unlimited',
];
