/** Runs a system until a signal asks it to stop; a second signal ends the process at once. */
import type { Log } from './log.ts';
import { type System, type SystemOptions, startSystem } from './system.ts';

/**
 * @returns the exit code: 0 after a graceful stop.
 * @throws what `startSystem` throws.
 */
export async function runUntilSignal(options: SystemOptions, log: Log, onStarted: (system: System) => void) {
  const stop = nextSignal();
  const system = await startSystem(options);
  onStarted(system);
  const signal = await stop;
  log.info(`${signal}: stopping; what is under way is finished first`);
  await system.stop();
  log.info('stopped');
  return 0;
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1));
        resolve(signal);
      });
    }
  });
}
