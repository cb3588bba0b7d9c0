/** What the bridge's hooks become in CloudWatch. */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { Metrics } from '@aws-lambda-powertools/metrics';
import type { BridgeHooks } from '../bridge/ports.ts';
import { messageOf } from '../controller/errors.ts';
import { keyOf } from '../queue/message.ts';
import type { ProducerOptions } from '../queue/producer.ts';
import { record } from './catalogue.ts';

/** Counts what a bridge does and logs what goes wrong; single keys are debug lines, with their volume's uid. */
export function bridgeHooks(logger: Logger, metrics: Metrics): BridgeHooks {
  const about = (volumeUid: string | undefined) => (volumeUid === undefined ? {} : { correlation_id: volumeUid });
  return {
    seen: () => record(metrics, 'EventsSeen'),
    filtered: () => record(metrics, 'KeysFiltered'),
    sent: (_kind, reason, key, volumeUid) => {
      record(metrics, 'KeysSent');
      logger.debug('key sent', { key: keyOf(key), ...about(volumeUid), reason });
    },
    listed: (kind, objects) => {
      record(metrics, 'Lists');
      logger.info('listed', { kind, objects });
    },
    woken: (claim, volume, volumeUid) => {
      record(metrics, 'ClaimsWoken');
      logger.debug('claim woken', { key: keyOf(claim), ...about(volumeUid), volume });
    },
    lag: (_kind, ms) => record(metrics, 'BridgeLag', ms),
    failed: (what, error) => {
      record(metrics, 'BridgeErrors');
      logger.warn('bridge error, will be tried again', { what, error: messageOf(error) });
    },
  };
}

/** Tells of batches that SQS refuses: a bridge's producer repeats them for as long as it takes, and says nothing itself. */
export function refusedSends({ failed }: BridgeHooks): NonNullable<ProducerOptions['onBatch']> {
  return (_queue, { error }) => {
    if (error !== undefined) failed?.('send', error);
  };
}
