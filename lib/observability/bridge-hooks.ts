/** What the bridge's hooks become in CloudWatch. */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { Metrics } from '@aws-lambda-powertools/metrics';
import { seenRecords } from '../audit/trail.ts';
import type { BridgeHooks } from '../bridge/ports.ts';
import { messageOf } from '../controller/errors.ts';
import { keyOf } from '../queue/message.ts';
import type { ProducerOptions } from '../queue/producer.ts';
import { auditLog } from './audit-log.ts';
import { record, recordSplit } from './catalogue.ts';
import { endedOperation } from './operations.ts';
import type { HookOptions } from './worker-hooks.ts';

/**
 * Counts what a bridge does and logs what goes wrong; single keys are debug lines, with their volume's uid. What others
 * wrote is a line of the audit trail; what we did, its worker tells.
 */
export function bridgeHooks(
  logger: Logger,
  metrics: Metrics,
  { hasDetail = false, sink }: HookOptions = {},
): BridgeHooks {
  const log = auditLog(logger, sink);
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
    changed: (change, volumeUid) => {
      for (const seen of seenRecords(change, volumeUid)) {
        if (seen.who !== 'us') log(seen);
      }
      const operation = endedOperation(change);
      if (operation === undefined) return;
      recordSplit(metrics, 'volume_operation_total_seconds', operation.seconds, operation.labels, hasDetail);
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
