/**
 * The delay in front of the API server. It is a program in Go, because a proxy in Node would take more of two cores than
 * the controllers that it is to compare (docs/performance.md has what this one takes).
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ControlPlane } from '../../control-plane/harness.ts';

export interface DelayProxy {
  /** Known by the API server's own certificate. */
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const source = fileURLToPath(new URL('./delay-proxy', import.meta.url));

/** Builds it, which takes a second, and starts it. @param delayMs that each call waits; 0 shows what the proxy costs. */
export async function startDelayProxy(plane: ControlPlane, delayMs: number): Promise<DelayProxy> {
  const directory = await mkdtemp(join(tmpdir(), 'pv-bench-proxy-'));
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    const binary = join(directory, 'delay-proxy');
    const environment = { ...process.env, CGO_ENABLED: '0' };
    await promisify(execFile)('go', ['build', '-o', binary, '.'], { cwd: source, env: environment });
    const certificates = join(plane.directory, 'certificates');
    const child = spawn(
      binary,
      [
        `-target=${plane.url}`,
        `-ca=${plane.caFile}`,
        `-cert=${plane.caFile}`,
        `-key=${join(certificates, 'apiserver.key')}`,
        `-delay=${delayMs}ms`,
      ],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    const exited = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the proxy has ended with ${code}`)));
    exited.catch(() => {});
    const [url] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited])) as [string];
    const stop = async () => {
      child.kill();
      await exited.catch(() => {});
      await remove();
    };
    return { url, pid: child.pid ?? 0, stop };
  } catch (error) {
    await remove();
    throw error;
  }
}
