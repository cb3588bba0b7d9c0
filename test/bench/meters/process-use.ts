/** What a process has used so far, as the kernel counts it. */
import { readFile } from 'node:fs/promises';

export interface ProcessUse {
  readonly cpuSeconds: number;
  /** Of resident memory, since the process began. */
  readonly peakBytes: number;
  readonly residentBytes: number;
}

/** Linux reports processor time to programs in hundredths of a second. */
const ticksPerSecond = 100;

/** @throws Error when there is no such process, or no /proc. */
export async function readUse(pid: number): Promise<ProcessUse> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ]);
  return parseUse(stat, status);
}

/** @param stat, status the files of that name in a process's directory of /proc. */
export function parseUse(stat: string, status: string): ProcessUse {
  // The second field is the program's name in brackets, which may hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  return {
    cpuSeconds: ticks / ticksPerSecond,
    peakBytes: kib('VmHWM') * 1024,
    residentBytes: kib('VmRSS') * 1024,
  };
}

/** By the process's part in the system. */
export async function readUses(pids: Readonly<Record<string, number>>): Promise<Record<string, ProcessUse>> {
  const entries = await Promise.all(
    Object.entries(pids).map(async ([part, pid]) => [part, await readUse(pid)] as const),
  );
  return Object.fromEntries(entries);
}
