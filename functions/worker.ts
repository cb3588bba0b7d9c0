/** What the two workers have in common: middleware around the batch handler of one queue. */
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import middy, { type MiddlewareObj } from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { SyncKey } from '../lib/controller/types.ts';
import { workerHooks } from '../lib/observability/worker-hooks.ts';
import type { BatchHandler } from '../lib/queue/worker.ts';
import { combineHooks, type KeyHooks } from '../lib/worker/hooks.ts';
import type { Runtime } from '../lib/worker/runtime.ts';
import { lazy, type Observability } from './environment.ts';

export type WorkerFunction = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/** What a worker's function has besides its batch handler. */
export interface WorkerFunctionOptions {
  /** Told of every key besides the logs and metrics: the local run's output. */
  readonly listener?: KeyHooks;
  /** Goes around all else, such as `tracing()`. */
  readonly outermost?: readonly MiddlewareObj[];
}

/**
 * @param runtime called at the first event, so that a missing setting is an error of that event with a clear text.
 * @returns the function of one queue, for an event source with ReportBatchItemFailures.
 */
export function createWorkerFunction(
  kind: SyncKey['kind'],
  runtime: () => Runtime,
  { logger, metrics }: Observability,
  { listener = {}, outermost = [] }: WorkerFunctionOptions = {},
): WorkerFunction {
  const hooks = combineHooks(workerHooks(logger, metrics), listener);
  const handler = lazy((): BatchHandler => runtime().batchHandler(kind, hooks));
  const wrapped = middy((event: SQSEvent, context: Context) => handler()(event, context))
    .use([...outermost, injectLambdaContext(logger, { resetKeys: true })])
    .use(logMetrics(metrics, { captureColdStartMetric: true, throwOnEmptyMetrics: false }));
  return wrapped as unknown as WorkerFunction;
}
