/** Runs osls, the packager and deployer of serverless.yml, as a child of this process. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OSLS } from '../infra/osls.ts';

const ROOT = resolve(fileURLToPath(new URL('..', import.meta.url)));

/** @returns its exit code; its output goes where ours goes. A signal that ends us ends it as well. */
export async function runOsls(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [OSLS, ...args], { cwd: ROOT, stdio: 'inherit' });
  const stop = (signal: NodeJS.Signals) => child.kill(signal);
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    return await new Promise((settle, fail) => {
      child.once('error', fail);
      child.once('exit', (code) => settle(code ?? 1));
    });
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
