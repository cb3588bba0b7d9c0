/** From the words of a command line to an exit code. */
import { ConnectionError } from '../lib/cluster/errors.ts';
import { ClusterError, findCause, messageOf } from '../lib/controller/errors.ts';
import type { Command, Io } from './command.ts';
import { commandHelp, PROGRAM, programHelp } from './help.ts';
import { UsageError } from './options.ts';

/** As shells have it for a program that SIGINT ended. */
const STOPPED = 130;

/**
 * Runs one command line; errors become a text on `io.err` that says what to do.
 * @param version what `--version` prints.
 * @returns the exit code.
 */
export async function runProgram(
  argv: readonly string[],
  commands: readonly Command[],
  version: string,
  io: Io,
): Promise<number> {
  const [first, ...rest] = argv;
  const command = commands.find(({ name }) => name === first);
  if (command !== undefined) {
    if (asksForHelp(rest)) return printed(io, commandHelp(command));
    return await runCommand(command, rest, io);
  }
  switch (first) {
    case undefined:
      io.err(programHelp(commands));
      return 2;
    case '--version':
      return printed(io, `${version}\n`);
    case '-h':
    case '--help':
      return printed(io, programHelp(commands));
    case 'help':
      return helpAbout(rest, commands, io);
    default:
      return refused(
        io,
        `unknown ${first.startsWith('-') ? 'option' : 'command'} ${JSON.stringify(first)}: ${listOf(commands)}`,
      );
  }
}

/** `--help` among the options, wherever it stands: the other words may be wrong then. */
function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return (end === -1 ? words : words.slice(0, end)).some((word) => word === '--help' || word === '-h');
}

async function runCommand(command: Command, argv: readonly string[], io: Io): Promise<number> {
  try {
    return await command.run(argv, io);
  } catch (error) {
    if (error instanceof UsageError) return refused(io, error.message, command.name);
    if (io.signal.aborted) return failed(io, 'stopped', STOPPED);
    const isCluster = findCause(error, ConnectionError) ?? findCause(error, ClusterError);
    return failed(io, messageOf(error), isCluster === undefined ? 3 : 4);
  }
}

function helpAbout([name, ...stray]: readonly string[], commands: readonly Command[], io: Io): number {
  if (stray.length > 0) return refused(io, `unexpected argument ${JSON.stringify(stray[0])}`);
  if (name === undefined) return printed(io, programHelp(commands));
  const command = commands.find((candidate) => candidate.name === name);
  if (command !== undefined) return printed(io, commandHelp(command));
  return refused(io, `unknown command ${JSON.stringify(name)}: ${listOf(commands)}`);
}

function listOf(commands: readonly Command[]): string {
  return `use ${[...commands.map(({ name }) => name), 'help'].join(', ')}`;
}

function printed(io: Io, text: string): number {
  io.out(text);
  return 0;
}

function refused(io: Io, message: string, command?: string): number {
  io.err(`${message}\nTry ${[PROGRAM, ...(command === undefined ? [] : [command]), '--help'].join(' ')}.\n`);
  return 2;
}

function failed(io: Io, message: string, code: number): number {
  io.err(`error: ${message}\n`);
  return code;
}
