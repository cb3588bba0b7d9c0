/**
 * The heartbeat of a bridge: while it works, a metric a minute that its alarm misses when it stops, with the gauges of
 * what is stuck. A bridge that does not follow the cluster says nothing, as its gauges would be those of a past.
 */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { Metrics } from '@aws-lambda-powertools/metrics';
import type { Bridge, BridgeHealth } from '../bridge/bridge.ts';
import type { Config } from '../config.ts';
import { record } from './catalogue.ts';
import { Collector } from './collector.ts';
import { recordCounts } from './counts.ts';
import { countStuck, type Gauges } from './gauges.ts';

/**
 * An idle watch has a bookmark about once a minute, and one that died is found after 100 s and opened anew, with its
 * first bookmark a minute later: a loop that is silent for longer than both does not reach the API server.
 */
const MAX_SILENCE_MS = 180_000;
/** A refused message is tried again at least every 30 s: this one was refused over and over, or the queue is too slow. */
const MAX_UNSENT_MS = 120_000;
/**
 * Emits every `heartbeatPeriodMs`, and sends what else the metrics hold: an invocation of the bridge's Lambda lasts for
 * minutes, a container for ever. A value of 0 is sent too, so that alarms recover.
 * @returns `stop` ends it, and sends what is left.
 */
export function startHeartbeat(
  bridge: Pick<Bridge, 'health' | 'holdings'>,
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics },
  config: Pick<Config, 'heartbeatPeriodMs' | 'stuckAfterSeconds' | 'metricsDetail'>,
): { stop(): void } {
  const beat = () => {
    const now = Date.now();
    const why = whyUnhealthy(bridge.health(), now);
    if (why !== undefined) {
      logger.warn('no heartbeat', { why });
      flush(metrics);
      return;
    }
    record(metrics, 'BridgeHeartbeat');
    const gauges = countStuck(bridge.holdings, now, config.stuckAfterSeconds * 1_000);
    for (const [name, value] of Object.entries(gauges)) record(metrics, name as keyof Gauges, value);
    recordCounts(collect(bridge.holdings), { logger, metrics }, config.metricsDetail === 'on');
    flush(metrics);
  };
  const timer = setInterval(beat, config.heartbeatPeriodMs);
  return {
    stop: () => {
      clearInterval(timer);
      flush(metrics);
    },
  };
}

/**
 * What keeps a bridge from its work.
 * @param now milliseconds since the epoch.
 * @returns undefined for one that has listed everything, heard of each watch lately and gets its messages through.
 */
export function whyUnhealthy(health: BridgeHealth, now: number): string | undefined {
  if (!health.ready) return 'not everything is listed yet';
  for (const [kind, { lastActivity }] of Object.entries(health.resources)) {
    if (lastActivity === undefined) return `${kind}: not listed yet`;
    const silentMs = now - lastActivity;
    if (silentMs > MAX_SILENCE_MS) return `${kind}: nothing from the API server for ${seconds(silentMs)}`;
  }
  if (health.oldestUnsentMs > MAX_UNSENT_MS) return `a message waits for ${seconds(health.oldestUnsentMs)}`;
  return undefined;
}

function collect(holdings: Bridge['holdings']): Collector {
  const collector = new Collector();
  for (const volume of holdings.volumes()) collector.volume(volume);
  for (const claim of holdings.claims()) collector.claim(claim);
  return collector;
}

/** Powertools warns of an empty one. */
function flush(metrics: Metrics): void {
  if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
