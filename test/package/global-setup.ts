/**
 * Packages the stack twice: as anybody does, and for the stage that is run here, from bundles that are built anew. The
 * second one is what all tests of this folder run.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type Zips, zipsIn } from './stack/zips.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the stage's template and zips. */
    readonly stack: string;
    /** The zips of both packagings. */
    readonly zips: readonly [Zips, Zips];
  }
}

/** @returns what takes the second packaging away again. @throws Error with what was said when one fails. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  npm('run', '--silent', 'package');
  const first = await zipsIn('.serverless');
  const stack = await mkdtemp(join(tmpdir(), 'pv-stack-'));
  const remove = () => rm(stack, { recursive: true, force: true });
  try {
    npm('run', '--silent', 'build');
    const stage = ['--stage', 'package', '--param=configDirectory=test/package/config'];
    npm('exec', '--', 'osls', 'package', ...stage, '--package', stack);
    project.provide('stack', stack);
    project.provide('zips', [first, await zipsIn(stack)]);
  } catch (error) {
    await remove();
    throw error;
  }
  return remove;
}

function npm(...args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync('npm', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
}
