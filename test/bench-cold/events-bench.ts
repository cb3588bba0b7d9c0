/** `npm run bench:events`: messages, invocations, reads and writes of each kind of event, on a real API server. */
import { writeFileSync } from 'node:fs';
import { helpOf, main, type Options, parseOptions } from '../../local/command-line.ts';
import { type Figure, type Figures, recordFigures } from '../../scripts/cost/measured.ts';
import { startControllerUnderTest } from '../control-plane/controller-under-test.ts';
import { type ApiClient, startControlPlane } from '../control-plane/harness.ts';
import { volumesPath } from '../control-plane/objects.ts';
import { EVENTS, type EventKind, playLife, type Spent } from './events.ts';
import { countOption, machine } from './options.ts';
import { section } from './report.ts';

const OPTIONS: Options = {
  n: { type: 'string', value: 'N', help: 'objects or pairs of each event; default 100' },
  runs: { type: 'string', value: 'N', help: 'how often; the highest of the runs counts; default 4' },
  json: { type: 'string', value: 'FILE', help: 'also write everything there' },
  record: { type: 'boolean', help: 'put the highest of the runs into docs/measured.json' },
};

const ABOUT = `Volumes and claims come, are bound, changed and deleted on a real control plane (npm run control-plane:build), with the
protection finalizers, one bridge, local queues, and each part with its own rights.`;

const WHAT: Readonly<Record<EventKind, string>> = {
  available: 'a volume is created',
  bound: 'a claim is created that fits a volume',
  contested: 'the same, while others keep changing both',
  touched: 'an annotation of a bound volume is changed',
  released: 'a claim is deleted, policy Retain',
};
const COUNTS = ['messages', 'invocations', 'reads', 'writes'] as const;

interface EventReport {
  readonly machine: string;
  readonly n: number;
  readonly runs: readonly Readonly<Record<EventKind, Spent>>[];
  /** Of an object in a list, as JSON. */
  readonly bytes: { readonly volume: number; readonly claim: number };
}

async function run(argv: readonly string[]): Promise<number> {
  const values = parseOptions(argv, OPTIONS);
  if (values['help']) {
    console.log(helpOf('npm run bench:events --', ABOUT, OPTIONS));
    return 0;
  }
  const [n, runs] = [countOption(values, 'n', 100, 1), countOption(values, 'runs', 4, 1)];
  const report = await measure(n, runs);
  console.log(textOf(report));
  if (typeof values['json'] === 'string') writeFileSync(values['json'], `${JSON.stringify(report, undefined, 2)}\n`);
  if (values['record'] === true) recordFigures(figuresOf(report), report.machine);
  return 0;
}

async function measure(n: number, count: number): Promise<EventReport> {
  const where = machine();
  const plane = await startControlPlane({ disableAdmission: ['ServiceAccount'] });
  try {
    // No sweep is counted with the events.
    const controller = await startControllerUnderTest(plane, { syncPeriodMs: 3_600_000 });
    try {
      const runs: Record<EventKind, Spent>[] = [];
      for (let index = 0; index < count; index += 1) {
        runs.push(await playLife(plane, controller, index, n));
        console.error(`run ${index + 1} of ${count}`);
      }
      const client = plane.client();
      const bytes = {
        volume: await bytesOf(client, volumesPath),
        claim: await bytesOf(client, '/api/v1/persistentvolumeclaims'),
      };
      return { machine: where, n, runs, bytes };
    } finally {
      await controller.stop();
    }
  } finally {
    await plane.stop();
  }
}

/** Of the bound ones. */
async function bytesOf(client: ApiClient, path: string): Promise<number> {
  const { body } = await client.request<{ items: { status: { phase: string } }[] }>('GET', path);
  const bound = body.items.filter(({ status }) => status.phase === 'Bound').map((item) => JSON.stringify(item).length);
  return Math.round(bound.reduce((sum, length) => sum + length, 0) / bound.length);
}

function highest({ runs }: EventReport, event: EventKind, count: keyof Spent): number {
  return Math.max(...runs.map((one) => one[event][count]));
}

function lowest({ runs }: EventReport, event: EventKind, count: keyof Spent): number {
  return Math.min(...runs.map((one) => one[event][count]));
}

function textOf(report: EventReport): string {
  const shown = (event: EventKind, count: keyof Spent) =>
    `${lowest(report, event, count).toFixed(2)} to ${highest(report, event, count).toFixed(2)}`;
  const rows = EVENTS.map((event) => [WHAT[event], ...COUNTS.map((count) => shown(event, count))]);
  const { n, runs, bytes, machine: on } = report;
  return [
    `\n${on}. Each of ${n}, lowest to highest of ${runs.length} runs.`,
    section('Spent for each', ['event', ...COUNTS], rows),
    `In a list: a bound volume has ${bytes.volume} bytes, a bound claim ${bytes.claim}.`,
  ].join('\n\n');
}

function figuresOf(report: EventReport): Figures {
  const { n, runs, bytes } = report;
  const command = `npm run bench:events -- --n ${n} --runs ${runs.length} --record`;
  const events = EVENTS.flatMap((event) =>
    COUNTS.map((count): [string, Figure] => {
      const low = Number(lowest(report, event, count).toFixed(2));
      const what = `${WHAT[event]}: highest of ${runs.length} runs of ${n} (lowest ${low})`;
      const value = Number(highest(report, event, count).toFixed(2));
      return [`${event}.${count}`, { value, unit: `${count} each`, what, command }];
    }),
  );
  const list = (value: number, what: string): Figure => ({ value, unit: 'bytes', what, command });
  return {
    ...Object.fromEntries(events),
    volumeBytes: list(bytes.volume, 'a bound CSI volume in a list, as JSON, with managedFields'),
    claimBytes: list(bytes.claim, 'its claim in a list, likewise'),
  };
}

await main(run);
