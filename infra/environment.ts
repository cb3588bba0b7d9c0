/** The functions' environment variables (lib/settings.ts), made of a stage file and of what the stack creates. */
import { callsPerEnvironment } from '../lib/cluster/rate-limit-budget.ts';
import type { StageConfig } from './stage-config.ts';

/** A value, or a reference that CloudFormation replaces by one. */
export type Variable = string | { readonly Ref: string };

/**
 * What all functions are given; each reads what it needs. A queue's `Ref` is its URL.
 * @param stage becomes the metrics' dimension.
 */
export function environmentOf(config: StageConfig, stage: string): Readonly<Record<string, Variable>> {
  const { cluster, recycling, monitoring, workers, audit } = config;
  return {
    ...config.settings,
    PV_API_CALLS_PER_SECOND: String(workers.apiCallsPerSecond ?? callsPerEnvironment(workers.maximumConcurrency)),
    PV_STAGE: stage,
    PV_MODE: config.mode,
    PV_MODE_MAX: config.modeMax,
    PV_GRACE_SECONDS: String(config.graceSeconds),
    PV_BESIDE_ANOTHER_CONTROLLER: String(config.besideAnotherController),
    PV_LOG_LEVEL: config.logs.level,
    PV_CLUSTER_NAME: cluster.name,
    ...(cluster.endpoint !== undefined && { PV_CLUSTER_ENDPOINT: cluster.endpoint }),
    ...(cluster.certificateAuthority !== undefined && { PV_CLUSTER_CA: cluster.certificateAuthority }),
    PV_VOLUMES_QUEUE_URL: { Ref: 'VolumesQueue' },
    PV_CLAIMS_QUEUE_URL: { Ref: 'ClaimsQueue' },
    PV_VOLUMES_DEAD_LETTER_URL: { Ref: 'VolumesDeadLetterQueue' },
    PV_CLAIMS_DEAD_LETTER_URL: { Ref: 'ClaimsDeadLetterQueue' },
    ...(recycling.enabled && { PV_RECYCLER_NAMESPACE: recycling.namespace }),
    PV_STUCK_AFTER_SECONDS: String(monitoring.stuckMinutes * 60),
    PV_METRICS_DETAIL: monitoring.detail ? 'on' : 'off',
    ...(audit.bus !== undefined && { PV_AUDIT_BUS: audit.bus }),
  };
}
