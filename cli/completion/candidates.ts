/** What can be completed, in the form that all three scripts are made of. */
import type { Command } from '../command.ts';
import type { Option } from '../options.ts';

/** An option as a shell sees it. */
export interface Flag extends Option {
  /** Without dashes. */
  readonly name: string;
}

const HELP: Flag = { name: 'help', type: 'boolean', short: 'h', help: 'the help of this command' };

/** The command's options, and --help. */
export function flagsOf({ options }: Command): Flag[] {
  return [...Object.entries(options).map(([name, option]) => ({ name, ...option })), HELP];
}

/** Values of this option are files of this machine. */
export function takesFile({ value }: Option): boolean {
  return value === 'FILE';
}

/** `-o` and `--output`. */
export function spellings({ name, short }: Flag): string[] {
  return short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
}
