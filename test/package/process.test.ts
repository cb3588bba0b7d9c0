import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../control-plane/objects.ts';

/** A runner that starts a program with a child of its own, and tells both ids. */
const runner = `
const { startProgram } = await import(process.argv[1]);
const log = process.argv[2] + '/log';
await startProgram('sh', ['-c', 'sleep 600 & echo $$ $!; wait'], { env: process.env, cwd: process.argv[2], log });
setInterval(() => {}, 1_000);`;

test('a program goes with all its children when the runner is killed outright', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pv-process-'));
  const module = new URL('process.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', runner, module, directory], { stdio: 'inherit' });
  const pids = await eventually('both ids', async () => {
    const text = await readFile(join(directory, 'log'), 'utf8').catch(() => '');
    return text.includes('\n') && text.trim().split(' ').map(Number);
  });
  expect(pids.filter(isAlive)).toHaveLength(2);

  child.kill('SIGKILL');
  await once(child, 'exit');

  await eventually('their end', async () => pids.filter(isAlive).length === 0);
  await rm(directory, { recursive: true });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
