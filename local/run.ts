/** Runs something until a signal, or a reader that went away, asks it to stop; a second signal ends the process at once. */
import type { Log } from './log.ts';
import { type System, type SystemOptions, startSystem } from './system.ts';

/**
 * Runs the whole system.
 * @returns the exit code: 0 after a graceful stop.
 * @throws what `startSystem` throws.
 */
export function runUntilSignal(options: SystemOptions, log: Log, onStarted: (system: System) => void): Promise<number> {
  return untilSignal(log, async () => {
    const system = await startSystem(options);
    onStarted(system);
    return system;
  });
}

/**
 * @returns the exit code: 0 after a graceful stop.
 * @throws what `start` throws.
 */
export async function untilSignal(log: Log, start: () => Promise<{ stop(): Promise<void> }>): Promise<number> {
  const asked = nextSignal();
  const started = await start();
  const signal = await asked;
  log.info(`${signal}: stopping; what is under way is finished first`);
  await started.stop();
  log.info('stopped');
  return 0;
}

/** A signal sent to a whole process group arrives twice, once through npm: not meant as a second one. */
const SAME_SIGNAL_MS = 1_000;

function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    const ask = (why: string) => {
      if (askedAt !== undefined && performance.now() - askedAt > SAME_SIGNAL_MS) process.exit(1);
      askedAt ??= performance.now();
      resolve(why);
    };
    // Whoever read the output has gone (`| head`): the stop is a graceful one all the same.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => resolve('output closed'));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => ask(signal));
    }
  });
}
