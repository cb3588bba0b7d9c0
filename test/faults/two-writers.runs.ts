/**
 * The built-in controller and this one in charge of one cluster (docs/decisions/009): both come to rest, and neither undoes
 * the other for ever. FAULTS_SEED and FAULTS_SEEDS as in faults.runs.ts.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { controlPlane, kubernetesVersion, olderManager } from '../control-plane/build-plan.ts';
import { skipReason } from '../control-plane/controller-under-test.ts';
import { type FakeKubelet, startFakeKubelet } from '../control-plane/fake-kubelet.ts';
import { type ManagedProcess, olderManagerBinary } from '../control-plane/harness.ts';
import { Workqueues } from '../differential/workqueues.ts';
import { SEEDS } from './seeds.ts';
import { BUILT_IN, OURS, Stage } from './stage.ts';
import { playBesideBuiltIn, SYNC_PERIOD_MS, type TwoWriters } from './two-writers.ts';
import { CAUSES, fightOver } from './writers/fight.ts';
import { RecyclerPods } from './writers/recycler-pods.ts';
import { reportOf } from './writers/report.ts';
import { FLIP_LIMIT, isOverBound } from './writers/turns.ts';
import { WriteCounts } from './writers/write-counts.ts';

const older = await olderManagerBinary();
if ('missing' in older) console.warn(`skipped: ${older.missing}`);

/** How fast the built-in may be: without limits it is mostly first; with its own (20 requests a second) it lags behind. */
const PACES = [
  { pace: 'without limits', limits: { qps: 1_000_000, burst: 1_000_000 }, leavesUsWork: false },
  { pace: 'with its default limits', limits: {}, leavesUsWork: true },
];
const VERSIONS = [
  { version: await kubernetesVersion(controlPlane), binary: undefined },
  { version: await kubernetesVersion(olderManager), binary: older },
];
/** Each takes a while; where most is to be seen all seeds are played, and elsewhere the first half of them. */
const BUILT_INS = VERSIONS.flatMap(({ version, binary }) =>
  PACES.map((pace) => {
    const share = binary === undefined && pace.leavesUsWork ? 1 : 0.5;
    return { version, binary, ...pace, seeds: SEEDS.slice(0, Math.ceil(SEEDS.length * share)) };
  }),
);

describe.skipIf(skipReason !== undefined)('two writers', () => {
  const counts = new WriteCounts();
  let stage: Stage;
  let kubelet: FakeKubelet;
  let pods: RecyclerPods;

  beforeAll(async () => {
    stage = await Stage.open((write) => counts.learn(write));
    // The built-in controller has its recycler pods here; ours are the stage's.
    kubelet = startFakeKubelet(stage.plane.client(), 'default');
    pods = await RecyclerPods.start(stage.plane);
  });
  afterAll(async () => {
    await Promise.all([kubelet?.stop(), pods?.stop()]);
    await stage?.close();
  });

  test.each(Object.entries(CAUSES))('one that undoes %s each time: we stop', async (what, cause) => {
    const fight = await fightOver(stage, counts, cause);
    const { written, writtenAfterwards, undone, flips, provocations, toldAfterwards } = fight;
    const ours = OURS.map((name) => written[name] ?? 0);
    console.log(`fight over ${what}: ours wrote ${ours.join('+')}, undone ${undone} times, ${flips.length} times told`);

    // Once, again up to the limit, and perhaps once before: from another value, when there was no quarrel yet. Each of our
    // functions has a memory of its own.
    expect(Math.max(...ours)).toBeGreaterThan(FLIP_LIMIT);
    expect(Math.max(...ours)).toBeLessThanOrEqual(FLIP_LIMIT + 2);
    expect(undone).toBe(ours.reduce((sum, each) => sum + each, 0));
    // It went on; each time we looked, said once more that we leave it, and wrote nothing.
    expect(toldAfterwards).toBeGreaterThanOrEqual(provocations);
    expect(flips.every(({ message }) => message.includes(`${FLIP_LIMIT} times`))).toBe(true);
    expect(OURS.map((name) => writtenAfterwards[name])).toEqual(OURS.map(() => 0));
  });

  describe.each(BUILT_INS)(
    'beside the built-in controller of $version $pace',
    ({ version, binary, seeds, pace, limits, leavesUsWork }) => {
      const played: TwoWriters[] = [];
      let manager: ManagedProcess;
      let queues: Workqueues;

      beforeAll(async () => {
        if (binary !== undefined && 'missing' in binary) return;
        manager = await stage.plane.startControllerManager({
          binder: true,
          protection: false,
          namespaces: false,
          identity: BUILT_IN,
          syncPeriod: `${SYNC_PERIOD_MS}ms`,
          ...limits,
          ...(binary && { binary: binary.path }),
          extraArgs: ['--authorization-always-allow-paths=/healthz,/metrics'],
        });
        queues = await Workqueues.of(manager, stage.plane.directory);
      });
      afterAll(async () => {
        await manager?.stop();
        if (played.length > 0) console.log(`\nbeside ${version} ${pace}\n${reportOf(played)}`);
      });

      test.skipIf(binary !== undefined && 'missing' in binary).each(seeds)('FAULTS_SEED=%i', async (seed) => {
        expect(await readFile(manager.logFile, 'utf8')).toContain(`version="${version}"`);
        const result = await playBesideBuiltIn(stage, { queues, counts, pods }, seed);
        played.push(result);

        expect(result.violations, 'at rest').toEqual([]);
        expect(result.blamed.filter(({ writer }) => writer === 'ours')).toEqual([]);
        expect(result.turns.filter(isOverBound)).toEqual([]);
        // Otherwise these were not two writers. Without limits the built-in may well have done all of it first.
        expect(result.turns.some(({ builtIn }) => builtIn > 0)).toBe(true);
        if (leavesUsWork) expect(result.turns.some(({ ours }) => ours > 0)).toBe(true);
      });
    },
  );
});
