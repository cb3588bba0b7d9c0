/** Help pages: of the program and of each command. */
import { wrapped } from '../lib/terminal.ts';
import type { Command } from './command.ts';
import { columns, optionLines } from './options.ts';

export const PROGRAM = 'pv-controller';
/** Of help pages, whatever the terminal has: they are part of the documentation too. */
const WIDTH = 80;

/** Exit codes that every command shares. */
export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: 'done, and nothing to report',
  2: 'wrong options or arguments; nothing was read',
  3: 'something unexpected failed',
  4: 'the cluster cannot be reached, or refuses a read that is needed',
  130: 'stopped by Ctrl-C',
};

const ABOUT = `Says what the PersistentVolumes and claims of a cluster are waiting for, by the very
rules by which the controller decides. It reads, and never writes.`;

/** The page of the program. */
export function programHelp(commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }) => [name, summary] as const);
  return lines([
    `Usage: ${PROGRAM} COMMAND [options]`,
    '',
    ...paragraphs(ABOUT),
    'Commands:',
    ...columns([...rows, ['help [COMMAND]', 'this text, or that of a command']]),
    '',
    'Options:',
    ...columns([
      ['-h, --help', 'this text'],
      ['--version', 'the version'],
    ]),
    '',
    'Exit codes:',
    ...exitCodeLines({}),
    '',
    'Colours appear on a terminal only; NO_COLOR=1 switches them off.',
  ]);
}

/** The page of a command. */
export function commandHelp({ name, usage, about, examples, options, exitCodes }: Command): string {
  return lines([
    `Usage: ${[PROGRAM, name, usage, '[options]'].filter((word) => word !== '').join(' ')}`,
    '',
    ...paragraphs(about),
    'Options:',
    ...optionLines(options),
    '',
    ...(examples.length === 0 ? [] : ['Examples:', ...examples.map((example) => `  ${example}`), '']),
    'Exit codes:',
    ...exitCodeLines(exitCodes),
  ]);
}

/** Those of every command, with what this one says of them on top. */
export function exitCodesOf(own: Command['exitCodes']): [string, string][] {
  return Object.entries({ ...EXIT_CODES, ...own });
}

function exitCodeLines(own: Command['exitCodes']): string[] {
  return columns(exitCodesOf(own));
}

/** Each with an empty line after it. */
function paragraphs(text: string): string[] {
  return text.split('\n\n').flatMap((paragraph) => [...wrapped(paragraph.replaceAll('\n', ' '), WIDTH), '']);
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}
