/** What the two workers have in common: middleware around the batch handler of one queue. */
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { EventBus } from '../lib/audit/event-bus.ts';
import type { SyncKey } from '../lib/controller/types.ts';
import { workerHooks } from '../lib/observability/worker-hooks.ts';
import type { BatchHandler } from '../lib/queue/worker.ts';
import { type AroundSync, createWorker } from '../lib/worker/create-worker.ts';
import { combineHooks, type KeyHooks } from '../lib/worker/hooks.ts';
import type { Runtime } from '../lib/worker/runtime.ts';
import { lazy, type Observability } from './environment.ts';
import { modeHooks } from './mode-hooks.ts';

export type WorkerFunction = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/** What a worker's function has besides its batch handler. */
export interface WorkerFunctionOptions {
  /** Told of every key besides the logs and metrics: the local run's output. */
  readonly listener?: KeyHooks;
  /** Goes around the sync of each key, such as `tracing()`. */
  readonly around?: AroundSync;
  /** PV_METRICS_DETAIL. */
  readonly hasDetail?: boolean;
  /** Takes the audit trail besides the log. */
  readonly bus?: EventBus | undefined;
}

/** Left for what an invocation does after the bus was told: a function that ran out of time would sync its batch again. */
const RESERVE_MS = 500;

/**
 * @param runtime called at the first event, so that a missing setting is an error of that event with a clear text.
 * @returns the function of one queue, for an event source with ReportBatchItemFailures.
 */
export function createWorkerFunction(
  kind: SyncKey['kind'],
  runtime: () => Runtime | Promise<Runtime>,
  { logger, metrics }: Observability,
  { listener = {}, around, hasDetail = false, bus }: WorkerFunctionOptions = {},
): WorkerFunction {
  const hooks = combineHooks(
    workerHooks(logger, metrics, { hasDetail, sink: bus?.write }),
    modeHooks(logger),
    listener,
  );
  const handler = lazy(async (): Promise<BatchHandler> => createWorker(await runtime(), kind, hooks, around));
  const run = async (event: SQSEvent, context: Context) => {
    try {
      return await (await handler())(event, context);
    } finally {
      await bus?.flush(context.getRemainingTimeInMillis() - RESERVE_MS);
    }
  };
  const wrapped = middy(run)
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .use(logMetrics(metrics, { captureColdStartMetric: true, throwOnEmptyMetrics: false }));
  return wrapped as unknown as WorkerFunction;
}
