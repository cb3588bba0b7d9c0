/** How long a new process takes to load a function's bundle. */
import { pathToFileURL } from 'node:url';
import { runNode } from '../bundle/built.ts';
import { type Spread, spreadOf } from './statistics.ts';

export interface ImportTimes {
  readonly elapsedMs: Spread;
  /** Of the process, over the import: above the elapsed time where Node compiles beside it. */
  readonly cpuMs: Spread;
}

/**
 * Imports each file in `runs` processes of its own, the files in turn: what the machine does besides hits all alike.
 * @param files by the name that the answer has them under.
 * @param onRun after each process.
 */
export async function coldImports(
  files: Readonly<Record<string, string>>,
  runs: number,
  onRun: () => void = () => {},
): Promise<Record<string, ImportTimes>> {
  const names = Object.keys(files);
  const seen = new Map(names.map((name) => [name, { elapsed: [] as number[], cpu: [] as number[] }]));
  for (let run = 0; run < runs; run += 1) {
    for (const [name, file] of Object.entries(files)) {
      const { elapsedMs, cpuMs } = await importOnce(file);
      seen.get(name)?.elapsed.push(elapsedMs);
      seen.get(name)?.cpu.push(cpuMs);
      onRun();
    }
  }
  const times = [...seen].map(([name, { elapsed, cpu }]) => {
    return [name, { elapsedMs: spreadOf(elapsed), cpuMs: spreadOf(cpu) }] as const;
  });
  return Object.fromEntries(times);
}

async function importOnce(file: string): Promise<{ elapsedMs: number; cpuMs: number }> {
  const program = `
    import { writeSync } from 'node:fs';
    const before = process.cpuUsage();
    const began = performance.now();
    await import(${JSON.stringify(pathToFileURL(file).href)});
    const elapsedMs = performance.now() - began;
    const { user, system } = process.cpuUsage(before);
    writeSync(3, JSON.stringify({ elapsedMs, cpuMs: (user + system) / 1000 }));
    process.exit();`;
  const { answer, stderr } = await runNode(['--input-type=module', '-e', program], { PV_LOG_LEVEL: 'SILENT' });
  if (answer === '') throw new Error(`${file} cannot be imported: ${stderr}`);
  return JSON.parse(answer) as { elapsedMs: number; cpuMs: number };
}
