/**
 * A lock file that keeps two builds from competing for the same cores. It only saves time: a build that slips through is
 * harmless, because the result is renamed into place.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const pollMilliseconds = 1_000;
const pollsPerMessage = 10;

/** Runs `work` while no other process holds the lock file; a lock whose owner is dead is taken over. */
export async function withBuildLock<T>(path: string, log: (line: string) => void, work: () => Promise<T>): Promise<T> {
  for (let polls = 0; !(await take(path)); polls++) {
    const owner = await ownerOf(path);
    if (owner !== undefined && !isAlive(owner)) {
      await rm(path, { force: true });
      continue;
    }
    if (polls % pollsPerMessage === 0) log(`process ${owner ?? '?'} is building already: waiting for it`);
    await sleep(pollMilliseconds);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function take(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** The process that holds the lock; undefined while it is being written or was just given back. */
async function ownerOf(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return Number.parseInt(text, 10) || undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is somebody else's, and alive.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
