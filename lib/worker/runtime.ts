/**
 * One environment of the system: the API server, the queues, the pool of volumes, and what is made of them
 * (`createWorker`, `createBridge`). Built once per Lambda environment, or once per process in the local run.
 */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { ApiServerCluster, type ApiServerOptions } from '../cluster/api-server.ts';
import type { Connection } from '../cluster/connection.ts';
import { ApiVolumePool } from '../cluster/volume-pool.ts';
import type { Config } from '../config.ts';
import type { Features } from '../controller/features.ts';
import type { VolumePlugin } from '../controller/plugins.ts';
import type { Cluster, SyncRules } from '../controller/ports.ts';
import type { SyncKey } from '../controller/types.ts';
import { inTreePlugins } from '../plugins/in-tree.ts';
import { type ProducerOptions, QueueProducer } from '../queue/producer.ts';
import { FlipDetector } from './flip-detector.ts';
import { maxModeOf } from './mode.ts';
import { featuresFor, syncRulesOf } from './sync-rules.ts';

/** A queue and the queue of its dead letters. */
export interface Queue {
  readonly url: string;
  readonly deadLetterUrl: string;
}

/** What an environment connects to; the plugins are the in-tree ones of the configuration unless given. */
export interface RuntimeOptions {
  readonly connection: Connection;
  readonly config: Config;
  readonly sqs: SQSClient;
  readonly queues: Readonly<Record<SyncKey['kind'], Queue>>;
  readonly plugins?: (cluster: Cluster) => readonly VolumePlugin[];
  readonly onRequest?: NonNullable<ApiServerOptions['onRequest']>;
  readonly onBatchSent?: NonNullable<ProducerOptions['onBatch']>;
  readonly onEventFailure?: (error: unknown) => void;
}

const FEATURES_TTL_MS = 3_600_000;

/** Holds what invocations share: connections, the pool, the server's version. See the head of this file. */
export class Runtime {
  readonly cluster: ApiServerCluster;
  readonly producer: QueueProducer;
  readonly pool: ApiVolumePool;
  readonly flips = new FlipDetector();
  readonly connection: Connection;
  readonly config: Config;
  readonly sqs: SQSClient;
  readonly queues: RuntimeOptions['queues'];
  readonly #options: RuntimeOptions;
  #invocations = 0;
  #features: { value: Promise<Features>; readAt: number } | undefined;

  /** Nothing is sent yet. @throws ConnectionError when the connection's fields are wrong. */
  constructor(options: RuntimeOptions) {
    const { connection, config, sqs, queues, onRequest, onBatchSent, onEventFailure } = options;
    this.#options = options;
    this.connection = connection;
    this.config = config;
    this.sqs = sqs;
    this.queues = queues;
    this.cluster = new ApiServerCluster(connection, {
      maxSockets: config.maxSockets,
      requestTimeoutMs: config.requestTimeoutMs,
      callsPerSecond: config.apiCallsPerSecond,
      events: { emit: maxModeOf(config) === 'enforce', ...(onEventFailure && { onFailure: onEventFailure }) },
      ...(onRequest && { onRequest }),
    });
    this.pool = new ApiVolumePool(this.cluster);
    this.producer = new QueueProducer({
      client: sqs,
      queueUrls: {
        PersistentVolume: queues.PersistentVolume.url,
        PersistentVolumeClaim: queues.PersistentVolumeClaim.url,
      },
      ...(onBatchSent && { onBatch: onBatchSent }),
    });
  }

  /** Runs one invocation. No request outlives it; in the local run others go on beside it. */
  async invocation<T>(work: () => Promise<T>): Promise<T> {
    this.#invocations += 1;
    try {
      return await work();
    } finally {
      this.#invocations -= 1;
      if (this.#invocations === 0) this.pool.cancel();
    }
  }

  /** Ends requests, watches and connections. */
  close(): void {
    this.pool.close();
    this.cluster.close();
  }

  /** The plugins, working through `cluster`. */
  plugins(cluster: Cluster): readonly VolumePlugin[] {
    return this.#options.plugins?.(cluster) ?? inTreePlugins(cluster, this.config);
  }

  /** What decides besides the objects, by the settings and the server's version. */
  async rules(signal?: AbortSignal): Promise<Omit<SyncRules, 'plugins'>> {
    return syncRulesOf(this.config, await this.#readFeatures(signal));
  }

  /** The server's version decides some rules; it is read once an hour, and again after a failure. */
  #readFeatures(signal?: AbortSignal): Promise<Features> {
    if (this.#features === undefined || Date.now() - this.#features.readAt > FEATURES_TTL_MS) {
      const cluster = signal === undefined ? this.cluster : this.cluster.withSignal(signal);
      const value = cluster.serverVersion().then((version) => featuresFor(this.config, version));
      value.catch(() => {
        this.#features = undefined;
      });
      this.#features = { value, readAt: Date.now() };
    }
    return this.#features.value;
  }
}
