/** What the bridge's hooks become in CloudWatch. */
import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { BridgeHooks } from '../bridge/ports.ts';
import { messageOf } from '../controller/errors.ts';

/** Counts what a bridge does and logs what goes wrong; single keys are debug lines. */
export function bridgeHooks(logger: Logger, metrics: Metrics): BridgeHooks {
  const count = (name: string, value = 1) => metrics.addMetric(name, MetricUnit.Count, value);
  return {
    seen: () => count('EventsSeen'),
    filtered: () => count('KeysFiltered'),
    sent: (kind, reason) => {
      count('KeysSent');
      logger.debug('key sent', { kind, reason });
    },
    listed: (kind, objects) => {
      count('Lists');
      logger.info('listed', { kind, objects });
    },
    woken: ({ namespace, name }, volume) => {
      count('ClaimsWoken');
      logger.debug('claim woken', { claim: `${namespace}/${name}`, volume });
    },
    lag: (_kind, ms) => metrics.addMetric('BridgeLag', MetricUnit.Milliseconds, ms),
    failed: (what, error) => {
      count('BridgeErrors');
      logger.warn('bridge error, will be tried again', { what, error: messageOf(error) });
    },
  };
}
