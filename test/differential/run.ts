/**
 * `npm run test:differential`: generated actions on two real control planes, one with the built-in controller and one with
 * ours, whose objects and events must come out the same. See docs/decisions/022-differences-on-purpose.md.
 */
import { helpOf, main, type Options, parseOptions, UsageError, type Values } from '../../local/command-line.ts';
import { controlPlaneBinary } from '../control-plane/harness.ts';
import { missingKubectl } from '../control-plane/permissions.ts';
import { type Action, describeAction } from './action.ts';
import { type Case, readCases } from './cases.ts';
import { render } from './compare.ts';
import { scriptOf } from './generate.ts';
import type { Sides } from './pair.ts';
import { type Outcome, play, type Script } from './play.ts';
import { replay, shrink } from './shrink.ts';
import { startBuiltIn, startOurs } from './side.ts';
import { keyOf } from './snapshot.ts';
import { isUnexplained, Tally } from './tally.ts';

const OPTIONS: Options = {
  seeds: { type: 'string', value: 'N', help: 'how many seeds are played; default 40' },
  from: { type: 'string', value: 'S', help: 'the first of them; default 1' },
  actions: { type: 'string', value: 'N', help: 'of each seed, at most; default 12. Another number is another play' },
  cases: { type: 'boolean', help: 'play the cases of test/differential/cases, and no seeds unless --seeds is given' },
  only: { type: 'string', value: 'TEXT', help: 'of the cases, those with this in their name' },
  shrink: {
    type: 'boolean',
    help: 'cut the actions of a difference down to those that matter, and print them as JSON',
  },
  verbose: { type: 'boolean', help: 'print each action before it is done, and what the objects have come to' },
  'sync-period-ms': { type: 'string', value: 'MS', help: 'of both controllers; default 250' },
};

const ABOUT =
  'Plays the actions of each seed on two real control planes, one with the built-in controller and one with ours, and\n' +
  'compares all objects after each action and the events at the end. Exit code 1: there is a difference that is not\n' +
  'among those of docs/decisions/022-differences-on-purpose.md.';

/** A list that is tried for the shortest one is given less time to agree. */
const SHRINKING_PATIENCE_MS = 15_000;

async function differential(argv: readonly string[]): Promise<number> {
  const values = parseOptions(argv, OPTIONS);
  if (values['help']) {
    console.log(helpOf('npm run test:differential --', ABOUT, OPTIONS));
    return 0;
  }
  const from = whole(values, 'from', 1, 0);
  const seeds = whole(values, 'seeds', values['cases'] ? 0 : 40, 0);
  const length = whole(values, 'actions', 12, 1);
  const syncPeriodMs = whole(values, 'sync-period-ms', 250, 100);
  const cases = values['cases']
    ? (await readCases()).filter(({ name }) => name.includes(String(values['only'] ?? '')))
    : [];
  if (cases.length + seeds === 0) throw new UsageError('nothing to play: give --seeds, or --cases that exist');
  const missing = await missingTool();
  if (missing !== undefined) {
    console.error(`differential test: SKIPPED: ${missing}`);
    return process.env['CI'] === 'true' ? 1 : 0;
  }
  const sides = await start(syncPeriodMs);
  const tally = new Tally();
  try {
    for (const each of cases)
      await report(sides, tally, `case ${each.name}`, await playCase(sides, each), values, each);
    for (let seed = from; seed < from + seeds; seed++) {
      const script = told(scriptOf(seed, length), values);
      await report(sides, tally, `seed ${seed}`, await play(sides, script), values);
    }
  } finally {
    await Promise.all([sides.builtIn.stop(), sides.ours.stop()]);
  }
  for (const line of tally.lines()) console.log(line);
  return tally.isClean ? 0 : 1;
}

async function start(syncPeriodMs: number): Promise<Sides> {
  const [builtIn, ours] = await Promise.allSettled([startBuiltIn(syncPeriodMs), startOurs(syncPeriodMs)]);
  if (builtIn.status === 'fulfilled' && ours.status === 'fulfilled')
    return { builtIn: builtIn.value, ours: ours.value };
  for (const side of [builtIn, ours]) if (side.status === 'fulfilled') await side.value.stop();
  throw builtIn.status === 'rejected' ? builtIn.reason : (ours as PromiseRejectedResult).reason;
}

function told(script: Script, values: Values): Script {
  if (!values['verbose']) return script;
  return (state) => {
    const phases = [...state.volumes, ...state.claims].map((object) => `${keyOf(object)} ${object.status?.phase}`);
    console.log(`    ${phases.join(', ')}`);
    const action = script(state);
    if (action !== undefined) console.log(`  ${new Date().toISOString().slice(17, 22)} ${describeAction(action)}`);
    return action;
  };
}

function playCase(sides: Sides, { actions }: Case): Promise<Outcome> {
  return play(sides, replay(actions).script);
}

async function report(sides: Sides, tally: Tally, what: string, outcome: Outcome, values: Values, known?: Case) {
  const verdict = tally.add(outcome, known);
  console.log(`${what}: ${outcome.actions.length} actions, ${verdict}`);
  if (!isUnexplained(outcome)) return;
  for (const [index, action] of outcome.actions.entries()) console.log(`  ${index + 1}. ${describeAction(action)}`);
  const reasons = new Set(outcome.explained.map(({ difference }) => difference));
  for (const difference of outcome.differences.filter((each) => !reasons.has(each))) console.log(render(difference));
  if (values['shrink']) await printShortest(sides, outcome);
}

async function printShortest(sides: Sides, { actions }: Outcome): Promise<void> {
  const isBad = async (some: readonly Action[]) => {
    const { script, isDetermined } = replay(some);
    const outcome = await play(sides, script, SHRINKING_PATIENCE_MS);
    return isDetermined() && isUnexplained(outcome);
  };
  const shortest = await shrink(actions, isBad, (line) => console.log(`  shrinking: ${line}`));
  const { script } = replay(shortest);
  const outcome = await play(sides, script);
  console.log(
    JSON.stringify({ about: 'say here what it shows, and name the file after it', actions: shortest }, null, 2),
  );
  for (const difference of outcome.differences) console.log(render(difference));
}

async function missingTool(): Promise<string | undefined> {
  const binary = await controlPlaneBinary();
  return 'missing' in binary ? binary.missing : await missingKubectl();
}

function whole(values: Values, name: string, preset: number, least: number): number {
  const text = values[name] ?? String(preset);
  const number = Number(text);
  if (!Number.isInteger(number) || number < least) {
    throw new UsageError(`--${name} must be a whole number from ${least} on, got ${JSON.stringify(text)}`);
  }
  return number;
}

await main(differential);
