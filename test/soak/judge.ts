/** The end of a round: nothing fails any more, everybody comes to rest, and all of I1 to I6 is checked. */
import { setTimeout as sleep } from 'node:timers/promises';
import { versionsOf } from '../control-plane/settling.ts';
import type { Violation } from '../faults/observer/state.ts';
import type { Lane } from '../faults/processes/lane.ts';
import { PROVISIONER } from '../faults/scenarios/scenarios.ts';
import type { Stage } from '../faults/stage.ts';
import { unmet } from './expected.ts';
import { historyOf } from './history.ts';
import { viewOf } from './view.ts';

/** Two resyncs of the bridge: what was thrown away of messages and events comes back with the first. */
const PATIENCE_MS = 15_000;

export interface Judgement {
  readonly violations: readonly Violation[];
  /** What became of the objects that they name, by violation. */
  readonly histories: ReadonlyMap<Violation, readonly string[]>;
  /** States that were stored since the last one, and how many of them were written by us. */
  readonly states: number;
  readonly ours: number;
  readonly objects: number;
}

/** @param resyncPeriodMs of the bridge. */
export async function judge(stage: Stage, lane: Lane, resyncPeriodMs: number): Promise<Judgement> {
  // What was thrown away, and seen in another order, is the resync's to heal.
  await sleep(resyncPeriodMs);
  const restless = await settled(lane);
  const missing = await lasting(stage, lane);
  const handled = lane.handled.messages;
  const resynced = await lane.fullResyncWrites();
  const { states, violations: seen } = await stage.observer.takeWindow(await versionsOf(stage.plane.client()));
  // A bridge that starts, and cannot read the server's version, ends by design: it is started again.
  const crashes = lane.crashes.splice(0).filter((crash) => !/bridge .* while it started$/.test(crash));
  lane.delivered.clear();
  const { volumes, claims } = await viewOf(stage.plane.client());
  const objects = volumes.length + claims.length;
  // Without this, a resync that sent nothing would prove anything.
  if (lane.handled.messages < handled + objects) throw new Error(`a full resync did not reach all ${objects} objects`);
  const violations = [
    ...seen,
    ...resynced.map((what): Violation => ({ invariant: 'I4', what: `a full resync: ${what}` })),
    ...[...restless, ...missing, ...crashes].map((what): Violation => ({ invariant: 'I5', what })),
  ];
  return {
    violations,
    histories: new Map(violations.map((each) => [each, historyOf(each, states)])),
    states: states.length,
    ours: states.filter(({ isOurs }) => isOurs).length,
    objects,
  };
}

async function settled(lane: Lane): Promise<string[]> {
  try {
    await lane.settle();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** What is not as it must be, and does not become so: provisioners and pods have their own time. */
async function lasting(stage: Stage, lane: Lane): Promise<string[]> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const missing = unmet(await viewOf(stage.plane.client()), PROVISIONER);
    if (missing.length === 0 || performance.now() > deadline) return missing;
    await sleep(1_000);
    await settled(lane);
  }
}
