/** What a mutation run found, from the JSON report that Stryker writes (the mutation testing report schema, version 2). */

/** `Ignored`: a mutant of code that runs once, when its module is loaded. Errors are mutants that could not be run. */
type Status =
  | 'Killed'
  | 'Timeout'
  | 'Survived'
  | 'NoCoverage'
  | 'Ignored'
  | 'RuntimeError'
  | 'CompileError'
  | 'Pending';
type Position = { readonly line: number; readonly column: number };

/** The parts of the report that are read here. */
export interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
}

interface Mutant {
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly status: Status;
  readonly location: { readonly start: Position; readonly end: Position };
}

/** How many mutants of a file or a folder ended how. */
export interface Tally {
  killed: number;
  /** Tests that did not end with the mutant: it was noticed too. */
  timeout: number;
  survived: number;
  /** No test runs the code: nobody would notice. */
  uncovered: number;
  ignored: number;
  errors: number;
}

/** A mutant that no test noticed. */
export interface Survivor {
  readonly file: string;
  readonly line: number;
  /** The whole line that it begins in, without indentation. */
  readonly code: string;
  readonly mutator: string;
  readonly original: string;
  readonly replacement: string;
}

const PLACES: Readonly<Record<Status, keyof Tally>> = {
  Killed: 'killed',
  Timeout: 'timeout',
  Survived: 'survived',
  NoCoverage: 'uncovered',
  Ignored: 'ignored',
  RuntimeError: 'errors',
  CompileError: 'errors',
  Pending: 'errors',
};

/** By file, in the order of their paths. */
export function talliesOf(report: Report): Map<string, Tally> {
  const files = Object.entries(report.files).sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(files.map(([file, { mutants }]) => [file, count(mutants)]));
}

function count(mutants: readonly Mutant[]): Tally {
  const tally = empty();
  for (const { status } of mutants) tally[PLACES[status]] += 1;
  return tally;
}

function empty(): Tally {
  return { killed: 0, timeout: 0, survived: 0, uncovered: 0, ignored: 0, errors: 0 };
}

/** One tally of several. */
export function sumOf(tallies: Iterable<Tally>): Tally {
  const sum = empty();
  for (const tally of tallies) for (const place of Object.keys(sum) as (keyof Tally)[]) sum[place] += tally[place];
  return sum;
}

/** Percent of the mutants that could be noticed which were; NaN where there are none. */
export function scoreOf({ killed, timeout, survived, uncovered }: Tally): number {
  return (100 * (killed + timeout)) / (killed + timeout + survived + uncovered);
}

/** All that nobody noticed, those without coverage too, by file and line. */
export function survivorsOf(report: Report): Survivor[] {
  return Object.entries(report.files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split('\n');
    return mutants
      .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
      .sort((a, b) => a.location.start.line - b.location.start.line)
      .map(({ mutatorName, replacement = '', location: { start, end } }) => ({
        file,
        line: start.line,
        code: (lines[start.line - 1] ?? '').trim(),
        mutator: mutatorName,
        original: textBetween(lines, start, end),
        replacement,
      }));
  });
}

/** Lines and columns count from one; the end is the first character that is not meant. */
function textBetween(lines: readonly string[], start: Position, end: Position): string {
  const meant = lines.slice(start.line - 1, end.line);
  return meant
    .map((text, index) => text.slice(0, index === meant.length - 1 ? end.column - 1 : undefined))
    .map((text, index) => text.slice(index === 0 ? start.column - 1 : 0))
    .join('\n');
}
