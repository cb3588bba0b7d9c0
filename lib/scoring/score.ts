/**
 * Scores the controller's verdicts against what the built-in controller then did. It is told of both and asks nobody.
 *
 * A verdict counts if it calls for a write to a volume or a claim and was reached before the built-in controller wrote:
 * it was made from the very version that the built-in one went on from, and the event of that write came after it. The
 * server dates writes in whole seconds; one dated to an earlier second than the verdict makes it late.
 * A change of the objects by anybody else ends a verdict uncounted, since what it rested on is gone.
 */
import { type Change, type Held, transitionLabels } from './change.ts';
import { isEquallyGood } from './equally-good.ts';
import { judge } from './judgement.ts';
import { Lags } from './lags.ts';
import { type Pending, PendingVerdicts } from './pending.ts';
import type { Disagreement, Scoreboard, WhyNotCounted } from './scoreboard.ts';
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
  /** When the built-in controller last wrote an object; the oldest first. */
  readonly #builtInWrites = new Map<string, number>();
  readonly #lags = new Lags();
  readonly #disagreements: Disagreement[] = [];
  readonly #notCounted: Record<WhyNotCounted, number> = { late: 0, overtaken: 0, superseded: 0, lost: 0, dropped: 0 };
  #verdicts = 0;
  #counted = 0;
  #agreed = 0;
  #equallyGood = 0;
  #unforeseen = 0;

  constructor({ latest = () => undefined, expiryMs = 120_000, ...limits }: ScorerOptions = {}) {
    this.#options = { latest, expiryMs, maxPending: 2_000, maxDisagreements: 100, ...limits };
  }

  /** A verdict was reached. One without a write to a volume or a claim is nothing to score. */
  verdict(verdict: Verdict): void {
    const expected = expectationsOf(verdict.writes);
    if (expected.size === 0) return;
    const earlier = this.#pending.of(verdict.key);
    // The same verdict, reached again while the built-in controller is on its way.
    if (earlier.some((pending) => isRestOf(pending.expected, expected))) return;
    this.#verdicts += 1;
    for (const pending of earlier) if (!this.#isBuiltInsDoing(pending, expected)) this.#end(pending, 'superseded');
    if (this.#isLate(expected)) {
      this.#notCounted.late += 1;
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
    const id = idOf(change.kind, change.after.metadata);
    const about = this.#pending.about(id);
    for (const pending of about) this.#judge(pending, id, change);
    if (change.writer.who !== 'built-in') return;
    this.#builtInWrites.delete(id);
    this.#builtInWrites.set(id, change.at);
    if (about.length === 0) this.#unforeseen += transitionLabels(change).length;
  }

  /** Ends the verdicts whose time is over. @param now milliseconds since the epoch. */
  expire(now: number): void {
    const before = now - this.#options.expiryMs;
    for (const pending of this.#pending) {
      if (pending.verdict.at > before) break;
      if (pending.isTaken) this.#end(pending, 'overtaken');
      else this.#disagree(pending, pending.lags.length > 0 ? 'unfinished' : 'nothing');
    }
    for (const [id, at] of this.#builtInWrites) {
      if (at > before) break;
      this.#builtInWrites.delete(id);
    }
  }

  /** How it stands. */
  board(): Scoreboard {
    return {
      verdicts: this.#verdicts,
      counted: this.#counted,
      agreed: this.#agreed,
      equallyGood: this.#equallyGood,
      rate: this.#counted === 0 ? undefined : this.#agreed / this.#counted,
      pending: this.#pending.size,
      notCounted: { ...this.#notCounted },
      unforeseen: this.#unforeseen,
      lags: this.#lags.summary(),
      disagreements: [...this.#disagreements],
    };
  }

  #judge(pending: Pending, id: string, change: Change): void {
    const expectation = pending.expected.get(id);
    if (expectation === undefined || !pending.open.has(id)) return;
    const judgement = judge(expectation, change, pending.verdict.at);
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
        this.#deviate(pending, expectation, change);
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

  #deviate(pending: Pending, { last }: Expectation, change: Change): void {
    if (isEquallyGood(last, change.after, this.#options.latest)) {
      this.#equallyGood += 1;
      this.#follow(pending, change);
      this.#agree(pending);
    } else if (pending.isTaken) this.#end(pending, 'overtaken');
    else this.#disagree(pending, 'otherwise', change);
  }

  #agree(pending: Pending): void {
    this.#counted += 1;
    this.#agreed += 1;
    for (const [transition, ms] of pending.lags) this.#lags.add(transition, ms);
    this.#pending.forget(pending);
  }

  #disagree(pending: Pending, how: Disagreement['how'], change?: Change): void {
    this.#counted += 1;
    this.#pending.forget(pending);
    if (this.#disagreements.length >= this.#options.maxDisagreements) return;
    const { key, at, writes, notes = [] } = pending.verdict;
    const [open = ''] = pending.open;
    this.#disagreements.push({
      key,
      how,
      at,
      before: change === undefined ? this.#options.latest(open) : change.before,
      wanted: writes.flatMap((write) => (write.verb === 'event' ? [] : [write])),
      notes,
      ...(change !== undefined && {
        happened: {
          object: change.after,
          isDeleted: change.type === 'DELETED',
          manager: change.writer.manager ?? 'unknown',
          at: change.at,
        },
      }),
    });
  }

  #end(pending: Pending, why: WhyNotCounted): void {
    this.#notCounted[why] += 1;
    this.#pending.forget(pending);
  }

  /** An object of it has changed already. */
  #isLate(expected: ReadonlyMap<string, Expectation>): boolean {
    return [...expected].some(([id, { version }]) => {
      const seen = this.#options.latest(id)?.metadata.resourceVersion;
      return seen !== undefined && (version === undefined || isOlder(version, seen));
    });
  }

  /** Whether the built-in controller has acted since: then the older verdict is still to be judged by that. */
  #isBuiltInsDoing({ expected, verdict }: Pending, newer: ReadonlyMap<string, Expectation>): boolean {
    return [...expected.keys(), ...newer.keys()].some((id) => (this.#builtInWrites.get(id) ?? -1) >= verdict.at);
  }
}
