/** The bridge as a service: it waits for the API server, follows it until it is told to stop, and answers probes. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Observability } from '../functions/environment.ts';
import type { EventBus } from '../lib/audit/event-bus.ts';
import { flushRegularly } from '../lib/audit/regular-flush.ts';
import type { Bridge } from '../lib/bridge/bridge.ts';
import { Backoff, pause, systemClock } from '../lib/bridge/clock.ts';
import type { BridgeHooks, WatchedKind } from '../lib/bridge/ports.ts';
import type { Connection } from '../lib/cluster/connection.ts';
import type { Config } from '../lib/config.ts';
import { bridgeHooks, refusedSends } from '../lib/observability/bridge-hooks.ts';
import { startHeartbeat } from '../lib/observability/heartbeat.ts';
import { createBridge } from '../lib/worker/create-bridge.ts';
import { Runtime } from '../lib/worker/runtime.ts';
import { Liveness } from './liveness.ts';
import { type Probes, startProbes } from './probes.ts';

/** What the service connects to, and where its probes listen. */
export interface ServiceOptions {
  readonly config: Config;
  readonly connection: Connection;
  readonly sqs: SQSClient;
  readonly observability: Observability;
  /** Takes the audit trail besides the log. */
  readonly bus?: EventBus | undefined;
  /** All addresses unless given. */
  readonly probeAddress?: string | undefined;
}

const RESTART_BASE_MS = 1_000;
const RESTART_MAX_MS = 30_000;

const KIND_OF_RESOURCE: Readonly<Record<string, WatchedKind>> = {
  persistentvolumes: 'PersistentVolume',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  storageclasses: 'StorageClass',
  pods: 'Pod',
};

/**
 * Runs until the signal is aborted and what was seen has been sent, or the bridge's stop time-out is over.
 * @throws ConnectionError when the connection's fields are wrong; Error when the port of the probes is taken.
 */
export async function runService(options: ServiceOptions, signal: AbortSignal): Promise<void> {
  const { config, observability, bus, probeAddress } = options;
  const { logger, metrics } = observability;
  const liveness = new Liveness();
  const hasDetail = config.metricsDetail === 'on';
  const hooks = withSigns(bridgeHooks(logger, metrics, { hasDetail, sink: bus?.write }), liveness);
  const runtime = runtimeOf(options, hooks, liveness);
  let bridge: Bridge | undefined;
  const probes: Probes = {
    '/healthz': () => {
      const stuck = liveness.stuck(bridge?.health());
      return { ok: stuck.length === 0, details: { stuck } };
    },
    '/readyz': () => {
      const health = bridge?.health();
      return { ok: health?.ready === true && !signal.aborted, details: health ?? { ready: false } };
    },
  };
  const server = await startProbes(probes, config.healthPort, probeAddress);
  try {
    bridge = await start(runtime, hooks, liveness, signal);
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    if (bridge === undefined) return;
    logger.info('bridge starts', { mode: config.mode });
    const heartbeat = startHeartbeat(bridge, observability, config);
    const flushing = flushRegularly(bus);
    await bridge.run(signal);
    await flushing.stop();
    heartbeat.stop();
    logger.info('bridge ends', { unsent: bridge.health().unsent });
  } finally {
    runtime.close();
    await server.close();
  }
}

/** The API server's version decides some rules, so there is no bridge before its first answer. */
async function start(runtime: Runtime, hooks: BridgeHooks, liveness: Liveness, signal: AbortSignal) {
  const backoff = new Backoff(RESTART_BASE_MS, RESTART_MAX_MS);
  while (!signal.aborted) {
    try {
      return await createBridge(runtime, hooks);
    } catch (error) {
      liveness.generalSign();
      hooks.failed?.('start', error);
      await pause(systemClock, backoff.next(), signal);
    }
  }
  return undefined;
}

function runtimeOf({ config, connection, sqs }: ServiceOptions, hooks: BridgeHooks, liveness: Liveness): Runtime {
  const { volumesQueueUrl, claimsQueueUrl, volumesDeadLetterUrl, claimsDeadLetterUrl } = config;
  return new Runtime({
    config,
    connection,
    sqs,
    queues: {
      PersistentVolume: { url: volumesQueueUrl, deadLetterUrl: volumesDeadLetterUrl },
      PersistentVolumeClaim: { url: claimsQueueUrl, deadLetterUrl: claimsDeadLetterUrl },
    },
    onRequest: ({ resource = '' }) => {
      const kind = KIND_OF_RESOURCE[resource];
      if (kind !== undefined) liveness.sign(kind);
    },
    onBatchSent: (queue, outcome) => {
      liveness.generalSign();
      refusedSends(hooks)(queue, outcome);
    },
  });
}

function withSigns(hooks: BridgeHooks, liveness: Liveness): BridgeHooks {
  const kinds = new Set<string>(Object.values(KIND_OF_RESOURCE));
  return {
    ...hooks,
    failed: (what, error) => {
      if (kinds.has(what)) liveness.sign(what as WatchedKind);
      hooks.failed?.(what, error);
    },
  };
}
