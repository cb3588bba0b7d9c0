/** `npm run test:soak`: users, faults and time. See README.md. */
import { helpOf, main, type Options, parseOptions, UsageError } from '../../local/command-line.ts';
import { controlPlaneBinary } from '../control-plane/harness.ts';
import { missingKubectl } from '../control-plane/permissions.ts';
import { countGrowing, type Limits, memoryTable, survivors } from './memory.ts';
import { Soak } from './soak.ts';

const OPTIONS: Options = {
  minutes: { type: 'string', value: 'N', help: 'how long; default 30' },
  seed: { type: 'string', value: 'S', help: 'of the actions and of the faults; default 1' },
};

const ABOUT =
  'Users act at random on a real API server while one fault after the other is injected into two bridges and two workers.\n' +
  'Exit code 1: an invariant (I1 to I6, see test/faults/README.md) was violated, or the memory of a process grows:\n' +
  'that is judged in runs of 30 minutes or more.';

const PROGRESS_MS = 30_000;
/** KB per minute: README.md says where they come from. */
const LIMITS: Limits = { live: 20, rss: 280 };
/** What is remembered the longest, who undid which write, fills up for ten minutes: a slope begins after a third. */
const JUDGED_FROM_MINUTES = 30;

async function soak(argv: readonly string[]): Promise<number> {
  const values = parseOptions(argv, OPTIONS);
  if (values['help']) {
    console.log(helpOf('npm run test:soak --', ABOUT, OPTIONS));
    return 0;
  }
  const minutes = whole('minutes', values['minutes'] ?? '30');
  const seed = whole('seed', values['seed'] ?? '1');
  const missing = await missingTool();
  if (missing !== undefined) {
    console.error(`soak: SKIPPED: ${missing}`);
    return process.env['CI'] === 'true' ? 1 : 0;
  }
  console.log(`soak: ${minutes} minutes, seed ${seed}`);
  const run = await Soak.open(seed);
  const started = performance.now();
  let step = '';
  const progress = setInterval(() => void tell(run, started, step), PROGRESS_MS);
  try {
    const onStep = (next: string) => {
      step = next;
    };
    await run.run({ minutes, seed, onStep });
    clearInterval(progress);
    return await conclude(run, minutes < JUDGED_FROM_MINUTES ? {} : LIMITS);
  } finally {
    clearInterval(progress);
    await run.close();
  }
}

async function tell(run: Soak, started: number, step: string): Promise<void> {
  const seconds = Math.round((performance.now() - started) / 1000);
  const { account, user, lane } = run;
  const live = survivors(await run.memory()).map(({ process, samples }) => {
    return `${process} ${((samples.at(-1)?.live ?? 0) / 1024).toFixed(0)} KB`;
  });
  console.log(
    `${seconds} s, round ${account.rounds + 1}, ${step}: ${user.actions} actions, ${lane.handled.messages} messages, ` +
      `${account.ours} writes, ${account.violations.length} violations; ${live.join(', ')}`,
  );
}

async function conclude(run: Soak, limits: Limits): Promise<number> {
  const { account, user, lane } = run;
  const processes = survivors(await run.memory());
  const idle = account.idle.map((fault) => `\nnothing was injected by: ${fault}`).join('');
  const refused = [...user.done.values()].reduce((sum, each) => sum + each.refused, 0);
  const sizes = account.objects;
  console.log(`\n${account.table()}${idle}\n`);
  for (const [what, { times }] of [...user.done].sort()) console.log(`${String(times).padStart(6)} ${what}`);
  console.log(
    `${user.actions} actions (${refused} refused by the API server), ${lane.handled.messages} messages handled in ` +
      `${lane.handled.calls} calls, ${account.ours} writes of ours (${(account.ours / user.actions).toFixed(2)} per action); ` +
      `${account.states} states checked; ${Math.min(...sizes)} to ${Math.max(...sizes)} volumes and claims\n`,
  );
  console.log(memoryTable(processes, limits));
  for (const violation of account.violations) console.error(violation);
  const roles = new Set(processes.map(({ process }) => process.split('-')[0]));
  if (roles.size !== 2) console.error('no bridge, or no worker, has lived from the beginning to the end');
  return account.violations.length === 0 && countGrowing(processes, limits) === 0 && roles.size === 2 ? 0 : 1;
}

function whole(name: string, text: string | boolean): number {
  if (!/^[1-9][0-9]{0,5}$/.test(String(text))) {
    throw new UsageError(`--${name} must be a whole number from 1, got ${JSON.stringify(text)}`);
  }
  return Number(text);
}

async function missingTool(): Promise<string | undefined> {
  const binary = await controlPlaneBinary();
  return 'missing' in binary ? binary.missing : await missingKubectl();
}

await main(soak);
