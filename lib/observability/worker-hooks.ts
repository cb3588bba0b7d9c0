/** What a worker's hooks become in CloudWatch: log lines with the key, and counts. */
import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { ConflictError, findCause, messageOf, ThrottledError } from '../controller/errors.ts';
import type { SyncKey } from '../controller/types.ts';
import type { KeyHooks } from '../worker/hooks.ts';

/** Conflicts and throttling are everyday business: debug lines and metrics of their own (DESIGN D10). */
export function workerHooks(logger: Logger, metrics: Metrics): KeyHooks {
  const count = (name: string, value = 1) => metrics.addMetric(name, MetricUnit.Count, value);
  return {
    onDone: (key, messages, durationMs) => {
      count('KeysSynced');
      metrics.addMetric('SyncDuration', MetricUnit.Milliseconds, durationMs);
      logger.debug('synced', { key: textOf(key), messages: messages.length, ms: Math.round(durationMs) });
    },
    onFailed: (key, error, { seconds, receiveCount }) => {
      const fields = { key: textOf(key), error: messageOf(error), retryInSeconds: seconds, receiveCount };
      if (findCause(error, ConflictError) !== undefined) {
        count('Conflicts');
        logger.debug('conflict, will be tried again', fields);
      } else if (findCause(error, ThrottledError) !== undefined) {
        count('Throttled');
        logger.debug('the API server asks to wait', fields);
      } else {
        count('SyncFailures');
        logger.error('sync failed, will be tried again', fields);
      }
    },
    onSkipped: (key, why) => {
      count('KeysHandedBack');
      logger.debug('handed back unworked', { key, why });
    },
    onDeadLetter: (record, error) => {
      count('DeadLetters');
      logger.error('message sent to the dead-letter queue', { messageId: record.messageId, error: messageOf(error) });
    },
    onQueueError: (error) => {
      count('QueueErrors');
      logger.warn('the queue refused a request', { error: messageOf(error) });
    },
    onContradiction: (key, error) => {
      count('Contradictions');
      logger.warn('objects contradict each other', { key: textOf(key), error: messageOf(error) });
    },
    onVerdict: (key, writes) => {
      if (writes.length === 0) return;
      count('Verdicts');
      const would = writes.map((write) =>
        write.verb === 'event'
          ? `event ${write.event.reason}: ${write.event.message}`
          : `${write.verb} ${write.kind} ${write.object.metadata.name}`,
      );
      logger.info('would write', { key: textOf(key), would });
    },
    onNote: (key, observation) => logger.debug(observation, { key: textOf(key) }),
  };
}

function textOf({ kind, namespace, name }: SyncKey): string {
  return `${kind}/${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
