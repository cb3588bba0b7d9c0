/** Two bridges on one cluster, of which one is killed again and again: what both send, the queue takes once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { chance } from './layer/random.ts';
import type { Violation } from './observer/state.ts';
import type { Lane } from './processes/lane.ts';
import { type Ends, judge, playAll } from './rounds.ts';
import type { Stage } from './stage.ts';

export interface TwoBridges {
  readonly kills: number;
  /** Messages that the bridges sent, and how many of them the queue took for duplicates. */
  readonly sent: number;
  readonly dropped: number;
  readonly violations: readonly Violation[];
}

/** @param lane with two bridges. */
export async function playWithTwoBridges(stage: Stage, lane: Lane, seed: number, expected: Ends): Promise<TwoBridges> {
  const run = await stage.newRun();
  const ids: string[] = [];
  lane.queues.proxy.choose = ({ step }, body) => {
    if (step === 'SendMessageBatch') ids.push(...deduplicationIds(body));
    return undefined;
  };
  const over = new AbortController();
  const killing = killRepeatedly(lane, seed, over.signal);
  const lost = await playAll(stage, run);
  over.abort();
  const kills = await killing;
  await lane.settle();
  const { violations } = await judge(stage, run, lane, expected);
  await stage.clear(run);
  await lane.settle();
  const sentTwice = [...lane.delivered].filter(([, messages]) => messages.size > 1);
  const notDropped = sentTwice.map(([id]): Violation => ({ invariant: 'I5', what: `${id} was delivered twice` }));
  return {
    kills,
    sent: ids.length,
    dropped: ids.length - new Set(ids).size,
    violations: [...lost, ...violations, ...notDropped],
  };
}

async function killRepeatedly(lane: Lane, seed: number, over: AbortSignal): Promise<number> {
  let kills = 0;
  while (!over.aborted) {
    await lane.untilBridgeReady(1).catch(() => {});
    await sleep(chance(seed, 'kill', kills) * 300, undefined, { signal: over }).catch(() => {});
    await lane.killBridge(1);
    kills += 1;
  }
  return kills;
}

function deduplicationIds(body: Buffer): string[] {
  const { Entries = [] } = JSON.parse(body.toString('utf8')) as { Entries?: { MessageDeduplicationId?: string }[] };
  return Entries.map(({ MessageDeduplicationId: id }) => id ?? '');
}
