/** Starts a function again and again, as EventBridge does: with a period shorter than its life, so that two overlap. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Schedule {
  /** Invocations that have begun, and those that have ended. */
  readonly begun: number;
  readonly ended: number;
  /** The most that were under way at once. */
  readonly overlap: number;
  /** Starts no more and waits for those under way. @throws what one of them threw. */
  stop(): Promise<void>;
}

/** @param invoke gets the event of a schedule. */
export function startSchedule(invoke: (event: object) => Promise<unknown>, periodMilliseconds: number): Schedule {
  const stopping = new AbortController();
  const running: Promise<unknown>[] = [];
  const counts = { begun: 0, ended: 0, overlap: 0 };
  const start = async () => {
    counts.begun += 1;
    counts.overlap = Math.max(counts.overlap, counts.begun - counts.ended);
    await invoke({ id: crypto.randomUUID(), source: 'aws.scheduler', 'detail-type': 'Scheduled Event' });
    counts.ended += 1;
  };
  const ticking = (async () => {
    while (!stopping.signal.aborted) {
      const invocation = start();
      invocation.catch(() => {}); // told at the stop
      running.push(invocation);
      await sleep(periodMilliseconds, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    get begun() {
      return counts.begun;
    },
    get ended() {
      return counts.ended;
    },
    get overlap() {
      return counts.overlap;
    },
    async stop() {
      stopping.abort();
      await ticking;
      await Promise.all(running);
    },
  };
}
