/** A round: every scenario at once, under one kind of fault and one seed. */
import type { Kind } from './layer/api-faults.ts';
import type { FaultProxy } from './layer/proxy.ts';
import type { Violation } from './observer/state.ts';
import { type Pipeline, type Queues, startPipeline } from './pipeline.ts';
import { endOf } from './scenarios/end-state.ts';
import { SCENARIOS, type Steps } from './scenarios/scenarios.ts';
import { Scene } from './scenarios/scene.ts';
import type { Stage } from './stage.ts';

/** Lines of each scenario's end, by its name. */
export type Ends = ReadonlyMap<string, readonly string[]>;

export interface RoundOptions {
  readonly seed: number;
  readonly api?: Kind;
  /** Made anew for each round: some remember what they saw. */
  readonly queue?: (queues: Queues) => Kind;
  readonly settings?: Readonly<Record<string, string>>;
  /** Goes on beside the scenarios until they have ended. @returns how often it did something. */
  readonly beside?: (pipeline: Pipeline, over: AbortSignal) => Promise<number>;
}

export interface Round {
  readonly ends: Ends;
  readonly injected: number;
  readonly violations: readonly Violation[];
}

/** @param expected ends without faults; none: they are not compared. */
export async function playRound(stage: Stage, options: RoundOptions, expected?: Ends): Promise<Round> {
  const run = await stage.newRun();
  const pipeline = await startPipeline(stage.plane, options.settings ?? {}, (api, queues) =>
    beginFaults(options, api, queues),
  );
  try {
    const over = new AbortController();
    const beside = options.beside?.(pipeline, over.signal);
    const lost = await playAll(stage, run);
    over.abort();
    const more = (await beside) ?? 0;
    await pipeline.heal();
    const { ends, violations } = await judge(stage, run, pipeline, expected);
    const injected = pipeline.api.injected + pipeline.queues.proxy.injected + more;
    return { ends, injected, violations: [...lost, ...violations] };
  } finally {
    stage.afterwards(pipeline.stop());
    await stage.clear(run);
  }
}

function beginFaults({ seed, api, queue }: RoundOptions, apiProxy: FaultProxy, queues: Queues): void {
  if (api !== undefined) apiProxy.choose = (call) => api(call, seed);
  const kind = queue?.(queues);
  if (kind !== undefined) queues.proxy.choose = (call) => kind(call, seed);
}

/** @returns what never came (I5). */
export async function playAll(stage: Stage, run: string): Promise<Violation[]> {
  const found = await Promise.all(Object.entries(SCENARIOS).map(([name, steps]) => play(stage, run, name, steps)));
  return found.flat();
}

/** @returns what never came (I5). */
export async function play(stage: Stage, run: string, name: string, steps: Steps): Promise<Violation[]> {
  try {
    await steps(new Scene(stage.plane.client(), stage.observer, run, name));
    return [];
  } catch (error) {
    return [{ invariant: 'I5', what: (error as Error).message }];
  }
}

/** What a run that has come to rest has done that it must not: I1, I2, I3, I4 and I6. */
export async function judge(
  stage: Stage,
  run: string,
  system: { readonly crashes?: readonly string[]; fullResyncWrites(): Promise<string[]> },
  expected: Ends | undefined,
): Promise<{ ends: Ends; violations: Violation[] }> {
  const states = await stage.observer.states(run);
  const names = [...(expected?.keys() ?? Object.keys(SCENARIOS))];
  const ends = new Map(names.map((name) => [name, endOf(states, run, `${run}-${name}`)]));
  const other = [...ends].flatMap(([name, end]) => differences(name, end, expected?.get(name) ?? end));
  const writes = await system.fullResyncWrites();
  const resync = writes.map((what): Violation => ({ invariant: 'I4', what: `a full resync: ${what}` }));
  const crashes = (system.crashes ?? []).map((what): Violation => ({ invariant: 'I5', what }));
  return { ends, violations: [...other, ...resync, ...crashes, ...(await stage.observer.violations(run))] };
}

/** I4, told by the objects that differ. */
export function differences(name: string, end: readonly string[], expected: readonly string[]): Violation[] {
  const only = (one: readonly string[], other: readonly string[]) => one.filter((line) => !other.includes(line));
  const [extra, missing] = [only(end, expected), only(expected, end)];
  if (extra.length + missing.length === 0) return [];
  const what = `${name} ended as\n  ${extra.join('\n  ')}\ninstead of\n  ${missing.join('\n  ')}`;
  return [{ invariant: 'I4', what }];
}
