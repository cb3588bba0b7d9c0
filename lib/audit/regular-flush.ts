/** For a bridge: it has no end of an invocation at which its records could be sent. */
import type { EventBus } from './event-bus.ts';

const PERIOD_MS = 1_000;

/**
 * Flushes every second, one flush after the other, if there is a bus.
 * @returns `stop` ends it: it waits for the flush under way, and sends what is left.
 */
export function flushRegularly(
  bus: Pick<EventBus, 'flush'> | undefined,
  periodMs = PERIOD_MS,
): { stop(): Promise<void> } {
  let running = Promise.resolve();
  const flush = () => {
    running = running.then(() => bus?.flush());
    return running;
  };
  const timer = setInterval(flush, periodMs);
  return {
    stop: () => {
      clearInterval(timer);
      return flush();
    },
  };
}
