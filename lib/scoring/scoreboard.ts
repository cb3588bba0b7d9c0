/** What a scoring says in the end. */
import type { RecordedWrite } from '../cluster/recording.ts';
import type { SyncKey } from '../controller/types.ts';
import type { Held } from './change.ts';
import type { Lag } from './lags.ts';

/** Verdicts that call for a write, and what became of them. */
export interface Scoreboard {
  /** Reached in all. Each is counted, not counted for one of the reasons below, or pending. */
  readonly verdicts: number;
  /** The built-in controller has acted after them, or has not in the time that it had. */
  readonly counted: number;
  readonly agreed: number;
  /** Of those agreed: it chose another volume that is as good: no rule of the choice prefers one of the two. */
  readonly equallyGood: number;
  /** `agreed / counted`; undefined while nothing is counted. */
  readonly rate: number | undefined;
  readonly pending: number;
  readonly notCounted: Readonly<Record<WhyNotCounted, number>>;
  /** Phases and bindings that the built-in controller wrote and no pending verdict was about: mostly it was faster. */
  readonly unforeseen: number;
  readonly lags: readonly Lag[];
  /** The first ones in full; `counted - agreed` says how many there were. */
  readonly disagreements: readonly Disagreement[];
}

/**
 * `late`: the built-in controller had written before, or had begun to bind the claim. `overtaken`: somebody else changed an
 * object of it or its other half, its volume went to another claim, the volumes to choose from changed at that moment, or
 * the built-in controller began with the other half of the pair. `superseded`: a change by others led to another verdict
 * before anything was done, or another verdict of that key was settled. `lost`: a change was missed. `dropped`: too many were
 * pending.
 */
export type WhyNotCounted = 'late' | 'overtaken' | 'superseded' | 'lost' | 'dropped';

/** One verdict that the built-in controller did not follow. */
export interface Disagreement {
  readonly key: SyncKey;
  /** It wrote something else; it wrote nothing in the time that it had; it began and did not go on. */
  readonly how: 'otherwise' | 'nothing' | 'unfinished';
  /** Milliseconds since the epoch: of the verdict. */
  readonly at: number;
  /** The object that it was found at, as it was before. */
  readonly before: Held | undefined;
  readonly wanted: readonly Exclude<RecordedWrite, { verb: 'event' }>[];
  readonly notes: readonly string[];
  readonly happened?: {
    /** As it is now; of a delete, as it was last. */
    readonly object: Held;
    readonly isDeleted: boolean;
    readonly manager: string;
    /** Milliseconds since the epoch. */
    readonly at: number;
  };
}
