/**
 * `npm run bench`: the built-in controller, this system, and bare writes at the same jobs on one real API server.
 * docs/performance.md is made of what it measures.
 */
import { writeFile } from 'node:fs/promises';
import { helpOf, main, type Options, parseOptions, UsageError } from '../../local/command-line.ts';
import { controlPlaneBinary } from '../control-plane/harness.ts';
import { missingKubectl } from '../control-plane/permissions.ts';
import { textOf, wholeOf, wholesOf } from './arguments.ts';
import { contendersOf, usualContenders } from './contenders/all.ts';
import { type Plan, runAll } from './contest.ts';
import { aboutJobs, scenes } from './jobs/scenes.ts';
import { buildProgram } from './processes/build.ts';
import { commandOf, type Report, thisMachine } from './results/report.ts';
import { rowsOf } from './results/summary.ts';
import { legend, tablesOf } from './results/table.ts';

const OPTIONS: Options = {
  n: { type: 'string', value: 'N', help: 'objects of each job; default 300 (built-in with its limits: at most 100)' },
  latency: { type: 'string', value: 'MS,…', help: 'added to each API call of a contender; default 0' },
  runs: { type: 'string', value: 'N', help: 'how often each contender has its turn; default 5' },
  only: { type: 'string', value: 'TEXT,…', help: `jobs with one of these in their name, of ${jobNames().join(', ')}` },
  contenders: { type: 'string', value: 'NAME,…', help: `default ${usualContenders}` },
  json: { type: 'string', value: 'FILE', help: 'write everything that was measured to this file' },
  proxy: { type: 'boolean', help: 'a proxy even where nothing is delayed: shows what the proxy costs' },
  profile: { type: 'string', value: 'DIR', help: 'write profiles of our bridge and workers (.cpuprofile) there' },
};

const ABOUT =
  'Measures contenders at jobs, in turn on one control plane: rates, latencies, API requests, queue messages, processor\n' +
  'time and memory. All contenders have ordinary identities with their roles. Nothing else should run on the machine.';

async function bench(argv: readonly string[]): Promise<number> {
  const values = parseOptions(argv, OPTIONS);
  if (values['help']) {
    console.log(helpOf('npm run bench --', ABOUT, OPTIONS));
    return 0;
  }
  const wanted = (textOf(values, 'only') ?? '').split(',');
  const jobs = jobNames().filter((name) => wanted.some((text) => name.includes(text)));
  if (jobs.length === 0)
    throw new UsageError(`--only: no job has this in its name; there are ${jobNames().join(', ')}`);
  const numbers = {
    objects: wholeOf(values, 'n', 300, 1),
    runs: wholeOf(values, 'runs', 5, 1),
    latencies: wholesOf(values, 'latency', [0], 0),
  };
  const names = textOf(values, 'contenders') ?? usualContenders;
  const profile = textOf(values, 'profile');
  const nodeOptions = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  // A wrong name is told before anything is built.
  contendersOf(names, { file: '' });
  const missing = await missingTool();
  if (missing !== undefined) throw new Error(missing);
  const machine = thisMachine();
  const program = await buildProgram();
  try {
    const contenders = contendersOf(names, { file: program.file, nodeOptions });
    const plan: Plan = { ...numbers, contenders, jobs, proxyAlways: values['proxy'] === true };
    const measurements = await runAll(plan, (line) => console.error(line));
    const report: Report = {
      command: commandOf('bench'),
      date: new Date().toISOString(),
      machine,
      contenders: Object.fromEntries(contenders.map(({ name, about }) => [name, about])),
      measurements,
      proxyAlways: plan.proxyAlways,
    };
    const file = textOf(values, 'json');
    if (file !== undefined) await writeFile(file, `${JSON.stringify(report, null, 1)}\n`);
    console.log(`\n${tablesOf(rowsOf(measurements), aboutJobs)}\n\n${legend}`);
    return 0;
  } finally {
    await program.remove();
  }
}

function jobNames(): string[] {
  return scenes.flatMap(({ jobs }) => jobs);
}

async function missingTool(): Promise<string | undefined> {
  const binary = await controlPlaneBinary();
  return 'missing' in binary ? binary.missing : await missingKubectl();
}

await main(bench);
