/** The `settings:` of a stage file: variables of lib/settings.ts that no field of the file stands for. */
import { ConfigError, readConfig } from '../lib/config.ts';
import { SETTINGS } from '../lib/settings.ts';
import { nearest } from './nearest.ts';

/** Variables that the stack sets, and what to write instead. */
const SET_BY_THE_STACK: Readonly<Record<string, string>> = {
  PV_MODE: 'use the field `mode`',
  PV_MODE_MAX: 'use the field `modeMax`',
  PV_GRACE_SECONDS: 'use the field `graceSeconds`',
  PV_BESIDE_ANOTHER_CONTROLLER: 'use the field `besideAnotherController`',
  PV_STAGE: 'it is what `--stage` says',
  PV_LOG_LEVEL: 'use the field `logs.level`',
  PV_CLUSTER_NAME: 'use the field `cluster.name`',
  PV_CLUSTER_ENDPOINT: 'use the field `cluster.endpoint`',
  PV_CLUSTER_CA: 'use the field `cluster.certificateAuthority`',
  PV_API_CALLS_PER_SECOND: 'use the field `workers.apiCallsPerSecond`',
  AWS_REGION: 'use the field `region`',
  PV_VOLUMES_QUEUE_URL: 'the stack makes the queue; its name is the field `queues.volumes`',
  PV_CLAIMS_QUEUE_URL: 'the stack makes the queue; its name is the field `queues.claims`',
  PV_VOLUMES_DEAD_LETTER_URL: 'the stack makes the queue, named after `queues.volumes`',
  PV_CLAIMS_DEAD_LETTER_URL: 'the stack makes the queue, named after `queues.claims`',
  PV_RECYCLER_NAMESPACE: 'use the fields `recycling.enabled` and `recycling.namespace`',
  PV_STUCK_AFTER_SECONDS: 'use the field `monitoring.stuckMinutes`',
  PV_METRICS_DETAIL: 'use the field `monitoring.detail`',
  PV_AUDIT_BUS: 'use the field `audit.bus`',
  PV_BRIDGE_LOG_GROUP: 'the stack makes the log group',
  PV_HEALTH_PORT: 'only the bridge’s container has one: set it in infra/kubernetes',
};

const VARIABLES = Object.values(SETTINGS).map(({ variable }) => variable);

/** @returns what is wrong with a variable, with the fix; undefined when it may stay. */
export function problemOfSetting(variable: string, value: string): string | undefined {
  const instead = Object.hasOwn(SET_BY_THE_STACK, variable) ? SET_BY_THE_STACK[variable] : undefined;
  if (instead !== undefined) return `is set by the stack: ${instead}`;
  if (!VARIABLES.includes(variable)) {
    const free = VARIABLES.filter((name) => !(name in SET_BY_THE_STACK));
    const meant = nearest(variable, free);
    return meant === undefined ? 'is no setting: docs/settings.md lists them' : `is no setting: did you mean ${meant}?`;
  }
  try {
    readConfig({ [variable]: value });
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.replace(`${variable}: `, '');
  }
}
