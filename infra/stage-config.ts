/** Reads config/<stage>.yml. Everything that is wrong with it is told at once, with the line, the value and the fix. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as YAML from 'yaml';
import type * as z from 'zod';
import { deadLetterName, SERVICE, STAGE_NAME } from './names.ts';
import { contradictions, formatPath, type Problem, schemaProblems } from './stage-problems.ts';
import { STAGE_SCHEMA } from './stage-schema.ts';

type ParsedStage = z.output<typeof STAGE_SCHEMA>;

/** A stage file with its defaults filled in. */
export interface StageConfig extends Omit<ParsedStage, 'queues'> {
  /** With the queues' names, given or not. */
  readonly queues: ParsedStage['queues'] & { readonly volumes: string; readonly claims: string };
}

/** A stage cannot be used. Its message is for whoever wrote the file, and needs no stack trace. */
export class StageConfigError extends Error {
  override readonly name = 'StageConfigError';
}

/**
 * @param stage as in `--stage`: the file's name without `.yml`.
 * @param directory where the stage files are.
 * @throws StageConfigError that names the file and, for each problem in it, the field, its line, its value and the fix.
 *
 * @example
 * const config = readStageConfig('production', 'config');
 */
export function readStageConfig(stage: string, directory: string): StageConfig {
  if (!STAGE_NAME.test(stage)) {
    const got = JSON.stringify(stage);
    throw new StageConfigError(`a stage’s name must be 1 to 20 lower-case letters, digits and dashes, got ${got}`);
  }
  const file = join(directory, `${stage}.yml`);
  return parseStageConfig(readText(file, stage), file, stage);
}

/**
 * The same for a file that was read.
 * @param file for messages.
 */
export function parseStageConfig(text: string, file: string, stage: string): StageConfig {
  const lines = new YAML.LineCounter();
  const document = YAML.parseDocument(text, { lineCounter: lines });
  // A tag such as `!Ref` is but a warning, and would be dropped.
  const [wrong] = [...document.errors, ...document.warnings];
  if (wrong !== undefined) throw new StageConfigError(`${file} is not valid YAML:\n${wrong.message}`);
  YAML.visit(document, {
    Alias: (_key, node) => {
      const line = lines.linePos(node.range?.[0] ?? 0).line;
      throw new StageConfigError(`${file}, line ${line}: *${node.source} is an alias: write the value itself`);
    },
    // What is checked must be what is deployed: osls would replace `${env:…}` and `${file(…)}` afterwards.
    Scalar: (_key, node) => {
      if (!String(node.value).includes('${')) return;
      const line = lines.linePos(node.range?.[0] ?? 0).line;
      throw new StageConfigError(
        `${file}, line ${line}: variables (\${…}) are not replaced here: write the value itself`,
      );
    },
  });
  // An empty file lacks what is needed, like one with comments only.
  const data: unknown = document.toJS() ?? {};
  const parsed = STAGE_SCHEMA.safeParse(data);
  const problems = [...(parsed.success ? [] : schemaProblems(parsed.error.issues, data)), ...contradictions(data)];
  if (!parsed.success || problems.length > 0) {
    const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
    const told = problems.map((problem) => `  ${describe(problem, document, lines)}`);
    throw new StageConfigError([`${file} has ${count}:`, ...told].join('\n'));
  }
  const { queues, ...rest } = parsed.data;
  const name = (kind: string) => `${SERVICE}-${stage}-${kind}.fifo`;
  const { volumes = name('volumes'), claims = name('claims') } = queues;
  const names = [volumes, claims, deadLetterName(volumes), deadLetterName(claims)];
  const twice = names.find((one, index) => names.indexOf(one) !== index);
  if (twice !== undefined) {
    throw new StageConfigError(
      `${file}: queues.volumes, queues.claims and their dead-letter queues (…-dead-letters.fifo) need four names, and ` +
        `${twice} would be two of them: give queues.volumes or queues.claims another name`,
    );
  }
  return { ...rest, queues: { ...queues, volumes, claims } };
}

function readText(file: string, stage: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code;
    if (reason !== 'ENOENT') throw new StageConfigError(`${file} cannot be read: ${reason}`);
    throw new StageConfigError(
      `${file} does not exist: copy config/example.yml to it and fill it in, or name another stage than ${stage}`,
    );
  }
}

function describe({ path, says }: Problem, document: YAML.Document, lines: YAML.LineCounter): string {
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  const range = YAML.isNode(node) ? node.range : undefined;
  const line = range ? ` (line ${lines.linePos(range[0]).line})` : '';
  return `${path.length === 0 ? 'the file' : formatPath(path)}${line} ${says}`;
}
