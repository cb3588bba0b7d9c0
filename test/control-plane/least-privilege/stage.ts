/** Where a scenario happens: its objects, and the functions, each with the rights of its own role. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { connectionFromKubeconfig } from '../../../lib/cluster/kubeconfig.ts';
import type { RecordedWrite } from '../../../lib/cluster/recording.ts';
import type { RequestInfo } from '../../../lib/cluster/request.ts';
import { typeOf } from '../../../lib/cluster/resources.ts';
import { readConfig } from '../../../lib/config.ts';
import type { SyncKey } from '../../../lib/controller/types.ts';
import { inTreePlugins } from '../../../lib/plugins/in-tree.ts';
import { formatMessage } from '../../../lib/queue/message.ts';
import { createBridge } from '../../../lib/worker/create-bridge.ts';
import { createWorker } from '../../../lib/worker/create-worker.ts';
import { fullResync } from '../../../lib/worker/full-resync.ts';
import { refuseLiveBinder } from '../../../lib/worker/live-binder.ts';
import { Runtime } from '../../../lib/worker/runtime.ts';
import type { Mode } from '../../../lib/worker/sync-key.ts';
import { createContext, toEvent } from '../../../local/queue/lambda-event.ts';
import type { ControlPlane } from '../harness.ts';
import type { FunctionName } from '../identities.ts';
import { recyclerNamespace } from '../permissions.ts';
import { namespace, Objects, type Stored } from './objects.ts';

/** How long a scenario waits for what the API server's watches bring. */
const waitMilliseconds = 1_500;
const timeoutMilliseconds = 5_000;
const queues = {
  PersistentVolume: { url: 'https://queue.invalid/volumes.fifo', deadLetterUrl: 'https://queue.invalid/dead.fifo' },
  PersistentVolumeClaim: { url: 'https://queue.invalid/claims.fifo', deadLetterUrl: 'https://queue.invalid/dead.fifo' },
};

export class Stage extends Objects {
  readonly mode: Mode;
  readonly #plane: ControlPlane;
  readonly #runtimes: Runtime[] = [];
  readonly #requests: RequestInfo[] = [];
  /** Keys that were put into a queue. */
  readonly sent: string[] = [];

  constructor(plane: ControlPlane, mode: Mode) {
    super(plane.client());
    this.#plane = plane;
    this.mode = mode;
  }

  /** Requests that the API server has forbidden, such as `PUT persistentvolumes/status`. */
  get forbidden(): string[] {
    return this.#requests.filter(({ status }) => status === 403).map(requestName);
  }

  /** A function's environment. Requests of all of them are remembered. */
  runtime(identity: FunctionName): Runtime {
    const config = readConfig({
      PV_MODE: this.mode,
      PV_RECYCLER_NAMESPACE: recyclerNamespace,
      PV_CREATE_VOLUME_ATTEMPTS: '1',
      PV_RESERVE_MS: '100',
      // What the pool has not seen by its watch, it does not know.
      PV_POOL_MAX_AGE_MS: '60000',
      PV_BRIDGE_SWEEP_PERIOD_MS: '0',
    });
    const runtime = new Runtime({
      connection: connectionFromKubeconfig({ file: this.#plane.kubeconfig(identity) }),
      config,
      sqs: this.#queue(),
      queues,
      onRequest: (info) => this.#requests.push(info),
      // Only where it enforces outside of Lambda is there storage in-tree.
      plugins: (cluster) => inTreePlugins(cluster, config, this.mode === 'enforce' ? imaginedDisk : undefined),
    });
    this.#runtimes.push(runtime);
    return runtime;
  }

  /**
   * Has a worker sync one key in an environment of its own, unless one is given.
   * @returns what it wrote, or in observe mode would have written, such as `update persistentvolumes/status`.
   * @throws what the sync failed with.
   */
  async sync(kind: SyncKey['kind'], { metadata }: Stored, runtime = this.runtime(workerOf[kind])): Promise<string[]> {
    const key = { kind, name: metadata.name, ...(kind === 'PersistentVolumeClaim' && { namespace }) };
    const failures: unknown[] = [];
    const verdict: string[] = [];
    const before = this.#requests.length;
    const handle = createWorker(runtime, kind, {
      onFailed: (_key, error) => failures.push(error),
      onVerdict: (_key, writes) => verdict.push(...writes.map(writeName)),
    });
    const Body = formatMessage({ v: 1, ...key, reason: 'resync' });
    const message = { MessageId: 'only', ReceiptHandle: 'only', Body, Attributes: { MessageGroupId: 'only' } };
    const arn = 'arn:aws:sqs:us-east-1:000000000000:queue.fifo';
    await handle(toEvent([message], arn), createContext('worker', timeoutMilliseconds, 'us-east-1'));
    if (failures.length > 0) throw failures[0];
    if (this.mode === 'observe') return verdict;
    const requests = this.#requests.slice(before).filter(({ method, status }) => method !== 'GET' && status < 300);
    return requests.map((info) => `${verbs[info.method]} ${resourceName(info)}`);
  }

  /** Runs a bridge from before until after some steps. `sent` has what it sent. */
  async withBridge(steps: () => Promise<void>): Promise<void> {
    const stopping = new AbortController();
    const bridge = await createBridge(this.runtime('bridge'));
    const running = bridge.run(stopping.signal);
    try {
      await Promise.race([bridge.idle(), lateAfter(waitMilliseconds, 'the bridge does not come to rest')]);
      await steps();
    } finally {
      stopping.abort();
      await running;
    }
  }

  /** Asks, as a worker does before it enforces, whether another controller works here. @throws Error where nobody can tell. */
  async askForOthers(identity: FunctionName): Promise<void> {
    const connection = connectionFromKubeconfig({ file: this.#plane.kubeconfig(identity) });
    await refuseLiveBinder(connection, { wayOut: 'nothing', onRequest: (info) => this.#requests.push(info) });
  }

  /** @returns how many keys were sent. */
  async resync(): Promise<number> {
    const { cluster, producer } = this.runtime('resync');
    return await fullResync(cluster, producer, this.id);
  }

  /** Waits until a look finds something. */
  async until(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = Date.now() + waitMilliseconds;
    while (!(await look())) {
      if (Date.now() > deadline) throw new Error(`not seen in ${waitMilliseconds} ms: ${what}`);
      await sleep(20);
    }
  }

  /** How often this object's key was sent. */
  timesSent({ metadata: { name } }: Stored): number {
    return this.sent.filter((sent) => sent === name).length;
  }

  /** Ends the environments, and takes the objects away. */
  override async close(): Promise<void> {
    for (const runtime of this.#runtimes) runtime.close();
    await super.close();
  }

  /** Accepts everything. */
  #queue(): SQSClient {
    const send = async ({ input }: { input: { Entries?: readonly { Id: string; MessageBody?: string }[] } }) => {
      const { Entries = [] } = input;
      for (const { MessageBody } of Entries) if (MessageBody) this.sent.push(JSON.parse(MessageBody).name);
      return { Successful: Entries };
    };
    return { send } as unknown as SQSClient;
  }
}

const workerOf = { PersistentVolume: 'volume-worker', PersistentVolumeClaim: 'claim-worker' } as const;
const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', DELETE: 'delete' };
const imaginedDisk = { makeDirectory: async () => {}, removeDirectory: async () => {}, uuid: randomUUID };

function requestName(info: RequestInfo): string {
  return `${info.method} ${resourceName(info)}`;
}

function resourceName({ resource, subresource }: RequestInfo): string {
  return subresource === undefined ? `${resource}` : `${resource}/${subresource}`;
}

function writeName(write: RecordedWrite): string {
  if (write.verb === 'event') return 'create events';
  const { plural } = typeOf(write.kind);
  return write.verb === 'updateStatus' ? `update ${plural}/status` : `${write.verb} ${plural}`;
}

async function lateAfter(milliseconds: number, what: string): Promise<never> {
  await sleep(milliseconds);
  throw new Error(`${what} in ${milliseconds} ms`);
}
