/** The API server, or SQS, refuses and breaks connections for a while, comes back, and goes again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { chance } from './layer/random.ts';
import type { Pipeline } from './pipeline.ts';

const OUTAGES = 4;

/** @returns what goes on beside the scenarios; when they end sooner, so does it. */
export function away(
  which: 'api' | 'queues',
  seed: number,
): (pipeline: Pipeline, over: AbortSignal) => Promise<number> {
  return async ({ api, queues }, over) => {
    const proxy = which === 'api' ? api : queues.proxy;
    let count = 0;
    while (count < OUTAGES && !over.aborted) {
      await sleep(chance(seed, 'up', count) * 300, undefined, { signal: over }).catch(() => {});
      await proxy.goAway();
      count += 1;
      await sleep(100 + chance(seed, 'down', count) * 500);
      await proxy.comeBack();
    }
    return count;
  };
}
