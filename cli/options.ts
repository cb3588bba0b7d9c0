/** Options of a program: one table that is parsed, shown by --help and completed by shells. */
import { parseArgs } from 'node:util';
import { table } from '../lib/terminal.ts';

/** Wrong words on the command line: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface Option {
  readonly type: 'string' | 'boolean';
  /** One letter, without its dash. */
  readonly short?: string;
  /** Shown for the value in the help: `FILE`. */
  readonly value?: string;
  /** The only values that there are. */
  readonly oneOf?: readonly string[];
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;
export type Values = Readonly<Record<string, string | boolean | undefined>>;

/** What a command line says. */
export interface Words {
  readonly values: Values;
  readonly positionals: readonly string[];
}

const HELP: Option = { type: 'boolean', short: 'h', help: 'this text' };

/** @throws UsageError for an unknown option, a missing value or a stray argument. */
export function parseOptions(argv: readonly string[], options: Options): Values {
  return parseWords(argv, options, 0).values;
}

/**
 * Options and arguments, in any order; `help` is always an option.
 * @param most how many arguments there may be.
 * @throws UsageError for an unknown option, a missing value, one that is none of `oneOf`, or a stray argument.
 */
export function parseWords(argv: readonly string[], options: Options, most: number): Words {
  const { values, positionals } = parsed(argv, options, most > 0);
  const stray = positionals[most];
  if (stray !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(stray)}`);
  for (const [name, { oneOf }] of Object.entries(options)) {
    const value = values[name];
    if (oneOf === undefined || typeof value !== 'string' || oneOf.includes(value)) continue;
    throw new UsageError(`--${name}: ${JSON.stringify(value)} is none of ${oneOf.join(', ')}`);
  }
  return { values, positionals };
}

function parsed(argv: readonly string[], options: Options, allowPositionals: boolean): Words {
  const table = Object.entries({ ...options, help: HELP }).map(([name, { type, short }]) => [
    name,
    { type, ...(short !== undefined && { short }) },
  ]);
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: Object.fromEntries(table),
      strict: true,
      allowPositionals,
    });
    return { values: values as Values, positionals };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** The value of a text option; undefined when it was not given. */
export function textOf(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** The help page. */
export function helpOf(command: string, about: string, options: Options): string {
  return [`Usage: ${command} [options]`, '', about, '', ...optionLines(options), ''].join('\n');
}

/** One line for each option, in columns. */
export function optionLines(options: Options): string[] {
  const rows = Object.entries(options).map(([name, option]) => [labelOf(name, option), option.help] as const);
  return columns([...rows, [labelOf('help', HELP), HELP.help]]);
}

/** `-o, --output FORMAT` */
export function labelOf(name: string, { short, value }: Option): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
}

/** Two columns in lines of 80 characters. */
export function columns(rows: readonly (readonly [string, string])[]): string[] {
  return table(rows, 80);
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
