/** What several seeds beside one built-in controller came to, in lines for people. */
import type { TwoWriters } from '../two-writers.ts';
import { histogram } from './turns.ts';

export function reportOf(played: readonly TwoWriters[]): string {
  const turns = played.flatMap((each) => each.turns);
  const sum = (count: (each: TwoWriters) => number) => played.reduce((all, each) => all + count(each), 0);
  const fought = new Set(played.flatMap(({ flips }, play) => flips.map(({ message }) => `${play} ${message}`)));
  const blamed = played.flatMap((each) => each.blamed);
  const of = (writer: string) => {
    const lines = blamed
      .filter((each) => each.writer === writer)
      .map(({ violation }) => `${violation.invariant} ${violation.what}`);
    return lines.length === 0 ? ['none'] : [...new Set(lines)];
  };
  return [
    `  ${played.length} seeds, ${sum(({ actions }) => actions)} actions, ${turns.length} objects; writes of each:`,
    histogram(turns),
    `  second   ${sum(({ refused }) => refused.ours)} writes of ours, ${sum(({ refused }) => refused.builtIn)} of the built-in`,
    `  scrubs   ${sum(({ scrubs }) => scrubs)}`,
    `  fields that we left to the built-in: ${fought.size}`,
    ...of('built-in').map((line) => `  the built-in: ${line}`),
    ...of('user').map((line) => `  users: ${line}`),
  ].join('\n');
}
