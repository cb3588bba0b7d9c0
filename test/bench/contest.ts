/** Runs, routes, turns: who does which job when. */
import type { ControlPlane } from '../control-plane/harness.ts';
import type { Contender } from './contenders/contender.ts';
import { Driver } from './driver/driver.ts';
import { life } from './jobs/life.ts';
import { scenes } from './jobs/scenes.ts';
import { clear, type Stage } from './jobs/stage.ts';
import { Meter } from './meters/meter.ts';
import { openRoute, type Route, startBenchPlane } from './plane/plane.ts';
import type { Measurement } from './results/report.ts';
import { short } from './results/table.ts';

export interface Plan {
  readonly objects: number;
  readonly runs: number;
  readonly latencies: readonly number[];
  readonly contenders: readonly Contender[];
  readonly jobs: readonly string[];
  readonly proxyAlways: boolean;
}

/** Where a turn takes place. */
interface Turn {
  readonly plane: ControlPlane;
  readonly route: Route;
  readonly driver: Driver;
  readonly run: number;
}

type Say = (line: string) => void;

/** Objects that a contender binds before it is measured: what starts cold is warm then. */
const warmUpObjects = 20;

/** Does everything on one plane. @param say is told of each figure as it comes. */
export async function runAll(plan: Plan, say: Say): Promise<Measurement[]> {
  const plane = await startBenchPlane();
  const measurements: Measurement[] = [];
  try {
    const driver = await Driver.start(plane);
    for (let run = 1; run <= plan.runs; run++) {
      for (const latencyMs of plan.latencies) {
        const route = await openRoute(plane, latencyMs, plan.proxyAlways);
        // Every other run goes backwards: whoever comes later finds a fuller store.
        const turns = run % 2 === 1 ? plan.contenders : plan.contenders.toReversed();
        for (const contender of turns) {
          const turn = { plane, route, driver, run };
          measurements.push(...(await takeTurn(turn, contender, plan, say)));
        }
        await route.stop();
      }
    }
    await driver.stop();
  } finally {
    await plane.stop();
  }
  return measurements;
}

async function takeTurn(turn: Turn, contender: Contender, plan: Plan, say: Say): Promise<Measurement[]> {
  const { plane, route, driver, run } = turn;
  const { latencyMs } = route;
  const chosen = scenes.filter(
    ({ jobs, hasFloor }) => jobs.some((job) => plan.jobs.includes(job)) && (hasFloor || contender.kind !== 'floor'),
  );
  if (chosen.length === 0) return [];
  const measurements: Measurement[] = [];
  const running = await contender.start(plane, route);
  try {
    const meter = new Meter(plane, route, driver, running);
    const prefix = (what: string) => `${what}-${run}-${latencyMs}-${contender.name}`;
    const objects = Math.min(plan.objects, contender.mostObjects ?? plan.objects);
    const common = { plane, route, driver, contender: running };
    await life({
      ...common,
      objects: Math.min(objects, warmUpObjects),
      prefix: prefix('warm'),
      measure: (_, count, work) => meter.measure(count, work),
    });
    await clear(common);
    for (const [index, scene] of chosen.entries()) {
      const measure: Stage['measure'] = async (job, count, work) => {
        const figures = await meter.measure(count, work);
        if (!plan.jobs.includes(job)) return figures;
        measurements.push({ run, latencyMs, contender: contender.name, job, figures });
        const { p50, p99 } = figures.latencyMs;
        say(
          `run ${run}, ${latencyMs} ms, ${contender.name}, ${job}: ${short(figures.perSecond)}/s, ` +
            `p50 ${short(p50)} ms, p99 ${short(p99)} ms, ${short(figures.reads)} reads, ${short(figures.writes)} writes`,
        );
        return figures;
      };
      await scene.play({ ...common, objects, prefix: prefix(`s${index}`), measure });
      await clear(common);
    }
  } finally {
    await running.stop();
  }
  return measurements;
}
