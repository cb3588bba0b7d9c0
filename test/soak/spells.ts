/** What goes wrong, for a while each: every kind of fault of the layer, outages, and processes that are killed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../differential/random.ts';
import { API_FAULTS, type Kind } from '../faults/layer/api-faults.ts';
import type { FaultProxy } from '../faults/layer/proxy.ts';
import { queueFaults } from '../faults/layer/queue-faults.ts';
import { chance } from '../faults/layer/random.ts';
import type { Lane } from '../faults/processes/lane.ts';

export interface Spell {
  readonly fault: string;
  /** Resolves when it is over and nothing fails any more. @returns how often something went wrong. */
  play(lane: Lane, seed: number, over: AbortSignal): Promise<number>;
}

/** The kinds let the first calls about an object fail and then no more; here they begin again after so many. */
const AGAIN_AFTER = 25;

/** All spells, in an order that the seed decides; after the last one they begin anew in another. */
export function* spellsOf(seed: number): Generator<Spell, never> {
  const random = new Random(seed);
  for (;;) {
    const left = [...ALL];
    while (left.length > 0) yield left.splice(random.whole(0, left.length - 1), 1)[0] as Spell;
  }
}

const NONE: Spell = {
  fault: 'none',
  play: async (_lane, _seed, over) => {
    await until(over);
    return 0;
  },
};

function ofApi([fault, kind]: [string, Kind]): Spell {
  return {
    fault,
    play: async ({ workerApi, bridgeApi }, seed, over) => {
      const proxies = [workerApi, bridgeApi];
      const playing = inject(proxies, () => kind, seed, over);
      // Watches meet their faults when they are opened.
      await Promise.all(proxies.map((proxy) => proxy.goAway().then(() => proxy.comeBack())));
      return await playing;
    },
  };
}

function ofQueue(fault: string): Spell {
  return {
    fault,
    // Made anew: some remember what they saw.
    play: ({ queues }, seed, over) => inject([queues.proxy], () => queueFaults(queues)[fault] as Kind, seed, over),
  };
}

async function inject(proxies: readonly FaultProxy[], make: () => Kind, seed: number, over: AbortSignal) {
  const before = sumOf(proxies);
  for (const proxy of proxies) {
    const kind = make();
    const counts = new Map<string, number>();
    proxy.choose = (call) => {
      const count = counts.get(call.signature) ?? 0;
      counts.set(call.signature, count + 1);
      return kind({ ...call, nth: (count % AGAIN_AFTER) + 1 }, seed);
    };
  }
  await until(over);
  await Promise.all(proxies.map((proxy) => proxy.heal()));
  return sumOf(proxies) - before;
}

function sumOf(proxies: readonly FaultProxy[]): number {
  return proxies.reduce((sum, { injected }) => sum + injected, 0);
}

/** Away for up to 0.6 s, there for up to 1 s, and so on. */
function away(fault: string, proxiesOf: (lane: Lane) => readonly FaultProxy[]): Spell {
  return again(fault, 1_000, async (lane, seed, count) => {
    const proxies = proxiesOf(lane);
    await Promise.all(proxies.map((proxy) => proxy.goAway()));
    await sleep(100 + chance(seed, 'down', count) * 500);
    await Promise.all(proxies.map((proxy) => proxy.comeBack()));
  });
}

function again(
  fault: string,
  pauseMs: number,
  once: (lane: Lane, seed: number, count: number) => Promise<void>,
): Spell {
  return {
    fault,
    play: async (lane, seed, over) => {
      let count = 0;
      while (!over.aborted) {
        await sleep(chance(seed, 'up', count) * pauseMs, undefined, { signal: over }).catch(() => {});
        await once(lane, seed, count);
        count += 1;
      }
      return count;
    },
  };
}

/** Of the second process only: the memory of the first one is measured, from the beginning to the end. */
const KILLED = 1;
const MOST_STARTS = 5;

const ALL: readonly Spell[] = [
  NONE,
  ...Object.entries(API_FAULTS).map(ofApi),
  ...Object.keys(queueFaults({ purge: async () => {} })).map(ofQueue),
  away('API server away', ({ workerApi, bridgeApi }) => [workerApi, bridgeApi]),
  away('queue away', ({ queues }) => [queues.proxy]),
  again('one of two workers killed', 2_000, (lane) => lane.killWorker(KILLED)),
  again('one of two bridges killed', 2_000, async (lane) => {
    await lane.killBridge(KILLED);
    await untilBridgeReady(lane);
  }),
];

/** One that cannot read the server's version ends, and is started again by whoever runs it. */
async function untilBridgeReady(lane: Lane): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await lane.untilBridgeReady(KILLED);
    } catch (error) {
      if (attempt === MOST_STARTS) throw error;
      await sleep(100);
    }
  }
}

async function until(over: AbortSignal): Promise<void> {
  if (over.aborted) return;
  await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
}
