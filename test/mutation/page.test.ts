import { describe, expect, test } from 'vitest';
import { mutationPage } from './page.ts';
import { type Report, scoreOf, sumOf, survivorsOf, talliesOf } from './report.ts';

const SOURCE = 'export function max(a: number, b: number) {\n  return a > b\n    ? a\n    : b;\n}\n';

const at = (line: number, column: number, endLine: number, endColumn: number) => ({
  start: { line, column },
  end: { line: endLine, column: endColumn },
});

const mutant = (status: Report['files'][string]['mutants'][number]['status'], location = at(2, 10, 2, 15)) => ({
  mutatorName: 'EqualityOperator',
  replacement: 'a >= b',
  status,
  location,
});

const REPORT: Report = {
  files: {
    'lib/queue/max.ts': {
      source: SOURCE,
      mutants: [
        mutant('NoCoverage', at(2, 10, 4, 8)),
        ...Array.from({ length: 6 }, () => mutant('Killed')),
        mutant('Survived'),
        mutant('Timeout'),
        mutant('Ignored'),
        mutant('RuntimeError'),
      ],
    },
    'lib/queue/a.ts': { source: '', mutants: [] },
  },
};

describe('a mutation report', () => {
  test('has a score of what was noticed among what could be', () => {
    const [empty, tally] = [...talliesOf(REPORT).values()];
    expect(tally).toEqual({ killed: 6, timeout: 1, survived: 1, uncovered: 1, ignored: 1, errors: 1 });
    expect(tally && scoreOf(tally)).toBeCloseTo(77.78, 2);
    expect(empty && scoreOf(empty)).toBeNaN();
    expect([...talliesOf(REPORT).keys()]).toEqual(['lib/queue/a.ts', 'lib/queue/max.ts']);
  });

  test('sums tallies', () => {
    const tallies = [...talliesOf(REPORT).values(), ...talliesOf(REPORT).values()];
    expect(sumOf(tallies)).toEqual({ killed: 12, timeout: 2, survived: 2, uncovered: 2, ignored: 2, errors: 2 });
  });

  test('shows the code that a survivor replaces, over several lines too', () => {
    expect(survivorsOf(REPORT)).toMatchObject([
      { file: 'lib/queue/max.ts', line: 2, code: 'return a > b', original: 'a > b\n    ? a\n    : b' },
      { file: 'lib/queue/max.ts', line: 2, original: 'a > b', replacement: 'a >= b' },
    ]);
  });
});

describe('the page', () => {
  const circumstances = {
    date: '2026-01-02',
    cores: 2,
    versions: { StrykerJS: '1.2.3', Node: '24.0.0' },
    unfinished: [],
  };
  const page = mutationPage([REPORT], circumstances);

  test('says when and on what the run was made', () => {
    expect(page).toContain('2026-01-02, on a machine with 2 cores, StrykerJS 1.2.3, Node 24.0.0.');
  });

  test('says which folders were not done to their end', () => {
    expect(page).not.toContain('Interrupted');
    const cut = mutationPage([REPORT], { ...circumstances, unfinished: ['lib/queue', 'lib/bridge'] });
    expect(cut).toContain('**Interrupted in `lib/queue` and `lib/bridge`**');
  });

  test('has a row for each folder, for all, and for each file with mutants', () => {
    const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
    const cells = ['6', '1', '1', '1', '1', '77.8 %'];
    for (const name of ['`lib/queue`', '**all**', '`lib/queue/max.ts`']) {
      expect(rows.find(([, first]) => first === name)?.slice(2, 8)).toEqual(cells);
    }
    expect(rows.find(([, first]) => first === '`lib/bridge`')?.slice(2, 8)).toEqual(['0', '0', '0', '0', '0', 'none']);
    expect(page).not.toContain('lib/queue/a.ts');
  });

  test('names the survivors that nobody explained', () => {
    expect(page).toContain('2 without a reason yet:');
    expect(page).toContain('- `lib/queue/max.ts`, line 2: `a > b` became `a >= b`');
  });
});
