/** The bill of a month, by the size of the cluster and the host of the bridge. */
import { show } from './format.ts';
import { INPUTS } from './inputs.ts';
import type { Costs } from './model.ts';
import { type Host, type Line, total } from './rates.ts';
import { together, type Usage, type Work } from './work.ts';

/** Volumes of the clusters that the page reckons for; each has a claim. */
export const SIZES: readonly number[] = [100, 1_000, 10_000, 100_000];

export interface Bill {
  /** What happens to volumes and claims. */
  readonly churn: Usage;
  /** That, with the sweep and the resync. */
  readonly usage: Usage;
  /** Of the workers and, as a Lambda, the bridge. */
  readonly gbSeconds: number;
  /** Everything that is charged. */
  readonly lines: readonly Line[];
}

export function bill(costs: Costs, work: Work, volumes: number, host: Host): Bill {
  const memoryMb = costs.stack.bridgeMemoryMb * Math.ceil((2 * volumes) / INPUTS.objectsPerMemory.value);
  const churn = work.churn(volumes, host);
  const usage = together([churn, work.sweep(2 * volumes, host), work.resync(2 * volumes)]);
  const bridge = host === 'container' ? costs.bridgeContainer() : costs.bridgeLambda(memoryMb);
  return {
    churn,
    usage,
    gbSeconds: usage.gbSeconds + (host === 'lambda' ? costs.bridgeGbSeconds(memoryMb) : 0),
    lines: [bridge, costs.idlePolling(), ...costs.monitoring(), ...usage.lines],
  };
}

/** A sentence. */
export function cheapest(costs: Costs, work: Work): string {
  const of = (volumes: number, host: Host) => total(bill(costs, work, volumes, host).lines);
  const from = SIZES.find((volumes) => of(volumes, 'container') < of(volumes, 'lambda'));
  if (from === undefined) return 'At none of these sizes is the container cheaper than the Lambda.';
  if (from === SIZES[0]) return 'The container is cheaper at every size, given nodes to run it on.';
  return `The container is cheaper from ${show(from)} volumes on, given nodes to run it on.`;
}
