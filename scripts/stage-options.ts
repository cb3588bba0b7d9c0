/** What the commands for a stage have in common: `--stage`, `--help`, and errors that are for people. */
import { parseArgs } from 'node:util';
import { readStageConfig, type StageConfig, StageConfigError } from '../infra/stage-config.ts';

/** Where stage files are, from the project's folder, which npm runs scripts in. */
export const CONFIG_DIRECTORY = 'config';

/** Ends a command that was called the wrong way. */
const USAGE_ERROR = 2;

/** A stage that was asked for and may be used. */
export interface Stage {
  readonly stage: string;
  readonly config: StageConfig;
  /** Arguments that are not ours, for osls. */
  readonly rest: readonly string[];
}

/** How a command is called. */
export interface StageCommand {
  readonly help: string;
  /** Without one, `--stage` is needed. */
  readonly defaultStage?: string;
  /** Whether other arguments are osls's. */
  readonly passesOn?: boolean;
}

/**
 * Reads the arguments and the stage's file. Ends the process: with 0 after `--help`, 2 when it was called the wrong way,
 * 1 when the file is not right, each with what there is to say.
 */
export function stageOrExit(argv: readonly string[], { help, defaultStage, passesOn = false }: StageCommand): Stage {
  const { values, rest } = parsed(argv, help, passesOn);
  if (values.help) {
    process.stdout.write(help);
    process.exit(0);
  }
  const stage = values.stage ?? defaultStage;
  if (stage === undefined) usage('--stage is missing', help);
  try {
    return { stage, config: readStageConfig(stage, CONFIG_DIRECTORY), rest };
  } catch (error) {
    if (!(error instanceof StageConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

function parsed(argv: readonly string[], help: string, passesOn: boolean) {
  const options = { stage: { type: 'string', short: 's' }, help: { type: 'boolean', short: 'h' } } as const;
  try {
    if (!passesOn) return { values: parseArgs({ args: [...argv], options }).values, rest: [] };
    const { values, tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true });
    const own = new Set(tokens.filter((token) => token.kind === 'option' && token.name in options).flatMap(positions));
    const stage = typeof values.stage === 'string' ? values.stage : undefined;
    return { values: { stage, help: values.help === true }, rest: argv.filter((_, index) => !own.has(index)) };
  } catch (error) {
    usage((error as Error).message, help);
  }
}

/** Of the option, and of its value where that is an argument of its own. */
function positions(token: { index: number; inlineValue?: boolean | undefined; value?: string | undefined }): number[] {
  return token.value !== undefined && token.inlineValue === false ? [token.index, token.index + 1] : [token.index];
}

function usage(problem: string, help: string): never {
  process.stderr.write(`${problem}\n\n${help}`);
  process.exit(USAGE_ERROR);
}
