/** The audit trail's EventBridge bus, where PV_AUDIT_BUS names one (docs/audit.md). */
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { EventBus } from '../lib/audit/event-bus.ts';
import { putEventsTo } from '../lib/audit/put-events.ts';
import type { AwsCredentials } from '../lib/cluster/aws-signer.ts';
import { type Config, ConfigError } from '../lib/config.ts';
import { record } from '../lib/observability/catalogue.ts';
import type { Observability } from './environment.ts';

/**
 * Whoever writes to it flushes it: a function at the end of its invocation, a bridge all the time.
 * @param credentials Lambda's unless given.
 * @returns undefined where the log is all there is.
 * @throws ConfigError for a bus of another region: a stage file cannot name one, but an environment can.
 */
export function auditBus(
  { auditBus: bus, eventsEndpoint: endpoint, region }: Pick<Config, 'auditBus' | 'eventsEndpoint' | 'region'>,
  { logger, metrics }: Observability,
  credentials: AwsCredentials = fromEnv(),
): EventBus | undefined {
  if (bus === '') return undefined;
  const [, , , busRegion = region] = bus.split(':');
  if (busRegion !== region) {
    throw new ConfigError(`PV_AUDIT_BUS: is in ${busRegion}, and PutEvents goes to a bus of its own region, ${region}`);
  }
  return new EventBus(putEventsTo({ bus, endpoint, region, credentials }), (records, why) => {
    record(metrics, 'AuditRecordsLost', records);
    if (why !== undefined) logger.warn('audit records are not on the bus', { records, why });
  });
}
