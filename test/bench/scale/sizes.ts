/** One size of the cluster after the other, on a plane that grows. */

import type { ControlPlane } from '../../control-plane/harness.ts';
import { type OursProgram, type OursRunning, startOurs } from '../contenders/ours.ts';
import { Driver } from '../driver/driver.ts';
import type { Stage } from '../jobs/stage.ts';
import { type ApiReading, difference, readApi, sumUp } from '../meters/api-requests.ts';
import { type Figures, Meter } from '../meters/meter.ts';
import { readUse } from '../meters/process-use.ts';
import { openRoute, type Route, startBenchPlane } from '../plane/plane.ts';
import type { ProcessCounts } from '../processes/settings.ts';
import { bindOneByOne, resyncAll, touchSettled, waitSettled } from './costs.ts';
import { Standing } from './standing.ts';

export interface ScalePlan {
  /** Pairs that stand by. */
  readonly sizes: readonly number[];
  readonly binds: number;
  readonly events: number;
  readonly resync: boolean;
  readonly settledMinutes: number;
}

/** A process at a moment when nothing is under way. */
export interface Memory {
  readonly residentBytes: number;
  readonly peakBytes: number;
  /** What is alive after a collection. */
  readonly heapBytes: number;
}

export interface SizeFigures {
  readonly pairs: number;
  readonly bridgeStart: {
    readonly seconds: number;
    readonly cpuSeconds: number;
    readonly reads: number;
    readonly readBytes: number;
    readonly memory: Memory;
  };
  /** The worker's first, which loads its volume pool; then the others. */
  readonly firstBind: Figures;
  readonly bind: Figures;
  readonly event: Figures;
  readonly workerMemory: Memory;
  readonly resync: Figures | undefined;
  /** Of the largest size only. */
  readonly settled: Figures | undefined;
  /** When all was done. */
  readonly bridgeMemory: Memory;
}

/** The hourly sweep sends every key, needed or not: its messages would be found among those of the binds and the rest. */
const withoutSweep = { PV_BRIDGE_SWEEP_PERIOD_MS: '0' };

type Say = (line: string) => void;

export async function measureSizes(plan: ScalePlan, program: OursProgram, say: Say): Promise<SizeFigures[]> {
  const plane = await startBenchPlane();
  try {
    const route = await openRoute(plane, 0, false);
    const first = await Driver.start(plane);
    const standing = await Standing.start(plane, route, first);
    await first.stop();
    const figures: SizeFigures[] = [];
    for (const pairs of plan.sizes.toSorted((one, other) => one - other)) {
      await standing.grow(pairs);
      say(`${pairs} pairs stand by`);
      const isLast = pairs === Math.max(...plan.sizes);
      figures.push(await measureSize(plan, program, plane, route, pairs, isLast, say));
    }
    await route.stop();
    return figures;
  } finally {
    await plane.stop();
  }
}

async function measureSize(
  plan: ScalePlan,
  program: OursProgram,
  plane: ControlPlane,
  route: Route,
  pairs: number,
  isLast: boolean,
  say: Say,
): Promise<SizeFigures> {
  // Anew for each size: copies that were just put into the store are no events that anybody should be measured with.
  const driver = await Driver.start(plane);
  const before = await readApi(plane.client());
  const running = await startOurs(program, { concurrency: 4, as: 'local', settings: withoutSweep }, route);
  try {
    const bridgeStart = await startOf(running, before, await readApi(plane.client()));
    say(`  bridge start: ${bridgeStart.seconds.toFixed(2)} s`);
    const meter = new Meter(plane, route, driver, running);
    const stage = (what: string, objects: number): Stage => ({
      plane,
      route,
      driver,
      contender: running,
      objects,
      prefix: `${what}-${pairs}`,
      measure: async (_, count, work) => {
        const figures = await meter.measure(count, work);
        say(`  ${what}: ${figures.seconds.toFixed(2)} s for ${count}, ${figures.reads.toFixed(2)} reads each`);
        return figures;
      },
    });
    const firstBind = await bindOneByOne(stage('first-bind', 1));
    const bind = await bindOneByOne(stage('bind', plan.binds));
    const event = await touchSettled(stage('event', Math.min(plan.events, 2 * pairs)));
    const workerMemory = await memoryOf(running.workers);
    const resync = plan.resync ? await resyncAll(stage('resync', 2 * pairs), running) : undefined;
    const settled = isLast ? await waitSettled(stage('settled', 1), plan.settledMinutes) : undefined;
    const bridgeMemory = await memoryOf(running.bridge);
    return { pairs, bridgeStart, firstBind, bind, event, workerMemory, resync, settled, bridgeMemory };
  } finally {
    await running.stop();
    await driver.stop();
  }
}

async function startOf(
  running: OursRunning,
  before: ApiReading,
  after: ApiReading,
): Promise<SizeFigures['bridgeStart']> {
  // Until now the bridge was the only one to read; so was its process the only one of its kind.
  const { cpuSeconds } = await readUse(running.bridge.pid);
  return {
    seconds: running.bridgeStartMs / 1_000,
    cpuSeconds,
    reads: sumUp(difference(after.requests, before.requests)).reads,
    readBytes: after.readBytes - before.readBytes,
    memory: await memoryOf(running.bridge),
  };
}

async function memoryOf(process: OursRunning['bridge']): Promise<Memory> {
  const { residentBytes: _, peakBytes } = await readUse(process.pid);
  const { heapBytes } = await process.ask<ProcessCounts>('collected');
  return { residentBytes: (await readUse(process.pid)).residentBytes, peakBytes, heapBytes };
}
