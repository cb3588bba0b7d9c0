/**
 * The system with one half of it in a process that is killed: workers or bridge, each behind its own fault layer. The
 * other half goes on in this process, and the queues survive, as they do.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { connectionFromKubeconfig } from '../../../lib/cluster/kubeconfig.ts';
import { readConfig } from '../../../lib/config.ts';
import type { SyncKey } from '../../../lib/controller/types.ts';
import { fullResync } from '../../../lib/worker/full-resync.ts';
import { Runtime } from '../../../lib/worker/runtime.ts';
import { type EventSource, startEventSource } from '../../../local/queue/event-source.ts';
import { recyclerNamespace } from '../../control-plane/permissions.ts';
import { changesBetween, untilQuiet, versionsOf } from '../../control-plane/settling.ts';
import type { FaultProxy } from '../layer/proxy.ts';
import { type Queues, startApiProxy, startQueues } from '../pipeline.ts';
import { queueClient, settingsWith } from '../settings.ts';
import type { Stage } from '../stage.ts';
import { Child } from './child.ts';
import { areEmpty } from './depth.ts';
import type { ProcessSettings } from './program.ts';
import { again } from './redelivered.ts';

const KINDS: readonly SyncKey['kind'][] = ['PersistentVolume', 'PersistentVolumeClaim'];
/** Looks in a row that must find the queues empty. */
const EMPTY_LOOKS = 4;
const MOST_CRASHES = 5;

export interface LaneOptions {
  /** How far the clock of the workers is ahead. */
  readonly clockAheadMs?: number;
  readonly bridges?: number;
  /** Processes of the workers: they take the calls in turn. */
  readonly workers?: number;
  /** On top of the usual ones. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Workers and those who poll for them meet the faults of the queue, too. */
  readonly isQueueFaultyForAll?: boolean;
}

interface Parts {
  readonly workerApi: FaultProxy;
  readonly bridgeApi: FaultProxy;
  readonly queues: Queues;
}

export class Lane {
  /** Before the API server, for the workers alone. */
  readonly workerApi: FaultProxy;
  readonly bridgeApi: FaultProxy;
  readonly queues: Queues;
  readonly #stage: Stage;
  readonly #runtime: Runtime;
  readonly #start: (role: ProcessSettings['role']) => Child;
  readonly #sources: readonly EventSource[];
  readonly #pollers: SQSClient;
  readonly #workers: Child[];
  readonly #bridges: Child[];
  #resyncs = 0;
  #isClosed = false;
  /** Processes that ended by themselves. */
  readonly crashes: string[] = [];
  /** Calls of the functions, those that a killed process did not answer too, and messages in them. */
  readonly handled = { calls: 0, messages: 0 };
  /** Messages that were delivered, by their deduplication ids. */
  readonly delivered = new Map<string, Set<string>>();

  private constructor(stage: Stage, file: string, parts: Parts, options: LaneOptions) {
    const { clockAheadMs = 0, bridges = 1, workers = 1, isQueueFaultyForAll = false } = options;
    const { queues } = parts;
    this.#stage = stage;
    this.workerApi = parts.workerApi;
    this.bridgeApi = parts.bridgeApi;
    this.queues = queues;
    const { plane } = stage;
    // Here nothing times out but what is broken.
    const settings = settingsWith({ PV_REQUEST_TIMEOUT_MS: '5000', ...options.settings });
    const tokens = {
      bridge: plane.token('bridge'),
      'volume-worker': plane.token('volume-worker'),
      'claim-worker': plane.token('claim-worker'),
    };
    const { addresses, client, proxy } = queues;
    this.#start = (role) =>
      new Child(
        file,
        {
          role,
          server: role === 'bridge' ? parts.bridgeApi.url : parts.workerApi.url,
          tokens,
          queueEndpoint: role === 'bridge' || isQueueFaultyForAll ? proxy.url : queues.endpoint,
          addresses,
          settings,
          clockAheadMs: role === 'worker' ? clockAheadMs : 0,
        },
        (error) => this.#crashed(role, error),
      );
    const connection = connectionFromKubeconfig({ file: plane.kubeconfig('resync') });
    this.#runtime = new Runtime({ connection, config: readConfig(settings), sqs: client, queues: addresses });
    this.#workers = Array.from({ length: workers }, () => this.#start('worker'));
    this.#bridges = Array.from({ length: bridges }, () => this.#start('bridge'));
    this.#pollers = isQueueFaultyForAll ? queueClient(proxy.url) : client;
    this.#sources = KINDS.map((kind) =>
      startEventSource({
        client: this.#pollers,
        queueUrl: addresses[kind].url,
        queueArn: addresses[kind].arn,
        handler: (event) => this.#invoke(kind, event),
        waitTimeSeconds: 1,
      }),
    );
  }

  /** @param file of the processes' program. */
  static async open(stage: Stage, file: string, options: LaneOptions = {}): Promise<Lane> {
    const workerApi = await startApiProxy(stage.plane);
    const bridgeApi = await startApiProxy(stage.plane);
    const lane = new Lane(stage, file, { workerApi, bridgeApi, queues: await startQueues() }, options);
    await Promise.all([...lane.#workers, ...lane.#bridges].map(({ ready }) => ready));
    return lane;
  }

  /** Kills a process of the workers; the next one starts at once. */
  async killWorker(which = 0): Promise<void> {
    await this.#workers[which]?.kill();
    this.#workers[which] = this.#start('worker');
  }

  /** Kills one of the bridges; it is started again at once. Resolves when the next one has been started. */
  async killBridge(which = 0): Promise<void> {
    await this.#bridges[which]?.kill();
    this.#bridges[which] = this.#start('bridge');
  }

  /** Waits until that bridge has looked at everything once. */
  async untilBridgeReady(which: number): Promise<void> {
    await this.#bridges[which]?.ready;
  }

  /** Waits until nobody has anything to do. */
  async settle(): Promise<void> {
    await untilQuiet(
      () => this.#versions(),
      () => this.#rest(),
    );
  }

  /** Has everything looked at once more, and tells what that has changed. */
  async fullResyncWrites(): Promise<string[]> {
    const before = await this.#versions();
    await fullResync(this.#runtime.cluster, this.#runtime.producer, `faults ${++this.#resyncs}`);
    await this.#rest();
    return changesBetween(before, await this.#versions());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#bridges.map((bridge) => bridge.kill()));
    await Promise.all(this.#sources.map((source) => source.stop()));
    await Promise.all(this.#workers.map((worker) => worker.kill()));
    this.#pollers.destroy();
    this.#runtime.close();
    await Promise.all([this.workerApi.stop(), this.bridgeApi.stop(), this.queues.stop()]);
  }

  /** It ended by itself: started again, as Lambda and a container's runtime do, until it is one time too many. */
  #crashed(role: ProcessSettings['role'], error: Error): void {
    this.crashes.push(error.message);
    if (this.crashes.length > MOST_CRASHES) return;
    const processes = role === 'worker' ? this.#workers : this.#bridges;
    for (const [which, child] of processes.entries()) {
      if (!child.isRunning) processes[which] = this.#start(role);
    }
  }

  async #invoke(kind: SyncKey['kind'], event: SQSEvent): Promise<SQSBatchResponse> {
    for (const { messageId, attributes } of event.Records) {
      const id = attributes.MessageDeduplicationId ?? '';
      this.delivered.set(id, (this.delivered.get(id) ?? new Set()).add(messageId));
    }
    // What a killed worker held comes back when its time is over. Time is short here: it comes back at once.
    for (let delivered = event; ; delivered = again(delivered)) {
      this.handled.calls += 1;
      this.handled.messages += delivered.Records.length;
      try {
        return await (this.#workers[this.handled.calls % this.#workers.length] as Child).invoke(kind, delivered);
      } catch (error) {
        if (this.#isClosed || this.crashes.length > MOST_CRASHES) throw error;
        await sleep(10);
      }
    }
  }

  #versions() {
    return versionsOf(this.#stage.plane.client(), recyclerNamespace);
  }

  /** The bridge has looked at everything once, and the queues are and stay empty. */
  async #rest(): Promise<void> {
    for (let empty = 0; empty < EMPTY_LOOKS; ) {
      if (this.crashes.length > MOST_CRASHES) throw new Error(this.crashes.join('; '));
      const ready = await Promise.allSettled(this.#bridges.map((bridge) => bridge.ready));
      const areReady = ready.every(({ status }) => status === 'fulfilled');
      empty = areReady && (await areEmpty(this.queues)) ? empty + 1 : 0;
      await sleep(20);
    }
  }
}
