/**
 * Lambda: the watch bridge, started by a schedule and running until its time is nearly over; two always overlap. Each
 * start lists the cluster once. A failure ends the invocation with an error, and the next one starts anew.
 */
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context, ScheduledEvent } from 'aws-lambda';
import type { EventBus } from '../lib/audit/event-bus.ts';
import { flushRegularly } from '../lib/audit/regular-flush.ts';
import { readConfig } from '../lib/config.ts';
import { bridgeHooks, refusedSends } from '../lib/observability/bridge-hooks.ts';
import { startHeartbeat } from '../lib/observability/heartbeat.ts';
import { createBridge } from '../lib/worker/create-bridge.ts';
import type { Runtime } from '../lib/worker/runtime.ts';
import { auditBus } from './audit-bus.ts';
import { createObservability, lazy, type Observability, runtimeFromEnvironment } from './environment.ts';

/** The end of an invocation that is kept for handing over: events in flight still reach the queue. */
const RESERVE_MS = 15_000;

export type BridgeFunction = (event: ScheduledEvent, context: Context) => Promise<void>;

/**
 * @param runtime called at each start, so that a missing setting is an error of that start with a clear text.
 * @param bus takes the audit trail besides the log.
 * @returns the scheduled function: it runs a bridge until 15 s before its time-out, and fails when the bridge does.
 */
export function createBridgeFunction(
  runtime: () => Runtime | Promise<Runtime>,
  observability: Observability,
  bus?: EventBus,
): BridgeFunction {
  const { logger, metrics } = observability;
  const run = async (_event: ScheduledEvent, context: Context) => {
    // Powertools' middleware would warn at each end that nothing is left to send: the heartbeat has sent it.
    metrics.captureColdStartMetric(context.functionName);
    const environment = await runtime();
    const hasDetail = environment.config.metricsDetail === 'on';
    const bridge = await createBridge(environment, bridgeHooks(logger, metrics, { hasDetail, sink: bus?.write }));
    const lifetimeMs = Math.max(0, context.getRemainingTimeInMillis() - RESERVE_MS);
    logger.info('bridge starts', { lifetimeMs });
    const heartbeat = startHeartbeat(bridge, observability, environment.config);
    const flushing = flushRegularly(bus);
    try {
      await bridge.run(AbortSignal.timeout(lifetimeMs));
    } finally {
      await flushing.stop();
      // It sends what was counted until now.
      heartbeat.stop();
    }
    logger.info('bridge ends');
  };
  const wrapped = middy(run).use(injectLambdaContext(logger, { resetKeys: true }));
  return wrapped as unknown as BridgeFunction;
}

const config = readConfig(process.env);
const observability = createObservability(config);
const onBatchSent = refusedSends(bridgeHooks(observability.logger, observability.metrics));
const runtime = lazy(() => runtimeFromEnvironment(process.env, { onBatchSent }));

export const handler = createBridgeFunction(runtime, observability, auditBus(config, observability));
