/**
 * Run as a process of its own, so that it can be killed: a bridge, or the worker functions, where each event that the
 * parent sends is answered with what the function returned.
 */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { createObservability } from '../../../functions/environment.ts';
import { createWorkerFunction } from '../../../functions/worker.ts';
import { readConfig } from '../../../lib/config.ts';
import type { SyncKey } from '../../../lib/controller/types.ts';
import { inTreePlugins } from '../../../lib/plugins/in-tree.ts';
import { createBridge } from '../../../lib/worker/create-bridge.ts';
import { Runtime } from '../../../lib/worker/runtime.ts';
import { hostDisk } from '../../../local/host-disk.ts';
import type { QueueAddresses } from '../../../local/queue/embedded.ts';
import { createContext } from '../../../local/queue/lambda-event.ts';
import { bridgeSettings, queueClient } from '../settings.ts';

type Part = 'bridge' | 'volume-worker' | 'claim-worker';

/** What the parent sets in the variable `FAULTS_PROCESS`, as JSON. */
export interface ProcessSettings {
  readonly role: 'bridge' | 'worker';
  /** The API server, or what stands before it. */
  readonly server: string;
  readonly tokens: Readonly<Record<Part, string>>;
  readonly queueEndpoint: string;
  readonly addresses: QueueAddresses;
  readonly settings: Readonly<Record<string, string>>;
  /** How far this process's clock is ahead, in milliseconds. */
  readonly clockAheadMs: number;
}

/** A call of a function. */
export interface ProcessCall {
  readonly id: number;
  readonly kind: SyncKey['kind'];
  readonly event: SQSEvent;
}

export interface ProcessAnswer {
  readonly id: number;
  readonly response?: SQSBatchResponse;
  /** What the function threw. */
  readonly error?: string;
}

const parsed = JSON.parse(process.env['FAULTS_PROCESS'] ?? '{}') as ProcessSettings;
const { role, server, tokens, queueEndpoint, addresses, settings, clockAheadMs } = parsed;
process.env['POWERTOOLS_METRICS_DISABLED'] = 'true';
process.once('disconnect', () => process.exit());

const { Date: RealDate } = globalThis;
class SkewedDate extends RealDate {
  constructor(...parts: []) {
    super(...((parts.length === 0 ? [SkewedDate.now()] : parts) as []));
  }

  static override now(): number {
    return RealDate.now() + clockAheadMs;
  }
}
if (clockAheadMs !== 0) globalThis.Date = SkewedDate as DateConstructor;

const config = readConfig(settings);
const runtimeOf = (part: Part) =>
  new Runtime({
    connection: { server, token: async () => tokens[part] },
    config,
    sqs: queueClient(queueEndpoint),
    queues: addresses,
    plugins: (cluster) => inTreePlugins(cluster, config, hostDisk),
  });

if (role === 'bridge') {
  const bridge = await createBridge(runtimeOf('bridge'), {}, bridgeSettings);
  void bridge.run(new AbortController().signal);
  await bridge.idle();
} else {
  const observability = createObservability({ logLevel: 'SILENT' });
  const runtimes = { PersistentVolume: runtimeOf('volume-worker'), PersistentVolumeClaim: runtimeOf('claim-worker') };
  process.on('message', async ({ id, kind, event }: ProcessCall) => {
    const worker = createWorkerFunction(kind, () => runtimes[kind], observability);
    const answer = await worker(event, createContext('worker', 30_000, 'us-east-1')).then(
      (response): ProcessAnswer => ({ id, response }),
      (error: unknown): ProcessAnswer => ({ id, error: String(error) }),
    );
    process.send?.(answer);
  });
}
process.send?.('ready');
