/** The two functions, each called by pollers of its queue as Lambda would. */
import { createObservability } from '../../../functions/environment.ts';
import { createWorkerFunction } from '../../../functions/worker.ts';
import { startEventSource } from '../../../local/queue/event-source.ts';
import { Environment } from './environment.ts';
import { queueClient } from './queue-client.ts';
import type { Part, WorkersSettings } from './settings.ts';

const kinds = ['PersistentVolume', 'PersistentVolumeClaim'] as const;

export function startWorkers({ access, concurrency, ownEnvironments, ...common }: WorkersSettings): Part {
  const environments = ownEnvironments ? concurrency : 1;
  const made = kinds.flatMap((kind) =>
    Array.from({ length: environments }, () => {
      const environment = new Environment(access[kind], common);
      const { url, arn } = common.queue.addresses[kind];
      const quiet = createObservability({ logLevel: 'SILENT' });
      const source = startEventSource({
        client: queueClient(common.queue.endpoint),
        queueUrl: url,
        queueArn: arn,
        handler: createWorkerFunction(kind, () => environment.runtime, quiet),
        maximumConcurrency: concurrency / environments,
        timeoutMs: 30_000,
        onError: (error) => console.error(`bench: ${kind}: ${String(error)}`),
      });
      return { environment, source };
    }),
  );
  return {
    ready: {},
    sent: () => made.reduce((sum, { environment }) => sum + environment.sent(), 0),
    received: () => made.reduce((sum, { source }) => sum + source.stats.received, 0),
    stop: async () => {
      await Promise.all(made.map(({ source }) => source.stop()));
      for (const { environment } of made) environment.runtime.close();
    },
  };
}
