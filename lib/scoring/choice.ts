/** A claim that got another volume than was foreseen: whether that was chance, or another decision. */
import { BOUND_BY_CONTROLLER, hasAnnotation } from '../controller/annotations.ts';
import type { PersistentVolume } from '../controller/types.ts';
import type { Change, Held } from './change.ts';
import { type Choice, isEquallyGood, isReservation } from './equally-good.ts';
import { Recent } from './recent.ts';

/** `behind`: the watch of volumes has not told of the bind yet. The others as in `WhyNotCounted`. */
export type ChoiceJudgement = 'equally good' | 'late' | 'overtaken' | 'behind' | 'otherwise';

/** Between the choice and its first write the built-in controller waits for its own client limit. */
const CHOOSING_MS = 1_000;

/** When volumes could be chosen, and when they were. */
export class Choices {
  /** Volumes that changed while they were nobody's. */
  readonly #offered = new Recent();
  readonly #bound = new Recent();
  readonly #latest: (id: string) => Held | undefined;

  /** @param latest objects as they were seen last, by `idOf`. */
  constructor(latest: (id: string) => Held | undefined) {
    this.#latest = latest;
  }

  /** A volume changed. @param id of it. */
  take(id: string, { kind, type, before, after, at }: Change): void {
    if (kind !== 'PersistentVolume' || type === 'DELETED') return;
    const [was, is] = [before, after].map((held) => (held as PersistentVolume | undefined)?.spec.claimRef?.uid);
    const moment = { at, version: after.metadata.resourceVersion ?? '' };
    if (!is) this.#offered.set(id, moment);
    else if (was !== is) this.#bound.set(id, moment);
  }

  /**
   * @param claim as it is now.
   * @param verdict when the sync began to read, and when it was done.
   */
  judge(
    choice: Choice,
    claim: Held,
    { begunAt, at }: { readonly begunAt: number; readonly at: number },
  ): ChoiceJudgement {
    const theirs = this.#latest(choice.theirs) as PersistentVolume | undefined;
    if (theirs?.spec.claimRef?.uid !== claim.metadata.uid) return 'behind';
    const boundAt = this.#bound.get(choice.theirs)?.at ?? Number.POSITIVE_INFINITY;
    if (boundAt < at) return 'late';
    if (this.#isTie(choice, claim)) return 'equally good';
    // Theirs was not there for us, or ours not for them.
    if (offeredAt(this.#offered, choice.theirs) >= begunAt) return 'overtaken';
    return boundAt - offeredAt(this.#offered, choice.ours) < CHOOSING_MS ? 'overtaken' : 'otherwise';
  }

  /** @param before milliseconds since the epoch. */
  forget(before: number): void {
    for (const recent of [this.#offered, this.#bound]) recent.forget(before);
  }

  #isTie(choice: Choice, claim: Held): boolean {
    const [ours, theirs] = [this.#latest(choice.ours), this.#latest(choice.theirs)] as (PersistentVolume | undefined)[];
    if (ours === undefined || theirs === undefined) return false;
    // The mark is given to volumes that were not reserved before.
    if (!hasAnnotation(theirs, BOUND_BY_CONTROLLER) && isReservation(ours, claim)) return true;
    return isEquallyGood(ours, theirs, claim);
  }
}

function offeredAt(offered: Recent, id: string): number {
  return offered.get(id)?.at ?? Number.NEGATIVE_INFINITY;
}
