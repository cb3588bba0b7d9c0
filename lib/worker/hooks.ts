/** Several listeners of one worker. */
import type { WorkerHooks } from '../queue/worker.ts';
import type { SyncHooks } from './surroundings.ts';

export type KeyHooks = WorkerHooks & SyncHooks;

/** Hooks that call those of every listener, in order. */
export function combineHooks(...listeners: readonly KeyHooks[]): KeyHooks {
  const names = new Set(listeners.flatMap((listener) => Object.keys(listener) as (keyof KeyHooks)[]));
  const combined = [...names].map((name) => {
    const calls = listeners.flatMap((listener) => (listener[name] as ((...args: unknown[]) => void) | undefined) ?? []);
    const callAll = (...args: unknown[]) => {
      for (const call of calls) call(...args);
    };
    return [name, callAll] as const;
  });
  return Object.fromEntries(combined) as KeyHooks;
}
