/** The worker of one queue in an environment. Apart from `Runtime`, so that the bridge's bundle does without it. */
import type { SyncKey } from '../controller/types.ts';
import { parseMessage } from '../queue/message.ts';
import { enqueueThrough } from '../queue/producer.ts';
import { type BatchHandler, createBatchHandler, type WorkerOptions } from '../queue/worker.ts';
import type { KeyHooks } from './hooks.ts';
import { maxModeOf } from './mode.ts';
import type { Runtime } from './runtime.ts';
import { createSyncKey } from './sync-key.ts';

/** Wraps what is done for each key. */
export type AroundSync = (sync: WorkerOptions['handle']) => WorkerOptions['handle'];

/** The handler of one queue's events. */
export function createWorker(
  runtime: Runtime,
  kind: SyncKey['kind'],
  hooks: KeyHooks = {},
  around: AroundSync = (sync) => sync,
): BatchHandler {
  const { config, sqs, queues } = runtime;
  const sync = createSyncKey(
    {
      mode: config.mode,
      maxMode: maxModeOf(config),
      graceMs: config.graceSeconds * 1_000,
      cluster: (signal) => runtime.cluster.withSignal(signal),
      pool: runtime.pool,
      enqueue: (signal) => enqueueThrough(runtime.producer, { maxAttempts: 3, signal }),
      plugins: (cluster) => runtime.plugins(cluster),
      rules: (signal) => runtime.rules(signal),
      flips: runtime.flips,
    },
    hooks,
  );
  const handle = createBatchHandler({
    client: sqs,
    queueUrl: queues[kind].url,
    deadLetterQueueUrl: queues[kind].deadLetterUrl,
    parse: (body) => parseMessage(body, kind),
    handle: around(sync),
    retry: {
      sync: { firstSeconds: config.retryFirstSeconds, maxSeconds: config.retryMaxSeconds },
      operation: { firstSeconds: config.retryFirstSeconds, maxSeconds: config.operationRetryMaxSeconds },
      outOfTimeSeconds: 0,
    },
    reserveMs: config.reserveMs,
    concurrency: config.groupConcurrency,
    hooks,
  });
  return (event, context) => runtime.invocation(() => handle(event, context));
}
