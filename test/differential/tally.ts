/** Counts what the plays have shown, for the lines at the end. */
import type { Case } from './cases.ts';
import type { Outcome } from './play.ts';

/** Whether there is a difference that no decision explains. */
export function isUnexplained({ differences, explained }: Outcome): boolean {
  return explained.length < differences.length;
}

export class Tally {
  #plays = 0;
  #actions = 0;
  #late = 0;
  #unexplained = 0;
  #wrongCases = 0;
  readonly #seen = new Map<string, number>();
  readonly #onPurpose = new Map<string, number>();
  readonly #decisions = new Map<string, string>();

  get isClean(): boolean {
    return this.#unexplained === 0 && this.#wrongCases === 0;
  }

  /** @returns the verdict in words. */
  add(outcome: Outcome, known?: Case): string {
    this.#plays += 1;
    this.#actions += outcome.actions.length;
    this.#late += outcome.late;
    for (const phase of outcome.seen) this.#seen.set(phase, (this.#seen.get(phase) ?? 0) + 1);
    const ids = new Set(outcome.explained.map(({ reason }) => reason.id));
    for (const { reason } of outcome.explained) this.#decisions.set(reason.id, reason.decision);
    for (const id of ids) this.#onPurpose.set(id, (this.#onPurpose.get(id) ?? 0) + 1);
    if (isUnexplained(outcome)) {
      this.#unexplained += 1;
      return 'DIFFERENT';
    }
    const isAsKnown = known === undefined || [...ids].join() === (known.onPurpose ?? '');
    if (!isAsKnown) {
      this.#wrongCases += 1;
      return `NOT AS THE CASE SAYS: ${ids.size === 0 ? 'equal' : `on purpose: ${[...ids].join(', ')}`}`;
    }
    return ids.size === 0 ? 'equal' : `on purpose: ${[...ids].join(', ')}`;
  }

  /** The closing summary. */
  lines(): string[] {
    return [
      `${this.#plays} plays, ${this.#actions} actions, ${this.#unexplained} unexplained differences`,
      ...[...this.#onPurpose].map(([id, count]) => `  on purpose, ${count} plays: ${id} (${this.#decisions.get(id)})`),
      ...(this.#wrongCases > 0 ? [`  ${this.#wrongCases} cases did not end as their files say`] : []),
      `  plays with a ${[...this.#seen]
        .sort()
        .map(([phase, count]) => `${phase}: ${count}`)
        .join(', ')}`,
      `  equal only after a longer wait: ${this.#late} states`,
    ];
  }
}
