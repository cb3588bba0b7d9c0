/**
 * The program of the fault runs, and what its memory comes to: told every few seconds, after a full collection of garbage,
 * as a line of a file in the folder that `SOAK_MEMORY` names. It must not hang on the parent: that one is busy.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { getHeapSpaceStatistics, setFlagsFromString, writeHeapSnapshot } from 'node:v8';
import { runInNewContext } from 'node:vm';
import '../faults/processes/program.ts';
import type { ProcessSettings } from '../faults/processes/program.ts';
import type { MemorySample } from './memory.ts';

const PERIOD_MS = 5_000;

const folder = process.env['SOAK_MEMORY'] ?? '';
const { role } = JSON.parse(process.env['FAULTS_PROCESS'] ?? '{}') as ProcessSettings;
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

setInterval(() => {
  collectGarbage();
  const { heapUsed, external, rss } = process.memoryUsage();
  const at = performance.timeOrigin + performance.now();
  const code = compiled();
  const sample: MemorySample = { at, live: heapUsed - code + external, code, rss };
  appendFileSync(join(folder, `${role}-${process.pid}`), `${JSON.stringify(sample)}\n`);
}, PERIOD_MS).unref();

/** What V8 has made of the program so far: it goes on for as long as some function is called for the tenth time. */
function compiled(): number {
  const spaces = getHeapSpaceStatistics().filter(({ space_name: name }) => /code|trusted/.test(name));
  return spaces.reduce((sum, { space_used_size: used }) => sum + used, 0);
}

// For the question what has grown: two of these are compared in a browser's developer tools.
process.on('SIGUSR2', () => {
  collectGarbage();
  writeHeapSnapshot(join(folder, `${role}-${process.pid}-${Date.now()}.heapsnapshot`));
});
