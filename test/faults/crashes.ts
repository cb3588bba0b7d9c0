/** A scenario over and over, in which a process is killed at its first, second, third … request, until it needs no more. */
import type { Call } from './layer/call.ts';
import type { Fault } from './layer/fault.ts';
import type { FaultProxy } from './layer/proxy.ts';
import type { Violation } from './observer/state.ts';
import type { Lane } from './processes/lane.ts';
import { type Ends, judge, play } from './rounds.ts';
import type { Steps } from './scenarios/scenarios.ts';
import type { Stage } from './stage.ts';

export interface Crash {
  /** Its requests are counted. */
  readonly proxy: FaultProxy;
  readonly counts: (call: Call) => boolean;
  readonly kill: () => Promise<void>;
  /** The server has done it by then or not, and then the process has got the answer or not. */
  readonly when: 'before' | 'after' | 'answered';
}

export interface Crashes {
  readonly kills: number;
  readonly violations: readonly Violation[];
}

interface Scenario {
  readonly name: string;
  readonly steps: Steps;
  readonly expected: Ends;
}

/** Kills at every request that counts, one after the other, each time in a new run of the scenario. */
export async function crashAtEach(stage: Stage, lane: Lane, scenario: Scenario, crash: Crash): Promise<Crashes> {
  const violations: Violation[] = [];
  for (let nth = 1; ; nth++) {
    const { hit, found } = await crashOnce(stage, lane, scenario, crash, nth);
    const where = hit === undefined ? 'not killed' : `killed ${crash.when} request ${nth}, ${hit.step} ${hit.name}`;
    violations.push(...found.map(({ invariant, what }) => ({ invariant, what: `${where}: ${what}` })));
    if (hit === undefined) return { kills: nth - 1, violations };
  }
}

async function crashOnce(stage: Stage, lane: Lane, { name, steps, expected }: Scenario, crash: Crash, nth: number) {
  const run = await stage.newRun();
  let count = 0;
  let hit: Call | undefined;
  crash.proxy.choose = (call): Fault | undefined => {
    if (hit !== undefined || !crash.counts(call)) return undefined;
    count += 1;
    if (count < nth) return undefined;
    hit = call;
    return faultOf(crash);
  };
  const lost = await play(stage, run, name, steps);
  await crash.proxy.heal();
  await lane.settle();
  const only = new Map([[name, expected.get(name) ?? []]]);
  const { violations } = await judge(stage, run, lane, only);
  await stage.clear(run);
  await lane.settle();
  return { hit, found: [...lost, ...violations] };
}

function faultOf({ kill, when }: Crash): Fault {
  const killed = async () => {
    await kill();
    return 'cut' as const;
  };
  if (when === 'before') return { before: killed };
  if (when === 'after') return { after: killed };
  const answered = async () => {
    setTimeout(() => void kill(), 1);
    return undefined;
  };
  return { after: answered };
}
