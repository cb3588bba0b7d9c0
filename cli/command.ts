/** What a subcommand of `pv-controller` is, and what it may talk to. */
import type { Options } from './options.ts';

/** The streams of a run, so that tests need no process. */
export interface Io {
  /** Results. */
  readonly out: (text: string) => void;
  /** Progress, warnings and errors. */
  readonly err: (text: string) => void;
  /** `out` is a terminal, so that colours are welcome unless NO_COLOR is set. */
  readonly colours: boolean;
  /** Characters of a line of `out`. */
  readonly width: number;
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** One subcommand: a module exports it as `command`. */
export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** Arguments as the usage line shows them: `pv/NAME | pvc/NAMESPACE/NAME`; empty when there are none. */
  readonly usage: string;
  /** Paragraphs of the help page, with an empty line between them. */
  readonly about: string;
  /** Command lines that work, for the help page. */
  readonly examples: readonly string[];
  readonly options: Options;
  /** What the first argument can be, for shells to complete. */
  readonly words?: readonly string[];
  /** Exit codes beyond 0 and 2, by their meaning. */
  readonly exitCodes: Readonly<Record<number, string>>;
  /**
   * @returns the exit code.
   * @throws UsageError for wrong words.
   */
  run(argv: readonly string[], io: Io): Promise<number>;
}
