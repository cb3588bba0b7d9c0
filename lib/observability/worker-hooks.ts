/** What a worker's hooks become in CloudWatch: log lines with the key and its volume, and counts. */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { Metrics } from '@aws-lambda-powertools/metrics';
import { type AuditSink, shortened } from '../audit/record.ts';
import { AuditTrail } from '../audit/trail.ts';
import { ConflictError, findCause, messageOf, ThrottledError } from '../controller/errors.ts';
import type { SyncKey } from '../controller/types.ts';
import { keyOf } from '../queue/message.ts';
import type { KeyHooks } from '../worker/hooks.ts';
import { auditLog } from './audit-log.ts';
import { type DetailOf, record, recordSplit } from './catalogue.ts';
import { failedDelete, failedOperation } from './operations.ts';

const DEBUG_LEVELS: ReadonlySet<string> = new Set(['TRACE', 'DEBUG']);

/** A sync that takes longer is worth a line at INFO. */
const SLOW_MS = 1_000;

/** What the controller notes before it writes the class; the write is the last thing that such a sync does. */
const DEFAULT_CLASS = / gets the default class /;

/** What hooks do besides the lines and counts that there always are. */
export interface HookOptions {
  /** PV_METRICS_DETAIL: metrics that can be split are sent split, too. */
  readonly hasDetail?: boolean;
  /** Takes the audit trail besides the log. */
  readonly sink?: AuditSink | undefined;
}

type OperationLabels = DetailOf<'volume_operation_errors_total'>;
const OPERATION_ERRORS = ['volume_operation_total_errors', 'volume_operation_errors_total'] as const;

/**
 * Every line about a key has it in `key`, and the uid of the volume that it is about in `correlation_id`, where that is
 * known. Conflicts and throttling are everyday business: debug lines and metrics of their own (DESIGN D10).
 * The level is asked for once, here, since no function changes it: to ask for it costs as much as a line that is not printed,
 * and notes are many.
 */
export function workerHooks(logger: Logger, metrics: Metrics, { hasDetail = false, sink }: HookOptions = {}): KeyHooks {
  const isDebugging = DEBUG_LEVELS.has(logger.getLevelName());
  // By key, as several are worked on at once; of one key there is one sync at a time.
  const volumes = new Map<string, string>();
  const defaulted = new Set<string>();
  const undeleted = new Map<string, OperationLabels>();
  const trail = new AuditTrail(auditLog(logger, sink));
  const about = (key: SyncKey) => {
    const uid = volumes.get(keyOf(key));
    return { key: keyOf(key), ...(uid !== undefined && { correlation_id: uid }) };
  };
  const endOf = (key: SyncKey, error?: unknown) => {
    const name = keyOf(key);
    if (defaulted.delete(name)) {
      record(metrics, 'retroactive_storageclass_total');
      if (error !== undefined) record(metrics, 'retroactive_storageclass_errors_total');
    }
    // An operation that failed makes its volume Failed before it throws: that is one error.
    const operation = failedOperation(error) ?? undeleted.get(name);
    if (operation !== undefined) {
      for (const each of OPERATION_ERRORS) recordSplit(metrics, each, 1, operation, hasDetail);
    }
    undeleted.delete(name);
    volumes.delete(name);
  };
  return {
    onStart: (key, messages, origin) => trail.started(key, messages, origin),
    onNote: (key, observation) => {
      if (DEFAULT_CLASS.test(observation)) defaulted.add(keyOf(key));
      if (trail.noted(key, observation) && isDebugging) logger.debug(shortened(observation), about(key));
    },
    onVolume: (key, uid) => {
      if (uid === undefined) volumes.delete(keyOf(key));
      else volumes.set(keyOf(key), uid);
    },
    onDone: (key, messages, durationMs) => {
      record(metrics, 'KeysSynced');
      record(metrics, 'SyncDuration', durationMs);
      const isSlow = durationMs > SLOW_MS;
      if (isSlow || isDebugging) {
        const fields = { ...about(key), messages: messages.length, ms: Math.round(durationMs) };
        logger[isSlow ? 'info' : 'debug']('synced', fields);
      }
      endOf(key);
    },
    onFailed: (key, error, { seconds, receiveCount }) => {
      const fields = { ...about(key), error: shortened(messageOf(error)), retryInSeconds: seconds, receiveCount };
      if (findCause(error, ConflictError) !== undefined) {
        record(metrics, 'Conflicts');
        logger.debug('conflict, will be tried again', fields);
      } else if (findCause(error, ThrottledError) !== undefined) {
        record(metrics, 'Throttled');
        logger.debug('the API server asks to wait', fields);
      } else {
        record(metrics, 'SyncFailures');
        logger.error('sync failed, will be tried again', fields);
      }
      endOf(key, error);
    },
    onSkipped: (key, why) => {
      record(metrics, 'KeysHandedBack');
      logger.debug('handed back unworked', { key, why });
    },
    onDeadLetter: ({ messageId }, error) => {
      record(metrics, 'DeadLetters');
      logger.error('message sent to the dead-letter queue', { messageId, error: shortened(messageOf(error)) });
    },
    onQueueError: (error) => {
      record(metrics, 'QueueErrors');
      logger.warn('the queue refused a request', { error: shortened(messageOf(error)) });
    },
    onContradiction: (key, error) => {
      record(metrics, 'Contradictions');
      logger.warn('objects contradict each other', { ...about(key), error: shortened(messageOf(error)) });
    },
    onFlip: (key, error) => {
      record(metrics, 'Flips');
      logger.error('somebody else keeps undoing this', { ...about(key), error: shortened(messageOf(error)) });
    },
    onPostponed: (key) => {
      record(metrics, 'Postponed');
      defaulted.delete(keyOf(key));
    },
    onTransition: (key, transition, written) => {
      trail.wrote(key, transition, written, volumes.get(keyOf(key)));
      const operation = failedDelete(transition, written);
      if (operation !== undefined) undeleted.set(keyOf(key), operation);
    },
    onVerdict: (key, writes) => {
      if (writes.length === 0) return;
      // The class was not written either.
      defaulted.delete(keyOf(key));
      record(metrics, 'Verdicts');
      const would = writes.map((write) =>
        write.verb === 'event'
          ? shortened(`event ${write.event.reason}: ${write.event.message}`)
          : `${write.verb} ${write.kind} ${write.object.metadata.name}`,
      );
      logger.info('would write', { ...about(key), would });
    },
  };
}
