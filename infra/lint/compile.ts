/** Compiles the stack for a stage file that is not in config/, in a folder of its own: nothing of the project is touched. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { OSLS } from '../osls.ts';
import type { Template } from './template.ts';

const ROOT = resolve(fileURLToPath(new URL('../..', import.meta.url)));
const TEMPLATE = '.serverless/cloudformation-template-update-stack.json';
const SCHEMA_CACHE = join(ROOT, 'node_modules', '.cache');
/** Their contents do not matter to the template. */
const BUNDLES = ['volume-worker', 'claim-worker', 'bridge', 'resync'];

/** A compiled stack. */
export interface Compiled {
  readonly template: Template;
  /** As osls wrote it. */
  readonly text: string;
}

/**
 * Runs `osls package` without credentials. Takes seconds.
 * @param stage also the stage file's name.
 * @param stageFile its text.
 * @throws Error with what osls said.
 */
export async function compileStack(stage: string, stageFile: string): Promise<Compiled> {
  const directory = await mkdtemp(join(tmpdir(), 'pv-controller-stack-'));
  try {
    // osls looks for a file, and a link is none to it.
    await copyFile(join(ROOT, 'serverless.yml'), join(directory, 'serverless.yml'));
    for (const name of ['infra', 'package.json', 'node_modules']) {
      await symlink(join(ROOT, name), join(directory, name));
    }
    await mkdir(join(directory, 'config'));
    await writeFile(join(directory, 'config', `${stage}.yml`), stageFile);
    for (const name of BUNDLES) {
      await mkdir(join(directory, 'dist', name), { recursive: true });
      await writeFile(join(directory, 'dist', name, 'index.mjs'), '');
    }
    await runOsls(['package', '--stage', stage], directory);
    const text = await readFile(join(directory, TEMPLATE), 'utf8');
    return { template: JSON.parse(text) as Template, text };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function runOsls(args: string[], cwd: string): Promise<void> {
  // No account: neither variables nor files of one are found. osls keeps its compiled schemas.
  const env = { PATH: process.env['PATH'], HOME: cwd, TMPDIR: tmpdir(), SLS_SCHEMA_CACHE_BASE_DIR: SCHEMA_CACHE };
  try {
    await promisify(execFile)(process.execPath, [OSLS, ...args], { cwd, env });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`osls ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}
