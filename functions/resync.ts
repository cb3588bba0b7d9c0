/**
 * Lambda: the scheduled resync, which puts every key of the cluster into its queue. The safety net under the bridge. As it
 * lists everything anyway, it counts volumes and claims as the bridge's heartbeat does.
 */
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import middy from '@middy/core';
import type { Context, ScheduledEvent } from 'aws-lambda';
import { readConfig } from '../lib/config.ts';
import { record } from '../lib/observability/catalogue.ts';
import { Collector } from '../lib/observability/collector.ts';
import { recordCounts } from '../lib/observability/counts.ts';
import type { HookOptions } from '../lib/observability/worker-hooks.ts';
import { fullResync } from '../lib/worker/full-resync.ts';
import type { Runtime } from '../lib/worker/runtime.ts';
import { createObservability, lazy, type Observability, runtimeFromEnvironment } from './environment.ts';

/** Time kept back at the end, so that what is under way is given up in order. */
const RESERVE_MS = 2_000;

export type ResyncFunction = (event: ScheduledEvent, context: Context) => Promise<{ keys: number }>;

/**
 * @param runtime called at each event, so that a missing setting is an error of that event with a clear text.
 * @returns the scheduled function, which answers how many keys it sent. It fails when not all of them were accepted, and
 * sends no gauges then.
 */
export function createResyncFunction(
  runtime: () => Runtime | Promise<Runtime>,
  { logger, metrics }: Observability,
  { hasDetail = false }: Pick<HookOptions, 'hasDetail'> = {},
): ResyncFunction {
  const run = async (event: ScheduledEvent, context: Context) => {
    const { cluster, producer } = await runtime();
    const signal = AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - RESERVE_MS));
    const counter = new Collector();
    const listedTwice: string[] = [];
    const keys = await fullResync(cluster.withSignal(signal), producer, event.id, {
      signal,
      counter,
      onListedTwice: (kind) => listedTwice.push(kind),
    });
    record(metrics, 'ResyncKeys', keys);
    if (listedTwice.length === 0) recordCounts(counter, { logger, metrics }, hasDetail);
    else logger.warn('a list had to begin anew: no gauges this time', { kinds: listedTwice });
    logger.info('resync sent', { keys });
    return { keys };
  };
  const wrapped = middy(run)
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .use(logMetrics(metrics, { captureColdStartMetric: true, throwOnEmptyMetrics: false }));
  return wrapped as unknown as ResyncFunction;
}

const config = readConfig(process.env);

export const handler = createResyncFunction(lazy(runtimeFromEnvironment), createObservability(config), {
  hasDetail: config.metricsDetail === 'on',
});
