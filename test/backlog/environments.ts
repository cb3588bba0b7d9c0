/** Workers as Lambda runs them: environments with connections and a pool of their own, each one invocation at a time. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { createObservability } from '../../functions/environment.ts';
import { createWorkerFunction } from '../../functions/worker.ts';
import type { Connection } from '../../lib/cluster/connection.ts';
import type { Config } from '../../lib/config.ts';
import type { SyncKey } from '../../lib/controller/types.ts';
import { keyOf } from '../../lib/queue/message.ts';
import type { KeyHooks } from '../../lib/worker/hooks.ts';
import { Runtime } from '../../lib/worker/runtime.ts';
import type { QueueAddresses } from '../../local/queue/embedded.ts';
import { startEventSource } from '../../local/queue/event-source.ts';

export interface EnvironmentsOptions {
  readonly connection: (kind: SyncKey['kind']) => Connection;
  readonly client: SQSClient;
  readonly addresses: QueueAddresses;
  readonly config: Config;
  /** As MaximumConcurrency of the event sources: environments of each of the two queues. */
  readonly perQueue: number;
  readonly timeoutMs: number;
}

/** What the workers have done so far. */
export interface Seen {
  /** When each call to the API server began, in milliseconds, by environment; watches too. */
  readonly calls: readonly number[][];
  /** Keys that were synced, by key: how often. */
  readonly done: ReadonlyMap<string, number>;
  /** Keys that did not end well, by the name of the error, or by its text where it has no name of its own: how often. */
  readonly failed: ReadonlyMap<string, number>;
  readonly handedBack: () => number;
  readonly invocations: () => number;
  /** Messages of all invocations, those again that came back. */
  readonly received: () => number;
  readonly errors: readonly unknown[];
}

/** Starts them at once. @returns what they do, and how to stop them: they finish what they hold. */
export function startEnvironments(options: EnvironmentsOptions): { seen: Seen; stop: () => Promise<void> } {
  const { connection, client, addresses, config, perQueue, timeoutMs } = options;
  const kinds = ['PersistentVolume', 'PersistentVolumeClaim'] as const;
  const calls: number[][] = [];
  const done = new Map<string, number>();
  const failed = new Map<string, number>();
  const errors: unknown[] = [];
  let handedBack = 0;
  const listener: KeyHooks = {
    onDone: (key) => count(done, keyOf(key)),
    onFailed: (_, error) => count(failed, kindOf(error)),
    onSkipped: () => (handedBack += 1),
    onQueueError: (error) => errors.push(error),
  };
  process.env['POWERTOOLS_METRICS_DISABLED'] = 'true';
  const environments = kinds.flatMap((kind) =>
    Array.from({ length: perQueue }, () => {
      const began: number[] = [];
      calls.push(began);
      const runtime = new Runtime({
        connection: connection(kind),
        config,
        sqs: client,
        queues: addresses,
        onRequest: ({ ms }) => began.push(performance.now() - ms),
        onEventFailure: (error) => errors.push(error),
      });
      const quiet = createObservability({ logLevel: 'SILENT' });
      const source = startEventSource({
        client,
        queueUrl: addresses[kind].url,
        queueArn: addresses[kind].arn,
        handler: createWorkerFunction(kind, () => runtime, quiet, { listener }),
        maximumConcurrency: 1,
        timeoutMs,
        onError: (error) => errors.push(error),
      });
      return { runtime, source };
    }),
  );
  const stop = async () => {
    await Promise.all(environments.map(({ source }) => source.stop()));
    for (const { runtime } of environments) runtime.close();
  };
  const total = (name: 'invocations' | 'received') =>
    environments.reduce((sum, { source }) => sum + source.stats[name], 0);
  const seen: Seen = {
    calls,
    done,
    failed,
    handedBack: () => handedBack,
    invocations: () => total('invocations'),
    received: () => total('received'),
    errors,
  };
  return { seen, stop };
}

function kindOf(error: unknown): string {
  const { name, message } = (error ?? new Error('no error')) as Error;
  return name === 'Error' ? message : name;
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
