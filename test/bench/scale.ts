/** `npm run bench:scale`: what this system costs while thousands of settled volumes and claims stand by. */
import { writeFile } from 'node:fs/promises';
import { helpOf, main, type Options, parseOptions } from '../../local/command-line.ts';
import { controlPlaneBinary } from '../control-plane/harness.ts';
import { missingKubectl } from '../control-plane/permissions.ts';
import { textOf, wholeOf, wholesOf } from './arguments.ts';
import { buildProgram } from './processes/build.ts';
import { commandOf, thisMachine } from './results/report.ts';
import { type ScaleReport, scaleTable, settledLine } from './results/scale-table.ts';
import { measureSizes } from './scale/sizes.ts';

const OPTIONS: Options = {
  sizes: { type: 'string', value: 'N,…', help: 'settled pairs of a volume and a claim; default 1000,10000,50000' },
  binds: { type: 'string', value: 'N', help: 'binds of each size, one after the other; default 50' },
  events: { type: 'string', value: 'N', help: 'events on settled objects; default 1000' },
  'skip-resync': { type: 'boolean', help: 'no full resync, which takes minutes at 50,000 pairs' },
  'settled-minutes': { type: 'string', value: 'N', help: 'how long the largest size is watched at rest; default 1' },
  json: { type: 'string', value: 'FILE', help: 'write everything that was measured to this file' },
  profile: { type: 'string', value: 'DIR', help: 'write profiles of our bridge and workers (.cpuprofile) there' },
};

const ABOUT =
  'Measures one bind, one event on a settled object, a full resync and a bridge start, and memory, at several sizes of\n' +
  'the cluster, and how each grows: the slope of a line through the logarithms, 0 for flat and 1 for as fast as the size.';

async function benchScale(argv: readonly string[]): Promise<number> {
  const values = parseOptions(argv, OPTIONS);
  if (values['help']) {
    console.log(helpOf('npm run bench:scale --', ABOUT, OPTIONS));
    return 0;
  }
  const plan = {
    sizes: wholesOf(values, 'sizes', [1_000, 10_000, 50_000], 1),
    binds: wholeOf(values, 'binds', 50, 1),
    events: wholeOf(values, 'events', 1_000, 1),
    resync: values['skip-resync'] !== true,
    settledMinutes: wholeOf(values, 'settled-minutes', 1, 0),
  };
  const binary = await controlPlaneBinary();
  const missing = 'missing' in binary ? binary.missing : await missingKubectl();
  if (missing !== undefined) throw new Error(missing);
  const profile = textOf(values, 'profile');
  const nodeOptions = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const machine = thisMachine();
  const program = await buildProgram();
  try {
    const sizes = await measureSizes(plan, { file: program.file, nodeOptions }, (line) => console.error(line));
    const report: ScaleReport = { command: commandOf('bench:scale'), date: new Date().toISOString(), machine, sizes };
    const file = textOf(values, 'json');
    if (file !== undefined) await writeFile(file, `${JSON.stringify(report, null, 1)}\n`);
    console.log(`\n${scaleTable(sizes)}\n\n${settledLine(report) ?? ''}`);
    return 0;
  } finally {
    await program.remove();
  }
}

await main(benchScale);
