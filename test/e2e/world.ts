/** The whole pipeline for one test file: API server, bridge, queues, deployed handlers, and what they did. */
import { ApiServerCluster } from '../../lib/cluster/api-server.ts';
import { readConfig } from '../../lib/config.ts';
import type { PersistentVolume, SyncKey } from '../../lib/controller/types.ts';
import { keyOf, type SyncMessage } from '../../lib/queue/message.ts';
import type { KeyHooks } from '../../lib/worker/hooks.ts';
import { combineHooks } from '../../lib/worker/hooks.ts';
import { type ApiServerOptions, type LocalApiServer, startApiServer } from '../../local/api-server/server.ts';
import { simulatedPlugin } from '../../local/simulated-plugin.ts';
import { type System, type SystemOptions, startSystem } from '../../local/system.ts';
import { Objects } from './objects.ts';

/** No sweep and no resync heals anything here, and what failed comes back at once. */
const SETTINGS = {
  PV_MODE: 'enforce',
  PV_RETRY_FIRST_SECONDS: '0',
  PV_OPERATION_RETRY_MAX_SECONDS: '0',
  PV_BRIDGE_RESYNC_PERIOD_MS: '3600000',
  PV_BRIDGE_SWEEP_PERIOD_MS: '0',
  PV_BRIDGE_ECHO_WINDOW_MS: '50',
};

/** The configuration of these tests, with more environment variables. */
export function configWith(settings: Readonly<Record<string, string>> = {}) {
  return readConfig({ ...SETTINGS, ...settings });
}

/** The token of the test's own requests, which go to the server directly. */
export const TEST_TOKEN = 'the-test';

export interface WorldOptions {
  readonly server?: ApiServerOptions;
  readonly settings?: Readonly<Record<string, string>>;
  /** Where the system finds the API server; the server itself unless a proxy stands between. */
  readonly connectTo?: (server: LocalApiServer) => Promise<string> | string;
  readonly system?: Partial<SystemOptions>;
}

export interface World {
  readonly server: LocalApiServer;
  readonly system: System;
  readonly objects: Objects;
  /** Calls that synced a key, in order: the key and its messages. */
  readonly done: { key: string; messages: readonly SyncMessage[] }[];
  readonly failed: { key: string; error: unknown; receiveCount: number }[];
  /** Keys whose objects contradict each other. */
  readonly contradictions: { key: string; error: Error }[];
  readonly deadLetters: { body: string; error: Error }[];
  /** Whatever the bridge, the event sources or the event recorder complained of. */
  readonly complaints: { what: string; error: unknown }[];
  /** All phases that each volume had, in order. */
  readonly phases: ReadonlyMap<string, string[]>;
  stop(): Promise<void>;
}

/** Starts it; volumes of in-tree plugins are deleted and recycled by one that always succeeds at once. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const server = await startApiServer(options.server);
  const phases = watchPhases(server);
  const seen = { done: [], failed: [], contradictions: [], deadLetters: [], complaints: [] } as Pick<
    World,
    'done' | 'failed' | 'contradictions' | 'deadLetters' | 'complaints'
  >;
  const address = (await options.connectTo?.(server)) ?? server.url;
  const { hooks, ...more } = options.system ?? {};
  const system = await startSystem({
    connection: { server: address, token: async () => 'a-token' },
    config: configWith(options.settings),
    plugins: () => [simulatedPlugin],
    onError: (error) => seen.complaints.push({ what: 'system', error }),
    bridgeHooks: { failed: (what, error) => seen.complaints.push({ what, error }) },
    hooks: combineHooks(recorder(seen), hooks ?? {}),
    bridgeSettings: { retryBaseMs: 50, retryMaxMs: 200 },
    ...more,
  });
  await system.bridge.idle();
  const cluster = new ApiServerCluster({ server: server.url, token: async () => TEST_TOKEN });
  return {
    server,
    system,
    objects: new Objects(cluster),
    phases,
    ...seen,
    stop: async () => {
      await system.stop();
      cluster.close();
      await server.stop();
    },
  };
}

function recorder(seen: Pick<World, 'done' | 'failed' | 'contradictions' | 'deadLetters' | 'complaints'>): KeyHooks {
  return {
    onDone: (key, messages) => seen.done.push({ key: keyOf(key), messages }),
    onFailed: (key, error, { receiveCount }) => seen.failed.push({ key: keyOf(key), error, receiveCount }),
    onContradiction: (key: SyncKey, error) => seen.contradictions.push({ key: keyOf(key), error }),
    onDeadLetter: ({ body }, error) => seen.deadLetters.push({ body, error }),
    onQueueError: (error) => seen.complaints.push({ what: 'queue', error }),
  };
}

/** Follows the phases of all volumes: no write of one goes unseen, however soon the next one follows. */
export function watchPhases(server: LocalApiServer): Map<string, string[]> {
  const phases = new Map<string, string[]>();
  server.store.subscribe('persistentvolumes', ({ type, object }) => {
    const { metadata, status } = object as unknown as PersistentVolume;
    const phase = type === 'DELETED' ? 'deleted' : (status?.phase ?? '');
    const known = phases.get(metadata.name) ?? [];
    if (known.at(-1) !== phase) phases.set(metadata.name, [...known, phase]);
  });
  return phases;
}

/** Polls until `look` is content: its value is neither undefined nor false. */
export async function eventually<T>(what: string, look: () => Promise<T> | T, timeoutMs = 15_000): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
