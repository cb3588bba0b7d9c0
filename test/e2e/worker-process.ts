/**
 * Run as a process of its own, so that it can be stopped or killed by a signal: a bridge, or the worker functions, where
 * each event that the parent sends is answered with what the function returned. Its settings are the environment's.
 */
import { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { createObservability } from '../../functions/environment.ts';
import { createWorkerFunction } from '../../functions/worker.ts';
import { readConfig } from '../../lib/config.ts';
import type { SyncKey } from '../../lib/controller/types.ts';
import { createBridge } from '../../lib/worker/create-bridge.ts';
import { Runtime } from '../../lib/worker/runtime.ts';
import type { QueueAddresses } from '../../local/queue/embedded.ts';
import { createContext } from '../../local/queue/lambda-event.ts';
import { simulatedPlugin } from '../../local/simulated-plugin.ts';

/** What the parent sets in the variable `WORKER`, as JSON. */
export interface WorkerProcessSettings {
  readonly role: 'bridge' | 'worker';
  readonly server: string;
  readonly queueEndpoint: string;
  readonly addresses: QueueAddresses;
  readonly settings: Readonly<Record<string, string>>;
}

export interface WorkerCall {
  readonly kind: SyncKey['kind'];
  readonly event: SQSEvent;
}

process.env['POWERTOOLS_METRICS_DISABLED'] = 'true';
const { role, server, queueEndpoint, addresses, settings } = JSON.parse(
  process.env['WORKER'] ?? '{}',
) as WorkerProcessSettings;
const runtime = new Runtime({
  connection: { server },
  config: readConfig(settings),
  sqs: new SQSClient({
    endpoint: queueEndpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  }),
  queues: addresses,
  plugins: () => [simulatedPlugin],
});
process.once('disconnect', () => process.exit());

if (role === 'bridge') {
  const bridge = await createBridge(runtime);
  void bridge.run(new AbortController().signal);
  await bridge.idle();
} else {
  const observability = createObservability({ logLevel: 'SILENT' });
  process.on('message', async ({ kind, event }: WorkerCall) => {
    const worker = createWorkerFunction(kind, () => runtime, observability);
    process.send?.(await worker(event, createContext('worker', 30_000, 'us-east-1')));
  });
}
process.send?.('ready');
