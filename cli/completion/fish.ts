/** Completion for fish. */
import type { Command } from '../command.ts';
import { PROGRAM } from '../help.ts';
import { type Flag, flagsOf, takesFile } from './candidates.ts';

/** The script: one `complete` for each thing that can be completed. */
export function fishScript(commands: readonly Command[]): string {
  return [
    `# fish completion for ${PROGRAM}`,
    `complete -c ${PROGRAM} -f`,
    `complete -c ${PROGRAM} -n __fish_use_subcommand -l help -s h -d 'the help'`,
    `complete -c ${PROGRAM} -n __fish_use_subcommand -l version -d 'the version'`,
    ...commands.flatMap(linesOf),
    '',
  ].join('\n');
}

function linesOf(command: Command): string[] {
  const { name, summary, words = [] } = command;
  const within = `complete -c ${PROGRAM} -n '__fish_seen_subcommand_from ${name}'`;
  return [
    `complete -c ${PROGRAM} -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...(words.length === 0 ? [] : [`${within} -a ${quoted(words.join(' '))}`]),
    ...flagsOf(command).map((flag) => [within, ...partsOf(flag)].join(' ')),
  ];
}

function partsOf(flag: Flag): string[] {
  const { name, short, type, oneOf, help } = flag;
  const values = oneOf !== undefined ? ['-x', '-a', quoted(oneOf.join(' '))] : takesFile(flag) ? ['-r', '-F'] : ['-x'];
  return [
    `-l ${name}`,
    ...(short === undefined ? [] : [`-s ${short}`]),
    ...(type === 'boolean' ? [] : values),
    `-d ${quoted(help)}`,
  ];
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
