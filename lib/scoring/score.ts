/**
 * Scores the controller's verdicts against what the built-in controller then did. It is told of both and asks nobody.
 *
 * A verdict counts if it calls for a write to a volume or a claim and was reached before the built-in controller wrote:
 * it was made from the very version that the built-in one went on from, and the event of that write came after it. The
 * server dates writes in whole seconds; one dated to an earlier second than the verdict makes it late.
 * A change of the objects by anybody else ends a verdict uncounted, since what it rested on is gone. So does the sync of
 * another key that writes the same object, and a volume that the claim could not have got yet: whose turn comes first is
 * chance.
 */
import { Ahead, type Deviation } from './ahead.ts';
import { type Change, type Held, transitionLabels } from './change.ts';
import { Choices } from './choice.ts';
import { choiceIn } from './equally-good.ts';
import { isByOthers, judge } from './judgement.ts';
import { type Pending, PendingVerdicts } from './pending.ts';
import { Recent } from './recent.ts';
import type { Disagreement, Scoreboard, WhyNotCounted } from './scoreboard.ts';
import { Tally } from './tally.ts';
import { type Expectation, expectationsOf, idOf, isRestOf, type Verdict } from './verdict.ts';
import { isOlder } from './versions.ts';

/** Limits of a scoring, and what it may look at. */
export interface ScorerOptions {
  /** An object as it was seen last, by `idOf`. */
  readonly latest?: (id: string) => Held | undefined;
  /** Milliseconds that the built-in controller has to do what a verdict calls for. Its own resync comes every 15 s. */
  readonly expiryMs?: number;
  readonly maxPending?: number;
  /** That are kept in full. */
  readonly maxDisagreements?: number;
}

/**
 * @example
 * const scorer = new Scorer();
 * scorer.verdict({ key, at: Date.now(), writes: recording.recorded });
 * scorer.change({ type: 'MODIFIED', kind, before, after, writer: writerOf(before, after, kind), at: Date.now() });
 * scorer.expire(Date.now());
 * console.log(scorer.board().rate);
 */
export class Scorer {
  readonly #options: Required<ScorerOptions>;
  readonly #pending = new PendingVerdicts();
  /** What the built-in controller wrote. */
  readonly #builtInWrites = new Recent();
  readonly #gone = new Recent();
  readonly #choices: Choices;
  readonly #ahead = new Ahead();
  readonly #tally: Tally;

  constructor({ latest = () => undefined, expiryMs = 120_000, ...limits }: ScorerOptions = {}) {
    this.#options = { latest, expiryMs, maxPending: 2_000, maxDisagreements: 100, ...limits };
    this.#choices = new Choices(latest);
    this.#tally = new Tally(this.#options.maxDisagreements);
  }

  /** A verdict was reached. One without a write to a volume or a claim is nothing to score. */
  verdict(verdict: Verdict): void {
    const expected = expectationsOf(verdict.writes);
    if (expected.size === 0) return;
    const earlier = this.#pending.of(verdict.key);
    // The same verdict, reached again while the built-in controller is on its way.
    if (earlier.some((pending) => isRestOf(pending.expected, expected))) return;
    this.#tally.verdict();
    for (const pending of earlier) {
      if (pending.isTaken) this.#end(pending, 'overtaken');
      else if (!this.#isBuiltInsDoing(pending, expected)) this.#end(pending, 'superseded');
    }
    if (this.#isLate(expected)) {
      this.#tally.notCounted('late');
      return;
    }
    this.#pending.add(verdict, expected);
    for (const oldest of this.#pending) {
      if (this.#pending.size <= this.#options.maxPending) break;
      this.#end(oldest, 'dropped');
    }
  }

  /** A volume or a claim changed. */
  change(change: Change): void {
    const { kind, type, after, at, writer } = change;
    const id = idOf(kind, after.metadata);
    const moment = { at, version: after.metadata.resourceVersion ?? '' };
    const about = this.#pending.about(id);
    for (const pending of about) this.#judge(pending, id, change);
    if (isByOthers(change)) for (const pending of this.#pending.restingOn(id)) this.#end(pending, 'overtaken');
    if (type === 'DELETED') this.#gone.set(id, moment);
    this.#choices.take(id, change);
    for (const deviation of this.#ahead.take(id)) if (this.#pending.has(deviation.pending)) this.#deviate(deviation);
    if (writer.who !== 'built-in') return;
    this.#builtInWrites.set(id, moment);
    if (about.length === 0) this.#tally.unforeseen(transitionLabels(change).length);
  }

  /** Ends the verdicts whose time is over. @param now milliseconds since the epoch. */
  expire(now: number): void {
    const before = now - this.#options.expiryMs;
    for (const pending of this.#pending) {
      if (pending.verdict.at > before) break;
      if (pending.isTaken) this.#end(pending, 'overtaken');
      else if (pending.isAhead) this.#end(pending, 'lost');
      else this.#disagree(pending, pending.lags.length > 0 ? 'unfinished' : 'nothing');
    }
    for (const past of [this.#builtInWrites, this.#choices, this.#gone, this.#ahead]) past.forget(before);
  }

  /** How it stands. */
  board(): Scoreboard {
    return this.#tally.board(this.#pending.size);
  }

  #judge(pending: Pending, id: string, change: Change): void {
    const expectation = pending.expected.get(id);
    if (expectation === undefined || !pending.open.has(id) || !this.#pending.has(pending)) return;
    const judgement = judge(expectation, change, pending.verdict, this.#options.latest);
    switch (judgement) {
      case 'irrelevant':
        break;
      case 'step':
      case 'done':
        this.#follow(pending, change);
        if (judgement === 'done') this.#close(pending, id);
        break;
      case 'taken':
        pending.isTaken = true;
        pending.open.delete(id);
        if (pending.open.size === 0) this.#end(pending, 'overtaken');
        break;
      case 'otherwise':
        this.#deviate({ pending, wanted: expectation.last, change });
        break;
      default:
        this.#end(pending, judgement);
    }
  }

  /** The built-in controller does what was foreseen, or as good. */
  #follow({ lags, verdict }: Pending, change: Change): void {
    const ms = Math.max(0, change.at - verdict.at);
    for (const transition of transitionLabels(change)) lags.push([transition, ms]);
  }

  #close(pending: Pending, id: string): void {
    pending.open.delete(id);
    if (pending.open.size === 0) this.#agree(pending);
  }

  #deviate(deviation: Deviation): void {
    const { pending, wanted, change } = deviation;
    const { at, begunAt = at } = pending.verdict;
    const choice = choiceIn(wanted, change.after);
    const judgement = choice === undefined ? 'otherwise' : this.#choices.judge(choice, change.after, { begunAt, at });
    if (judgement === 'equally good') {
      this.#follow(pending, change);
      this.#agree(pending, true);
    } else if (pending.isTaken) this.#end(pending, 'overtaken');
    else if (judgement === 'behind' && choice !== undefined) {
      this.#ahead.add(choice.theirs, deviation);
      pending.isAhead = true;
      // What else becomes of the claim says nothing more.
      pending.open.delete(idOf(change.kind, change.after.metadata));
    } else if (judgement === 'late' || judgement === 'overtaken') this.#end(pending, judgement);
    else this.#disagree(pending, 'otherwise', change);
  }

  #agree(pending: Pending, isEquallyGood = false): void {
    this.#tally.agreed(pending, isEquallyGood);
    this.#settle(pending);
  }

  #disagree(pending: Pending, how: Disagreement['how'], change?: Change): void {
    const [open = ''] = pending.open;
    this.#tally.disagreed(pending, how, this.#options.latest(open), change);
    this.#settle(pending);
  }

  /** What the built-in controller does once counts once, however often it was foreseen. */
  #settle(pending: Pending): void {
    this.#pending.forget(pending);
    for (const other of this.#pending.of(pending.verdict.key)) this.#end(other, 'superseded');
  }

  #end(pending: Pending, why: WhyNotCounted): void {
    this.#tally.notCounted(why);
    this.#pending.forget(pending);
  }

  /** An object of it has changed already. */
  #isLate(expected: ReadonlyMap<string, Expectation>): boolean {
    return [...expected].some(([id, { version }]) => {
      const seen = this.#options.latest(id)?.metadata.resourceVersion ?? this.#gone.get(id)?.version;
      return seen !== undefined && (version === undefined || isOlder(version, seen));
    });
  }

  /** Whether the built-in controller has acted since: then the older verdict is still to be judged by that. */
  #isBuiltInsDoing({ expected, verdict }: Pending, newer: ReadonlyMap<string, Expectation>): boolean {
    return [...expected.keys(), ...newer.keys()].some((id) => (this.#builtInWrites.get(id)?.at ?? -1) >= verdict.at);
  }
}
