/** What became of an object, state by state: printed beside a violation, since nobody can look there afterwards. */
import type { State, Violation } from '../faults/observer/state.ts';

const MOST_STATES = 25;

/** The last states of all objects whose names the violation says, one line each. */
export function historyOf({ what }: Violation, states: readonly State[]): string[] {
  const words = new Set(what.split(/[\s:,]+/));
  const isNamed = ({ object: { metadata } }: State) =>
    words.has(metadata.name) || words.has(`${metadata.namespace}/${metadata.name}`);
  return states.filter(isNamed).slice(-MOST_STATES).map(lineOf);
}

function lineOf({ kind, type, at, isOurs, object }: State): string {
  const { namespace, name, uid, annotations, finalizers, deletionTimestamp } = object.metadata;
  const { spec, status } = object;
  const state = { phase: status?.phase, spec, annotations, finalizers, deletionTimestamp };
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  return `${at} ${isOurs ? 'ours  ' : 'theirs'} ${type} ${kind} ${key} ${uid}: ${JSON.stringify(state)}`;
}
