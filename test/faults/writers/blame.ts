/** Who is to blame for a violation: who wrote the state that it shows in, with one exception. */
import { violationsByState } from '../observer/invariants.ts';
import type { State, Violation } from '../observer/state.ts';

export type Writer = 'ours' | 'built-in' | 'user';

export interface Blamed {
  readonly violation: Violation;
  readonly writer: Writer;
}

/**
 * I1 to I3 and I6, by the same rules for both controllers.
 * @param states of one run, in the order of the store.
 */
export function blameIn(states: readonly State[], writerOf: (state: State) => Writer): Blamed[] {
  const writers: readonly Writer[] = ['ours', 'built-in', 'user'];
  const blamed = writers.flatMap((writer) => {
    // What the observer checks on writes of ours it checks on those of this one.
    const judged = states.map(
      (state): State => ({ ...state, isOurs: writer !== 'user' && writerOf(state) === writer }),
    );
    return violationsByState(judged).flatMap(({ violations }, index) => {
      const state = states[index] as State;
      if (writerOf(state) !== writer) return [];
      return violations.map((violation) => ({ violation, writer, state, index }));
    });
  });
  return blamed.map(({ violation, writer, state, index }) => {
    if (violation.invariant !== 'I2') return { violation, writer };
    return { violation, writer: whoFreed(states.slice(0, index), state, writerOf) ?? writer };
  });
}

/**
 * A claim that is Bound to a volume which a user has taken from another claim by hand is no second owner: the other one
 * has lost it, and its phase says so a moment later.
 */
function whoFreed(before: readonly State[], { object }: State, writerOf: (state: State) => Writer): Writer | undefined {
  const volumeName = (object.spec as { volumeName?: string }).volumeName;
  const freed = before.findLast((state) => {
    if (state.kind !== 'volume' || state.object.metadata.name !== volumeName) return false;
    const [was, is] = [state.before?.spec.claimRef?.uid, state.object.spec.claimRef?.uid];
    return was !== undefined && was !== is && was !== object.metadata.uid;
  });
  return freed === undefined ? undefined : writerOf(freed);
}
