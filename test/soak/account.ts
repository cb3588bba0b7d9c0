/** What was injected, what was done, and what came of it: the closing table. */
import type { Judgement } from './judge.ts';

export interface Played {
  readonly fault: string;
  readonly injected: number;
}

interface Row {
  spells: number;
  injected: number;
  violations: number;
}

export class Account {
  readonly #rows = new Map<string, Row>();
  readonly violations: string[] = [];
  rounds = 0;
  states = 0;
  ours = 0;
  /** Volumes and claims at the end of each round. */
  readonly objects: number[] = [];

  /** @param played of one round: a violation of it counts for each of its faults, since it may be of any of them. */
  add(played: readonly Played[], { violations, histories, states, ours, objects }: Judgement): void {
    this.rounds += 1;
    this.states += states;
    this.ours += ours;
    this.objects.push(objects);
    for (const { fault, injected } of played) {
      const row = this.#rows.get(fault) ?? { spells: 0, injected: 0, violations: 0 };
      this.#rows.set(fault, row);
      row.spells += 1;
      row.injected += injected;
      row.violations += violations.length;
    }
    const faults = played.map(({ fault }) => fault).join(', ');
    for (const violation of violations) {
      const history = (histories.get(violation) ?? []).map((line) => `\n    ${line}`).join('');
      this.violations.push(`round ${this.rounds} (${faults}): ${violation.invariant} ${violation.what}${history}`);
    }
  }

  /** Faults that nothing came of: the spell was too short for them, or they are not what they say. */
  get idle(): readonly string[] {
    return [...this.#rows]
      .filter(([fault, { injected }]) => fault !== 'none' && injected === 0)
      .map(([fault]) => fault);
  }

  table(): string {
    const width = Math.max('fault'.length, ...[...this.#rows.keys()].map((fault) => fault.length));
    const line = (fault: string, ...numbers: readonly (string | number)[]) =>
      fault.padEnd(width) + numbers.map((number) => String(number).padStart(12)).join('');
    const sum = (of: (row: Row) => number) => [...this.#rows.values()].reduce((total, row) => total + of(row), 0);
    return [
      line('fault', 'spells', 'injected', 'violations'),
      ...[...this.#rows]
        .sort(([one], [other]) => one.localeCompare(other))
        .map(([fault, { spells, injected, violations }]) => line(fault, spells, injected, violations)),
      line(
        'all',
        sum(({ spells }) => spells),
        sum(({ injected }) => injected),
        this.violations.length,
      ),
    ].join('\n');
  }
}
