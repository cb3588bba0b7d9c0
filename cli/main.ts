/** The program on a real terminal. */
import { readFileSync } from 'node:fs';
import type { Io } from './command.ts';
import { COMMANDS } from './commands.ts';
import { runProgram } from './program.ts';

const DEFAULT_WIDTH = 80;
/** Exit code: the result got lost. */
const NOT_WRITTEN = 3;

/** Streams, environment and signals of this process. */
function processIo(): Io {
  const { env, stdout, stderr } = process;
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader such as `head` that has seen enough is no failure; a full disk is one, whatever the cluster is like.
    if (error.code === 'EPIPE') process.exit();
    stderr.write(`error: the output cannot be written (${error.code})\n`);
    process.exit(NOT_WRITTEN);
  });
  // Whoever reads no complaints has the exit code.
  stderr.on('error', () => {});
  return {
    out: (text) => stdout.write(text),
    err: (text) => stderr.write(text),
    // As https://no-color.org: set and not empty.
    colours: stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
    width: stdout.columns ?? DEFAULT_WIDTH,
    env,
    now: () => Date.now(),
    signal: stopping.signal,
  };
}

function versionOfPackage(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

process.exitCode = await runProgram(process.argv.slice(2), COMMANDS, versionOfPackage(), processIo());
