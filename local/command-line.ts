/** Options of the local programs: --help, clear usage errors, exit codes. */
import { parseArgs } from 'node:util';
import type { Connection } from '../lib/cluster/connection.ts';
import { connectionFromKubeconfig } from '../lib/cluster/kubeconfig.ts';
import { type Config, ConfigError, readConfig } from '../lib/config.ts';

/** Wrong words on the command line: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface Option {
  readonly type: 'string' | 'boolean';
  /** Shown for the value in the help. */
  readonly value?: string;
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;
export type Values = Readonly<Record<string, string | boolean | undefined>>;

/** @throws UsageError for an unknown option, a missing value or a stray argument. */
export function parseOptions(argv: readonly string[], options: Options): Values {
  try {
    const parsed = parseArgs({
      args: [...argv],
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      strict: true,
      allowPositionals: false,
    });
    return parsed.values as Values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** The help page. */
export function helpOf(command: string, about: string, options: Options): string {
  const names = Object.entries(options).map(
    ([name, { value }]) => `--${name}${value === undefined ? '' : ` ${value}`}`,
  );
  const width = Math.max(...names.map((name) => name.length), '--help'.length);
  const lines = Object.values(options).map(({ help }, i) => `  ${(names[i] ?? '').padEnd(width)}  ${help}`);
  return [`Usage: ${command} [options]`, '', about, '', ...lines, `  ${'--help'.padEnd(width)}  this text`, ''].join(
    '\n',
  );
}

/** The connection that --kubeconfig and --context name. @throws UsageError without one, ConnectionError when it is bad. */
export function connectionOf(values: Values): Connection {
  const { kubeconfig, context } = values;
  if (typeof kubeconfig !== 'string') throw new UsageError('--kubeconfig FILE is needed: which cluster?');
  return connectionFromKubeconfig({ file: kubeconfig, ...(typeof context === 'string' && { context }) });
}

/**
 * Settings from PV_… variables, with options of the command line on top.
 * @param overrides by variable: the option's value, or undefined when it was not given.
 * @param names by variable: the option, for errors about its value.
 * @throws UsageError for a wrong value.
 */
export function configOf(
  overrides: Readonly<Record<string, string | undefined>>,
  names: Readonly<Record<string, string>> = {},
): Config {
  const given = Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));
  try {
    return readConfig({ ...process.env, ...given });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [variable = ''] = error.message.split(':', 1);
    const name = given[variable] === undefined ? undefined : names[variable];
    throw new UsageError(name === undefined ? error.message : name + error.message.slice(variable.length));
  }
}

/** Runs a program to its exit code: 2 after a usage error, 1 after any other. */
export async function main(program: (argv: readonly string[]) => Promise<number>): Promise<void> {
  try {
    process.exitCode = await program(process.argv.slice(2));
  } catch (error) {
    const { name, message } = error as Error;
    console.error(name === 'UsageError' ? `${message}\nTry --help.` : `error: ${message}`);
    process.exitCode = name === 'UsageError' ? 2 : 1;
  }
}
