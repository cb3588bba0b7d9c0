/** `npm start -- --score`: scores until a signal, with a line each minute and the whole score at the end. */
import { writeFileSync } from 'node:fs';
import type { Connection } from '../../lib/cluster/connection.ts';
import type { Config } from '../../lib/config.ts';
import { messageOf, StateError } from '../../lib/controller/errors.ts';
import type { Disagreement, Scoreboard } from '../../lib/scoring/scoreboard.ts';
import { maxModeOf } from '../../lib/worker/mode.ts';
import { type Options, UsageError, type Values } from '../command-line.ts';
import type { Log } from '../log.ts';
import { nameOf } from '../log-hooks.ts';
import { untilSignal } from '../run.ts';
import { metricsReader } from './metrics-reader.ts';
import { startScoring } from './scoring.ts';

/** Options of `npm start` that are about scoring. */
export const SCORE_OPTIONS: Options = {
  score: {
    type: 'boolean',
    help: 'observe only, and without queues: compare what would be done with what the built-in controller then does',
  },
  'score-report': { type: 'string', value: 'FILE', help: 'of --score: its end as JSON, each disagreement in full' },
  'controller-manager-metrics': {
    type: 'string',
    value: 'URL',
    help: 'of --score: where its queues are read; a path is asked of the API server',
  },
};

const EVERY_MS = 60_000;

/** Whether to score. @throws UsageError where an option needs another one, or the mode would write. */
export function isScoring(values: Values, config: Config): boolean {
  const isOn = values['score'] === true;
  for (const name of ['score-report', 'controller-manager-metrics']) {
    if (values[name] !== undefined && !isOn) throw new UsageError(`--${name} is about a score: add --score`);
  }
  if (isOn && maxModeOf(config) !== 'observe') {
    throw new UsageError(`--score observes: the mode must be observe, got ${JSON.stringify(maxModeOf(config))}`);
  }
  if (isOn && values['volumes-queue-url'] !== undefined)
    throw new UsageError('--score needs no queues: leave them out');
  return isOn;
}

/** @returns the exit code. @param where the cluster, in words. */
export function scoreUntilSignal(
  values: Values,
  { connection, config, log, where }: { connection: Connection; config: Config; log: Log; where: string },
): Promise<number> {
  const metrics = values['controller-manager-metrics'];
  const report = values['score-report'];
  const readMetrics = typeof metrics === 'string' ? metricsReader(metrics, connection) : undefined;
  return untilSignal(log, async () => {
    const scoring = await startScoring({
      connection,
      config,
      ...(readMetrics && { readMetrics }),
      // Objects that contradict each other are no failure of ours.
      onFailed: (key, error) =>
        log[error instanceof StateError ? 'debug' : 'warn'](`${nameOf(key)}: no verdict: ${messageOf(error)}`),
      onTrouble: (what, error) => log.warn(`${what}: ${messageOf(error)}; will be tried again`),
    });
    log.info(`scoring the built-in controller on ${where}; nothing is written; Ctrl-C ends it and prints the score`);
    let told = 0;
    const tell = () => {
      const board = scoring.board();
      for (const each of board.disagreements.slice(told)) log.warn(`disagreement: ${lineOf(each)}`);
      told = board.disagreements.length;
      log.info(summaryOf(board));
    };
    const timer = setInterval(tell, EVERY_MS);
    return {
      stop: async () => {
        clearInterval(timer);
        console.log(await scoring.text());
        if (typeof report === 'string') writeFileSync(report, `${JSON.stringify(scoring.board(), null, 2)}\n`);
        await scoring.stop();
      },
    };
  });
}

function summaryOf({ rate, agreed, counted, pending }: Scoreboard): string {
  const agreement = rate === undefined ? 'nothing to compare yet' : `agreement ${(rate * 100).toFixed(2)} %`;
  return `score: ${agreement} (${agreed} of ${counted} verdicts), ${pending} pending`;
}

function lineOf({ key, how, notes }: Disagreement): string {
  return `${nameOf(key)}: ${how}; we: ${notes.at(-1) ?? 'no reason noted'}`;
}
