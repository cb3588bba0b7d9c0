/**
 * Nothing is lost, whatever breaks: I1 to I6 on a real API server, by an observer of its own. The seed is printed;
 * FAULTS_SEED replays it, FAULTS_SEEDS says how many follow it.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { skipReason } from '../control-plane/controller-under-test.ts';
import { type Crash, crashAtEach } from './crashes.ts';
import { API_FAULTS } from './layer/api-faults.ts';
import type { Call } from './layer/call.ts';
import { queueFaults } from './layer/queue-faults.ts';
import type { Violation } from './observer/state.ts';
import { away } from './outages.ts';
import { misbehave } from './planted.ts';
import { buildProgram, type Program } from './processes/build.ts';
import { Lane, type LaneOptions } from './processes/lane.ts';
import { type Ends, judge, playAll, playRound, type RoundOptions } from './rounds.ts';
import { SCENARIOS } from './scenarios/scenarios.ts';
import { FIRST_SEED, SEEDS } from './seeds.ts';
import { Stage } from './stage.ts';
import { Table } from './table.ts';
import { playWithTwoBridges } from './two-bridges.ts';

const scenarios = Object.entries(SCENARIOS);

describe.skipIf(skipReason !== undefined)('whatever breaks', () => {
  const table = new Table();
  let stage: Stage;
  let expected: Ends;

  const report = (fault: string, injected: number, runs: number, violations: readonly Violation[], seed?: number) => {
    table.add(fault, injected, runs, violations);
    console.log(`${fault}: ${injected} injected, ${violations.length} violations`);
    expect(violations, seed === undefined ? fault : `${fault}, FAULTS_SEED=${seed}`).toEqual([]);
    if (fault !== 'none') expect(injected, `${fault}: nothing was injected`).toBeGreaterThan(0);
  };

  beforeAll(async () => {
    console.log(`FAULTS_SEED=${FIRST_SEED} FAULTS_SEEDS=${SEEDS.length}`);
    stage = await Stage.open();
    const first = await playRound(stage, { seed: FIRST_SEED });
    expect(first.violations).toEqual([]);
    expected = first.ends;
  });
  afterAll(async () => {
    await stage?.close();
    console.log(`\nFAULTS_SEED=${FIRST_SEED} FAULTS_SEEDS=${SEEDS.length}\n${table.text}`);
  });

  async function underFault(fault: string, optionsFor: (seed: number) => RoundOptions): Promise<void> {
    for (const seed of SEEDS) {
      const { injected, violations } = await playRound(stage, optionsFor(seed), expected);
      report(fault, injected, scenarios.length, violations, seed);
    }
  }

  test('the observer sees what a bad controller does, by name', async () => {
    const run = await misbehave(stage);
    const violations = await stage.observer.violations(run);
    await stage.clear(run);
    const seen = violations.map(({ invariant, what }) => `${invariant} ${what.replaceAll(`${run}-planted-`, '')}`);
    const path = `/api/v1/namespaces/${run}/persistentvolumeclaims`;
    const blind = ['one', 'one/status', 'two', 'two/status'].map(
      (name) => `I6 update ${path}/${name} did not say which version it is about`,
    );
    const planted = [
      `I2 claims ${run}/one and ${run}/two are both bound to bound`,
      'I6 volume bound: a write of ours changed metadata.labels.team',
      `I1 volume bound was marked Released while claim ${run}/one is bound to it`,
      // When it was asked for, and when the last finalizer was gone.
      `I1 volume bound was deleted while claim ${run}/one is bound to it`,
      `I1 volume bound was deleted while claim ${run}/one is bound to it`,
      'I3 volume disk of an external provisioner is Failed',
      ...blind,
    ];
    expect(seen.sort()).toEqual(planted.sort());
  });

  test('without a fault every scenario ends as before', () => underFault('none', (seed) => ({ seed })));

  test.each(Object.entries(API_FAULTS))('%s', (fault, api) =>
    underFault(fault, (seed) => ({ seed, api, settings: settingsFor(fault) })),
  );

  test.each(Object.keys(queueFaults({ purge: async () => {} })))('%s', async (fault) => {
    await underFault(fault, (seed) => {
      return { seed, settings: settingsFor(fault), queue: (queues) => queueFaults(queues)[fault] ?? (() => undefined) };
    });
  });

  test('API server away', () => underFault('API server away', (seed) => ({ seed, beside: away('api', seed) })));
  test('queue away', () => underFault('queue away', (seed) => ({ seed, beside: away('queues', seed) })));

  describe('in processes', () => {
    let program: Program;

    beforeAll(async () => {
      program = await buildProgram();
    });
    afterAll(() => program?.remove());

    async function openLane(options?: LaneOptions): Promise<Lane> {
      const lane = await Lane.open(stage, program.file, options);
      onTestFinished(() => lane.close(), 30_000);
      return lane;
    }

    test.each([-3_600_000, 3_600_000])('clock of the workers ahead by %i ms', async (clockAheadMs) => {
      const lane = await openLane({ clockAheadMs });
      const run = await stage.newRun();
      const lost = await playAll(stage, run);
      await lane.settle();
      const { violations } = await judge(stage, run, lane, expected);
      await stage.clear(run);
      report('clock of the workers an hour off', 1, scenarios.length, [...lost, ...violations]);
    });

    test.each(scenarios)('workers killed at each request: %s', { timeout: 400_000 }, async (name, steps) => {
      const lane = await openLane();
      const isWrite = ({ step }: Call) => /^(create|update|patch|delete) /.test(step);
      // To be killed before a read is to be killed after what was done before it.
      const counted = { after: ({ step }: Call) => !step.startsWith('watch '), before: isWrite };
      for (const when of ['after', 'before'] as const) {
        const crash: Crash = { proxy: lane.workerApi, counts: counted[when], kill: () => lane.killWorker(), when };
        const { kills, violations } = await crashAtEach(stage, lane, { name, steps, expected }, crash);
        report(`worker killed ${when} a request is done`, kills, kills, violations);
      }
    });

    const told = ['bind', 'reserved', 'retain', 'recycle', 'vanishing'];
    test.each(scenarios.filter(([name]) => told.includes(name)))(
      'bridge killed at each message: %s',
      { timeout: 400_000 },
      async (name, steps) => {
        const lane = await openLane();
        const counts = ({ step }: Call) => step === 'SendMessageBatch';
        for (const when of ['before', 'after', 'answered'] as const) {
          const crash: Crash = { proxy: lane.queues.proxy, counts, kill: () => lane.killBridge(), when };
          const { kills, violations } = await crashAtEach(stage, lane, { name, steps, expected }, crash);
          report(`bridge killed, ${BRIDGE[when]}`, kills, kills, violations);
        }
      },
    );

    test('two bridges, one of them killed again and again', async () => {
      const lane = await openLane({ bridges: 2 });
      for (const seed of [...SEEDS, ...SEEDS.map((seed) => seed + 1_000)]) {
        const { kills, sent, dropped, violations } = await playWithTwoBridges(stage, lane, seed, expected);
        console.log(`two bridges: ${kills} kills, ${sent} messages sent, ${dropped} of them dropped as duplicates`);
        report('one of two bridges killed', kills, scenarios.length, violations, seed);
        expect(dropped).toBeGreaterThan(0);
      }
    });
  });
});

/**
 * Messages that are thrown away, and events in an order that no API server sends them in (the pool of volumes takes the
 * newest for all), are what the bridge's resync is for: every 15 s by default. All else must do without.
 */
function settingsFor(fault: string): Readonly<Record<string, string>> {
  const needsResync = ['queue: purged', 'queue: all of these', 'events in another order', 'all of these'];
  return needsResync.includes(fault) ? { PV_BRIDGE_RESYNC_PERIOD_MS: '500' } : {};
}

const BRIDGE = {
  before: 'message not sent',
  after: 'message sent, no answer',
  answered: 'message sent and answered',
} as const;
