/** `npm run bench:cold`: what a new environment of each function costs, and what an invocation does once it is warm. */
import { writeFileSync } from 'node:fs';
import { helpOf, main, type Options, parseOptions, UsageError } from '../../local/command-line.ts';
import { recordFigures } from '../../scripts/cost/measured.ts';
import { findTools } from '../package/tools.ts';
import { coldImports, type ImportTimes } from './cold-import.ts';
import { emulate } from './emulate.ts';
import { figuresOf } from './figures.ts';
import { FunctionUnderTest } from './invocations.ts';
import { countOption, machine, progress } from './options.ts';
import { packageStack } from './packaged-stack.ts';
import { type ColdReport, type FunctionReport, textOf } from './report.ts';
import { roundedSpread } from './statistics.ts';
import { type Surroundings, startSurroundings } from './surroundings.ts';

const OPTIONS: Options = {
  runs: {
    type: 'string',
    value: 'N',
    help: 'processes and environments that are started, of each function; default 10',
  },
  invocations: { type: 'string', value: 'N', help: 'warm invocations of each kind of work; default 30' },
  latency: { type: 'string', value: 'MS', help: 'how much later the API server answers; default 10' },
  json: { type: 'string', value: 'FILE', help: 'also write everything there' },
  record: { type: 'boolean', help: 'put what docs/cost.md reckons with into docs/measured.json' },
};

const ABOUT = `Sizes of the bundles and their zips; import in a new process; and, under Lambda's emulator (npm run emulator:build),
start, first and warm invocations. The emulator gives a whole CPU; Lambda gives a share of one by the memory.`;

async function run(argv: readonly string[]): Promise<number> {
  const values = parseOptions(argv, OPTIONS);
  if (values['help']) {
    console.log(helpOf('npm run bench:cold --', ABOUT, OPTIONS));
    return 0;
  }
  const { emulator } = await findTools('emulator');
  if (emulator === '' && values['record'] === true) throw new UsageError('--record needs the emulator');
  const report = await measure({
    emulator,
    runs: countOption(values, 'runs', 10, 1),
    invocations: countOption(values, 'invocations', 30, 1),
    latencyMs: countOption(values, 'latency', 10, 0),
  });
  console.log(textOf(report));
  if (typeof values['json'] === 'string') writeFileSync(values['json'], `${JSON.stringify(report, undefined, 2)}\n`);
  if (values['record'] === true) recordFigures(figuresOf(report), report.machine);
  return 0;
}

interface Plan {
  /** Empty: no emulator, and so nothing but sizes and imports. */
  readonly emulator: string;
  readonly runs: number;
  readonly invocations: number;
  readonly latencyMs: number;
}

async function measure({ emulator, runs, invocations, latencyMs }: Plan): Promise<ColdReport> {
  const where = machine();
  const surroundings = await startSurroundings(latencyMs);
  try {
    const stack = await packageStack(queuesOf(surroundings));
    try {
      const files = Object.fromEntries(stack.functions.map(({ key, file }) => [key, file]));
      const imports = await coldImports(files, runs, progress('imports', runs * stack.functions.length));
      const functions: FunctionReport[] = [];
      for (const unpacked of stack.functions) {
        const { key, packaged, bundleBytes, zipBytes } = unpacked;
        const { elapsedMs, cpuMs } = imports[key] as ImportTimes;
        const underTest = new FunctionUnderTest(emulator, unpacked, surroundings);
        functions.push({
          name: key,
          memoryMb: packaged.memoryMb,
          bundleBytes,
          zipBytes,
          importMs: roundedSpread(elapsedMs),
          importCpuMs: roundedSpread(cpuMs),
          ...(emulator !== '' && { emulated: await emulate(underTest, runs, invocations) }),
        });
      }
      return { machine: where, runs, latencyMs, functions };
    } finally {
      await stack.remove();
    }
  } finally {
    await surroundings.stop();
  }
}

function queuesOf({ addresses: { PersistentVolume: volumes, PersistentVolumeClaim: claims } }: Surroundings) {
  return {
    VolumesQueue: volumes.url,
    ClaimsQueue: claims.url,
    VolumesDeadLetterQueue: volumes.deadLetterUrl,
    ClaimsDeadLetterQueue: claims.deadLetterUrl,
  };
}

await main(run);
