/**
 * Two controllers in charge of one cluster, the built-in one and ours, while many users act at once. They must come to
 * rest, and at rest each must find nothing to do that the other one has left.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FlipError } from '../../lib/worker/flip-detector.ts';
import type { KeyHooks } from '../../lib/worker/hooks.ts';
import { recyclerNamespace } from '../control-plane/permissions.ts';
import { changesBetween, untilQuiet, versionsOf } from '../control-plane/settling.ts';
import { type Action, collectionOf, pathOf } from '../differential/action.ts';
import type { Workqueues } from '../differential/workqueues.ts';
import type { State, Violation } from './observer/state.ts';
import { type Pipeline, startPipeline } from './pipeline.ts';
import { BUILT_IN, OURS, type Stage } from './stage.ts';
import { type Blamed, blameIn, type Writer } from './writers/blame.ts';
import { contradictionsAtRest } from './writers/contradictions.ts';
import { type RecyclerPods, scrubsOfBound } from './writers/recycler-pods.ts';
import { type Turns, turnsOf } from './writers/turns.ts';
import { actionsOf, type Load, provisioningClass } from './writers/user-actions.ts';
import type { WriteCounts } from './writers/write-counts.ts';

/** Between two looks of the built-in controller at everything. */
export const SYNC_PERIOD_MS = 1_000;

const LOAD: Load = { pairs: 70, users: 10, edits: 20 };
const METHODS = { create: 'POST', patch: 'PATCH', 'patch status': 'PATCH', delete: 'DELETE' } as const;

/** The built-in controller, started as such on the stage, and the log that tells what it wrote. */
export interface Other {
  readonly queues: Workqueues;
  readonly counts: WriteCounts;
  readonly pods: RecyclerPods;
}

export interface TwoWriters {
  /** That the API server took. */
  readonly actions: number;
  readonly turns: readonly Turns[];
  /** Writes that came second and so were not done, of ours and of the built-in controller. */
  readonly refused: { readonly ours: number; readonly builtIn: number };
  readonly flips: readonly FlipError[];
  /** Recycler pods of either controller that ran to their end. */
  readonly scrubs: number;
  /** What was done on the way. */
  readonly blamed: readonly Blamed[];
  /** What must not be at rest, whoever did it. */
  readonly violations: readonly Violation[];
}

export async function playBesideBuiltIn(
  stage: Stage,
  { queues, counts, pods }: Other,
  seed: number,
): Promise<TwoWriters> {
  const run = await stage.newRun();
  const flips: FlipError[] = [];
  /** Told at the last look of all. */
  const contradictions = new Set<string>();
  const hooks: KeyHooks = {
    onFlip: (_key, error) => flips.push(error),
    onContradiction: ({ name }) => contradictions.add(name),
  };
  const pipeline = await startUndisturbed(stage, hooks);
  try {
    await send(stage, provisioningClass(run));
    const users = actionsOf(seed, run, LOAD);
    const taken = await Promise.all(users.map((actions, user) => actAs(stage, actions, seed * 1_000 + user)));
    const restless = await untilBothRest(stage, pipeline, queues, () => contradictions.clear());
    const atRest = restless.map((what): Violation => ({ invariant: 'I4', what: `at rest: ${what}` }));
    const states = await stage.observer.states(run);
    const scrubs = pods.scrubs.filter(({ path }) => path.startsWith(`/tmp/pv-faults/${run}-`));
    const scrubbed = scrubsOfBound(scrubs, states).map(({ namespace, volume }): Blamed => {
      const what = `a pod in ${namespace} has scrubbed volume ${volume}, which another claim had by then`;
      return { violation: { invariant: 'I1', what }, writer: namespace === recyclerNamespace ? 'ours' : 'built-in' };
    });
    return {
      actions: taken.reduce((sum, each) => sum + each, 0),
      turns: turnsOf(states, counts),
      refused: { ours: sumOf(states, counts, OURS), builtIn: sumOf(states, counts, [BUILT_IN]) },
      flips,
      scrubs: scrubs.length,
      blamed: [...blameIn(states, writerIn(counts)), ...scrubbed],
      violations: [...contradictionsAtRest(states, contradictions), ...stage.observer.blindWrites(run), ...atRest],
    };
  } finally {
    stage.afterwards(pipeline.stop());
    await stage.clear(run);
  }
}

/** Our system where nothing is broken; with time, since both controllers and all users share a machine. */
export function startUndisturbed({ plane }: Stage, hooks: KeyHooks): Promise<Pipeline> {
  return startPipeline(plane, { PV_REQUEST_TIMEOUT_MS: '5000' }, () => {}, { hooks, visibilitySeconds: 60 });
}

async function actAs(stage: Stage, actions: readonly Action[], seed: number): Promise<number> {
  let taken = 0;
  for (const [turn, action] of actions.entries()) {
    if (await send(stage, action)) taken += 1;
    // So that controllers are met at every step of theirs.
    await sleep(((seed + turn * 7) % 5) * 10);
  }
  return taken;
}

/** A refusal is no failure: what a user wants to edit may be gone, or may not be edited so. */
async function send(stage: Stage, { do: verb, body, ...object }: Action): Promise<boolean> {
  const metadata = { ...(body?.['metadata'] as object), name: object.name };
  const [path, sent] =
    verb === 'create'
      ? [collectionOf(object.kind, object.namespace), { ...body, metadata }]
      : [pathOf(object) + (verb === 'patch status' ? '/status' : ''), body];
  return (await stage.plane.client().request(METHODS[verb], path, sent)).status < 300;
}

/**
 * @param atRest is called before everybody looks at everything for the last time.
 * @returns what either of them still wrote when nothing was left to do (I4).
 */
async function untilBothRest(
  { plane }: Stage,
  pipeline: Pipeline,
  queues: Workqueues,
  atRest: () => void,
): Promise<string[]> {
  const look = () => versionsOf(plane.client());
  const count = async () => {
    const objects = [...(await look()).keys()];
    const volumes = objects.filter((object) => object.startsWith('volume ')).length;
    return { volumes, claims: objects.length - volumes };
  };
  const builtInPass = () => queues.pass(count, SYNC_PERIOD_MS);
  await untilQuiet(look, () => Promise.all([pipeline.system.settled(), builtInPass()]));
  atRest();
  const before = await look();
  await builtInPass();
  const ours = await pipeline.fullResyncWrites();
  await builtInPass();
  return [...new Set([...ours, ...changesBetween(before, await look())])];
}

function writerIn(counts: WriteCounts): (state: State) => Writer {
  return (state) => (state.isOurs ? 'ours' : counts.isBy(BUILT_IN, state) ? 'built-in' : 'user');
}

function sumOf(states: readonly State[], counts: WriteCounts, users: readonly string[]): number {
  const uids = new Set(states.map(({ object }) => object.metadata.uid));
  return [...uids].reduce((sum, uid) => sum + counts.of(uid, 'refused', users), 0);
}
