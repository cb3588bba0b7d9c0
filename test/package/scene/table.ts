/** The times of a run, for people. */

export interface Row {
  readonly function: string;
  readonly invocations: number;
  /** Milliseconds. */
  readonly cold: number | undefined;
  readonly warm: number | undefined;
}

/** A line for each function, in columns. */
export function tableOf(rows: readonly Row[]): string {
  const head = ['function', 'invocations', 'cold ms', 'warm ms'];
  const lines = rows.map((row) => [row.function, String(row.invocations), rounded(row.cold), rounded(row.warm)]);
  return [head, ...lines]
    .map(([name = '', ...cells]) => name.padEnd(14) + cells.map((c) => c.padStart(12)).join(''))
    .join('\n');
}

function rounded(value: number | undefined): string {
  return value === undefined ? '-' : value.toFixed(0);
}
