/**
 * The controller scored against the one that is built in, on a live cluster: it follows volumes and claims, decides on each
 * change as observe mode does, and compares that with what the other one then writes. It writes nothing, no event either,
 * and needs no queue.
 */
import { ApiServerCluster } from '../../lib/cluster/api-server.ts';
import type { Connection } from '../../lib/cluster/connection.ts';
import type { RequestInfo } from '../../lib/cluster/request.ts';
import type { Config } from '../../lib/config.ts';
import { ClusterError, findCause } from '../../lib/controller/errors.ts';
import { PluginRegistry } from '../../lib/controller/plugins.ts';
import type { Cluster, Note, RunOperation, SyncContext } from '../../lib/controller/ports.ts';
import { decide } from '../../lib/scoring/decide.ts';
import { Observer, type ObserverOptions } from '../../lib/scoring/observer.ts';
import { builtInPlugins } from '../../lib/scoring/plugins.ts';
import { scoreText } from '../../lib/scoring/score-text.ts';
import type { Scoreboard } from '../../lib/scoring/scoreboard.ts';
import { VolumesAlong } from '../../lib/scoring/volumes-along.ts';
import { watchedEvents } from '../../lib/scoring/watched-events.ts';
import { figuresOf, type QueueName, type QueueReading, readQueues } from '../../lib/scoring/workqueue.ts';
import { clockUntil } from '../../lib/worker/sync-pool.ts';
import { featuresFor, syncRulesOf } from '../../lib/worker/sync-rules.ts';

/** What is scored, and how the other side's queues are looked at. */
export interface ScoringOptions extends Pick<ObserverOptions, 'onRecord' | 'onFailed' | 'limits' | 'concurrency'> {
  readonly connection: Connection;
  readonly config: Config;
  /** The text of the controller manager's /metrics, where it can be read. */
  readonly readMetrics?: () => Promise<string>;
  /** A list or a watch failed, or the metrics could not be read, and it is tried again; or `scoring` has ended by an error. */
  readonly onTrouble?: (what: string, error: unknown) => void;
  readonly onRequest?: (info: RequestInfo) => void;
}

/** A scoring under way. */
export interface Scoring {
  board(): Scoreboard;
  /** The score for people, with both sides' queues as they are now. */
  text(): Promise<string>;
  /** Ends it; verdicts that wait are not counted. */
  stop(): Promise<void>;
}

type Readings = Readonly<Record<QueueName, QueueReading>>;

/** @throws ClusterError when the server's version cannot be read. */
export async function startScoring(options: ScoringOptions): Promise<Scoring> {
  const { connection, config, onRequest, onTrouble } = options;
  const cluster = new ApiServerCluster(connection, {
    maxSockets: config.maxSockets,
    requestTimeoutMs: config.requestTimeoutMs,
    callsPerSecond: config.apiCallsPerSecond,
    events: { emit: false },
    ...(onRequest && { onRequest }),
  });
  const pool = new VolumesAlong();
  const stopping = new AbortController();
  const { signal } = stopping;
  try {
    const rules = syncRulesOf(config, featuresFor(config, await cluster.serverVersion()));
    const contextFor = (recording: Cluster, note: Note): SyncContext => ({
      ...rules,
      cluster: recording,
      pool,
      plugins: new PluginRegistry(builtInPlugins(recording, config)),
      enqueue: async () => {},
      runOperation,
      clock: clockUntil(signal),
      note,
      redelivered: false,
    });
    const events = watchedEvents(cluster, { signal, ...(onTrouble && { onFailed: onTrouble }) });
    const observer = new Observer({
      ...options,
      events: pool.follow(events),
      decide: (key) => decide(key, cluster.withSignal(signal), contextFor),
    });
    const first = await readingsOf(options);
    const running = observer.run();
    running.catch((error: unknown) => onTrouble?.('scoring', error));
    return {
      board: () => observer.board(),
      text: async () => {
        const last = await readingsOf(options);
        const figures = (name: QueueName) => first && last && figuresOf(first[name], last[name]);
        const [claims, volumes] = [figures('claims'), figures('volumes')];
        const ours = observer.queues();
        return scoreText(observer.board(), { ours, ...(claims && volumes && { builtIn: { claims, volumes } }) });
      },
      stop: async () => {
        stopping.abort();
        await running;
        cluster.close();
      },
    };
  } catch (error) {
    stopping.abort();
    cluster.close();
    throw error;
  }
}

/** The built-in controller's run in the background: where one fails, the verdict is what was written until then. */
const runOperation: RunOperation = async (_name, operation) => {
  try {
    await operation();
  } catch (error) {
    if (findCause(error, ClusterError) !== undefined) throw error;
  }
};

async function readingsOf({ readMetrics, onTrouble }: ScoringOptions): Promise<Readings | undefined> {
  try {
    return readMetrics && readQueues(await readMetrics());
  } catch (error) {
    onTrouble?.('metrics of the controller manager', error);
    return undefined;
  }
}
