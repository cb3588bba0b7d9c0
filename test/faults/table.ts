/** What was injected and what came of it, for the end of the output. */
import type { Violation } from './observer/state.ts';

interface Row {
  readonly fault: string;
  injected: number;
  scenarios: number;
  violations: number;
}

export class Table {
  readonly #rows: Row[] = [];

  add(fault: string, injected: number, scenarios: number, violations: readonly Violation[]): void {
    const known = this.#rows.find((each) => each.fault === fault);
    const row = known ?? { fault, injected: 0, scenarios: 0, violations: 0 };
    if (known === undefined) this.#rows.push(row);
    row.injected += injected;
    row.scenarios += scenarios;
    row.violations += violations.length;
  }

  get text(): string {
    const sum = (key: 'injected' | 'scenarios' | 'violations') => this.#rows.reduce((all, row) => all + row[key], 0);
    const total = {
      fault: 'all',
      injected: sum('injected'),
      scenarios: sum('scenarios'),
      violations: sum('violations'),
    };
    const width = Math.max(...[...this.#rows, total].map(({ fault }) => fault.length), 'fault'.length);
    const line = (fault: string, ...numbers: readonly (string | number)[]) =>
      [fault.padEnd(width), ...numbers.map((number) => String(number).padStart(14))].join('');
    return [
      line('fault', 'times injected', 'scenarios', 'violations'),
      ...[...this.#rows, total].map((row) => line(row.fault, row.injected, row.scenarios, row.violations)),
    ].join('\n');
  }
}
