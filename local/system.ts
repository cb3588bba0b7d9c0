/**
 * The whole system in one process, as AWS would run it: the bridge, two FIFO queues, an event source for each, and the
 * very functions that are deployed. Used by the demo, `npm start`, `npm run test:serve` and the tests.
 */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { createObservability } from '../functions/environment.ts';
import { createWorkerFunction } from '../functions/worker.ts';
import type { Bridge } from '../lib/bridge/bridge.ts';
import type { BridgeHooks } from '../lib/bridge/ports.ts';
import type { BridgeSettings } from '../lib/bridge/settings.ts';
import type { Connection } from '../lib/cluster/connection.ts';
import type { Config } from '../lib/config.ts';
import type { SyncKey } from '../lib/controller/types.ts';
import { createBridge } from '../lib/worker/create-bridge.ts';
import type { KeyHooks } from '../lib/worker/hooks.ts';
import { Runtime, type RuntimeOptions } from '../lib/worker/runtime.ts';
import { createQueues, type QueueAddresses, startEmbeddedQueue } from './queue/embedded.ts';
import { type EventSource, startEventSource } from './queue/event-source.ts';
import { settled } from './settled.ts';

/** The parts that talk to the API server, each with rights of its own when deployed. */
export type Part = 'bridge' | 'volumeWorker' | 'claimWorker';

/** What the system connects to, and what of it differs from a deployment. */
export interface SystemOptions {
  /** One for all parts, or one for each: every part then has an environment of its own, as deployed. */
  readonly connection: Connection | Readonly<Record<Part, Connection>>;
  readonly config: Config;
  /** Real queues; an embedded one when absent. */
  readonly queue?: { readonly client: SQSClient; readonly addresses: QueueAddresses };
  readonly plugins?: RuntimeOptions['plugins'];
  readonly onRequest?: RuntimeOptions['onRequest'];
  readonly hooks?: KeyHooks;
  readonly bridgeHooks?: BridgeHooks;
  readonly bridgeSettings?: Partial<BridgeSettings>;
  /** Pollers per queue, each of which works on one batch at a time. */
  readonly maximumConcurrency?: number;
  /** The functions' time-out, which decides the visibility of the embedded queue. */
  readonly timeoutMs?: number;
  readonly onError?: (error: unknown) => void;
}

const KINDS: readonly SyncKey['kind'][] = ['PersistentVolume', 'PersistentVolumeClaim'];

/** A running system and its parts. */
export interface System {
  /** The bridge's environment, and everybody's where there is one connection. */
  readonly runtime: Runtime;
  readonly bridge: Bridge;
  readonly queue: { readonly client: SQSClient; readonly addresses: QueueAddresses };
  readonly sources: Readonly<Record<SyncKey['kind'], EventSource>>;
  /** Resolves when no message is queued or worked on and the bridge has nothing to send. */
  settled(): Promise<void>;
  /** Stops the bridge, lets the workers finish what they hold, then closes everything. */
  stop(): Promise<void>;
}

/** Starts it. @throws ConfigError, ConnectionError, or ClusterError when the API server cannot be reached. */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { connection, config, plugins, onRequest, hooks = {}, timeoutMs = 30_000, onError } = options;
  const embedded = options.queue === undefined ? await startEmbeddedQueue() : undefined;
  const made: Runtime[] = [];
  try {
    const client = options.queue?.client ?? (embedded?.client as SQSClient);
    const visibilityTimeoutSeconds = Math.ceil((6 * timeoutMs) / 1_000);
    const addresses = options.queue?.addresses ?? (await createQueues(client, { visibilityTimeoutSeconds }));
    const newRuntime = (to: Connection): Runtime => {
      const runtime = new Runtime({
        connection: to,
        config,
        sqs: client,
        queues: addresses,
        ...(plugins && { plugins }),
        ...(onRequest && { onRequest }),
        ...(onError && { onEventFailure: onError }),
      });
      made.push(runtime);
      return runtime;
    };
    const runtimes = runtimesFor(connection, newRuntime);
    const bridge = await createBridge(runtimes.bridge, options.bridgeHooks, options.bridgeSettings);
    const stopping = new AbortController();
    const running = bridge.run(stopping.signal);
    const source = (kind: SyncKey['kind'], runtime: Runtime): EventSource =>
      startEventSource({
        client,
        queueUrl: addresses[kind].url,
        queueArn: addresses[kind].arn,
        handler: createWorkerFunction(kind, () => runtime, quietObservability(), { listener: hooks }),
        functionName: kind === 'PersistentVolume' ? 'volume-worker' : 'claim-worker',
        maximumConcurrency: options.maximumConcurrency ?? 4,
        timeoutMs,
        ...(onError && { onError }),
      });
    const sources = {
      PersistentVolume: source('PersistentVolume', runtimes.volumeWorker),
      PersistentVolumeClaim: source('PersistentVolumeClaim', runtimes.claimWorker),
    };
    return {
      runtime: runtimes.bridge,
      bridge,
      queue: { client, addresses },
      sources,
      settled: () => settled(bridge, client, addresses),
      stop: async () => {
        stopping.abort();
        await running;
        await Promise.all(KINDS.map((kind) => sources[kind].stop()));
        for (const runtime of made) runtime.close();
        await embedded?.close();
      },
    };
  } catch (error) {
    for (const runtime of made) runtime.close();
    await embedded?.close();
    throw error;
  }
}

function runtimesFor(
  connection: SystemOptions['connection'],
  newRuntime: (to: Connection) => Runtime,
): Readonly<Record<Part, Runtime>> {
  if (isConnection(connection)) {
    const shared = newRuntime(connection);
    return { bridge: shared, volumeWorker: shared, claimWorker: shared };
  }
  const { bridge, volumeWorker, claimWorker } = connection;
  return {
    bridge: newRuntime(bridge),
    volumeWorker: newRuntime(volumeWorker),
    claimWorker: newRuntime(claimWorker),
  };
}

function isConnection(connection: SystemOptions['connection']): connection is Connection {
  return 'server' in connection;
}

/** The functions' own logs and metrics are CloudWatch's; here the hooks speak. */
function quietObservability() {
  process.env['POWERTOOLS_METRICS_DISABLED'] = 'true';
  return createObservability({ logLevel: 'SILENT' });
}
