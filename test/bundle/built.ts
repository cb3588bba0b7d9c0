/** Bundles built for these tests, in a folder of their own, and processes that load them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildAllOptions, type Bundle, buildAll } from '../../scripts/build.ts';

/** A build, and how to be rid of it. */
export interface Built {
  readonly directory: string;
  readonly bundles: readonly Bundle[];
  remove(): Promise<void>;
}

/** Builds into a new folder, where no node_modules are above it. */
export async function buildAside(options: Omit<BuildAllOptions, 'directory'> = {}): Promise<Built> {
  const directory = await mkdtemp(join(tmpdir(), 'bundles-'));
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    return { directory, bundles: await buildAll({ ...options, directory }), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** How a process ended, and what it printed. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What it wrote to its file descriptor 3. */
  readonly answer: string;
}

/** Runs this Node with nothing of this process's environment. */
export async function runNode(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    env: environment,
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const output = ['', '', '', ''];
  for (const index of [1, 2, 3]) child.stdio[index]?.on('data', (chunk: Buffer) => (output[index] += String(chunk)));
  const [code] = await once(child, 'close');
  const [, stdout = '', stderr = '', answer = ''] = output;
  return { code, stdout, stderr, answer };
}

/** What Lambda does: loads the bundle and calls its handler once. @returns what that answered, and what was printed. */
export async function invoke(file: string, event: unknown, environment: Record<string, string>) {
  const program = `
    const { handler } = await import(${JSON.stringify(pathToFileURL(file).href)});
    const context = { functionName: 'a-function', awsRequestId: 'request-1', getRemainingTimeInMillis: () => 20_000 };
    const outcome = await handler(${JSON.stringify(event)}, context).then(
      (answer) => ({ answer }),
      ({ name, message }) => ({ error: { name, message } }),
    );
    (await import('node:fs')).writeSync(3, JSON.stringify(outcome));
    process.exit();`;
  const { stdout, stderr, answer } = await runNode(['--input-type=module', '-e', program], environment);
  if (answer === '') throw new Error(`${file} gave no answer: ${stderr}`);
  return { printed: stdout + stderr, outcome: JSON.parse(answer) as { answer?: unknown; error?: object } };
}
