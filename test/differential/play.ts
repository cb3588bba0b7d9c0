/** Plays a list of actions on both planes, and compares them each time that both have come to rest. */
import type { Action } from './action.ts';
import type { Difference } from './compare.ts';
import { after } from './foresight.ts';
import { type Explained, explain } from './on-purpose.ts';
import { Pair, type Sides } from './pair.ts';
import { keyOf, type Snapshot } from './snapshot.ts';

/** Gives the next action, or undefined at the end. It sees what all actions so far have led to. */
export type Script = (state: Snapshot) => Action | undefined;

export interface Outcome {
  readonly actions: readonly Action[];
  /** Of the answer to the last action, of the state after it, or of the events at the end; none: both did the same. */
  readonly differences: readonly Difference[];
  /** Which of these are on purpose, and why: when it is all of them, nothing is wrong. */
  readonly explained: readonly Explained[];
  /** States that were equal only after a longer wait. */
  readonly late: number;
  /** Phases that objects were in, as `volume Released`: what this play was about. */
  readonly seen: ReadonlySet<string>;
}

/** An operation of the built-in that keeps failing waits about as long as it has been failing: a whole play, at most. */
const PATIENCE_MS = 40_000;

/** Plays until the script ends or the planes differ, and tidies up. */
export async function play(sides: Sides, script: Script, patienceMs = PATIENCE_MS): Promise<Outcome> {
  const pair = await Pair.open(sides, patienceMs);
  const progress: Progress = { actions: [], seen: new Set(), late: 0 };
  try {
    return { ...(await differencesOf(pair, script, progress)), ...progress };
  } catch (error) {
    // A controller that never comes to rest, say. The actions are what one needs to know.
    const failure: Difference = { about: 'failure', object: 'the play', builtIn: [], ours: [String(error)] };
    return { differences: [failure], explained: [], ...progress };
  } finally {
    await pair.close();
  }
}

interface Progress {
  readonly actions: Action[];
  readonly seen: Set<string>;
  late: number;
}

type Found = Pick<Outcome, 'differences' | 'explained'>;

async function differencesOf(pair: Pair, script: Script, progress: Progress): Promise<Found> {
  let { state } = await pair.rest();
  const going = new Set<string>();
  for (let action = script(state); action !== undefined; action = script(state)) {
    progress.actions.push(action);
    const acted = after(state, action);
    const answers = await pair.act(action);
    if (answers.length > 0) return { differences: answers, explained: [] };
    const of = (some: readonly Difference[]) => explain(some, { acted });
    const { differences, isLate, ...rest } = await pair.rest((some) => of(some).length === some.length);
    if (isLate) progress.late += 1;
    if (differences.length > 0) return { differences, explained: of(differences) };
    for (const object of goneBetween(acted, rest.state)) going.add(object);
    state = rest.state;
    for (const { status } of state.volumes) progress.seen.add(`volume ${status?.phase}`);
    for (const { status } of state.claims) progress.seen.add(`claim ${status?.phase}`);
  }
  const { told, differences } = await pair.events();
  return { differences, explained: explain(differences, { told, going }) };
}

/** Volumes that were being deleted and are gone, and the claims that they were bound to. */
function goneBetween({ volumes }: Snapshot, next: Snapshot): string[] {
  const left = new Set(next.volumes.map(keyOf));
  const gone = volumes.filter(({ metadata }) => metadata.deletionTimestamp !== undefined && !left.has(metadata.name));
  return gone.flatMap(({ metadata, spec: { claimRef } }) => [
    `PersistentVolume ${metadata.name}`,
    ...(claimRef === undefined ? [] : [`PersistentVolumeClaim ${claimRef.namespace}/${claimRef.name}`]),
  ]);
}
