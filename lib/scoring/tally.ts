/** The numbers of a scoring, and the first disagreements in full. */
import type { Change, Held } from './change.ts';
import { disagreementOf } from './disagreement.ts';
import { Lags } from './lags.ts';
import type { Pending } from './pending.ts';
import type { Disagreement, Scoreboard, WhyNotCounted } from './scoreboard.ts';

/** It counts what it is told; what counts, others decide. */
export class Tally {
  readonly #maxDisagreements: number;
  readonly #lags = new Lags();
  readonly #disagreements: Disagreement[] = [];
  readonly #notCounted: Record<WhyNotCounted, number> = { late: 0, overtaken: 0, superseded: 0, lost: 0, dropped: 0 };
  #verdicts = 0;
  #counted = 0;
  #agreed = 0;
  #equallyGood = 0;
  #unforeseen = 0;

  /** @param maxDisagreements that are kept in full. */
  constructor(maxDisagreements: number) {
    this.#maxDisagreements = maxDisagreements;
  }

  verdict(): void {
    this.#verdicts += 1;
  }

  agreed({ lags }: Pending, isEquallyGood: boolean): void {
    this.#counted += 1;
    this.#agreed += 1;
    if (isEquallyGood) this.#equallyGood += 1;
    for (const [transition, ms] of lags) this.#lags.add(transition, ms);
  }

  /** @param latest what the verdict was about, as it is. @param change what happened instead. */
  disagreed({ verdict }: Pending, how: Disagreement['how'], latest: Held | undefined, change?: Change): void {
    this.#counted += 1;
    if (this.#disagreements.length >= this.#maxDisagreements) return;
    this.#disagreements.push(disagreementOf(verdict, how, latest, change));
  }

  notCounted(why: WhyNotCounted): void {
    this.#notCounted[why] += 1;
  }

  unforeseen(transitions: number): void {
    this.#unforeseen += transitions;
  }

  /** @param pending verdicts that are still waiting. */
  board(pending: number): Scoreboard {
    return {
      verdicts: this.#verdicts,
      counted: this.#counted,
      agreed: this.#agreed,
      equallyGood: this.#equallyGood,
      rate: this.#counted === 0 ? undefined : this.#agreed / this.#counted,
      pending,
      notCounted: { ...this.#notCounted },
      unforeseen: this.#unforeseen,
      lags: this.#lags.summary(),
      disagreements: [...this.#disagreements],
    };
  }
}
