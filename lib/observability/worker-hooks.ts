/** What a worker's hooks become in CloudWatch: log lines with the key and its volume, and counts. */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { Metrics } from '@aws-lambda-powertools/metrics';
import { ConflictError, findCause, messageOf, ThrottledError } from '../controller/errors.ts';
import type { SyncKey } from '../controller/types.ts';
import { keyOf } from '../queue/message.ts';
import type { KeyHooks } from '../worker/hooks.ts';
import type { Transition } from '../worker/transition.ts';
import { record } from './catalogue.ts';

/** The controller announces a phase before it writes it; the line that people read comes after the write. */
const ANNOUNCED_PHASE = /: phase .* -> /;

const DEBUG_LEVELS: ReadonlySet<string> = new Set(['TRACE', 'DEBUG']);

/** A sync that takes longer is worth a line at INFO. */
const SLOW_MS = 1_000;

/** Errors, notes and verdicts quote what users wrote, such as `spec.volumeName`, and no server limits all of it. */
const MAX_TEXT = 1_000;
const shown = (text: string) => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

/**
 * Every line about a key has it in `key`, and the uid of the volume that it is about in `correlation_id`, where that is
 * known. Conflicts and throttling are everyday business: debug lines and metrics of their own (DESIGN D10).
 * The level is asked for once, here, since no function changes it: to ask for it costs as much as a line that is not printed,
 * and notes are many.
 */
export function workerHooks(logger: Logger, metrics: Metrics): KeyHooks {
  const isDebugging = DEBUG_LEVELS.has(logger.getLevelName());
  // By key, as several are worked on at once; of one key there is one sync at a time.
  const volumes = new Map<string, string>();
  const about = (key: SyncKey) => {
    const uid = volumes.get(keyOf(key));
    return { key: keyOf(key), ...(uid !== undefined && { correlation_id: uid }) };
  };
  const onNote: NonNullable<KeyHooks['onNote']> = (key, observation) => {
    if (!ANNOUNCED_PHASE.test(observation)) logger.debug(shown(observation), about(key));
  };
  return {
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
      volumes.delete(keyOf(key));
    },
    onFailed: (key, error, { seconds, receiveCount }) => {
      const fields = { ...about(key), error: shown(messageOf(error)), retryInSeconds: seconds, receiveCount };
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
      volumes.delete(keyOf(key));
    },
    onSkipped: (key, why) => {
      record(metrics, 'KeysHandedBack');
      logger.debug('handed back unworked', { key, why });
    },
    onDeadLetter: ({ messageId }, error) => {
      record(metrics, 'DeadLetters');
      logger.error('message sent to the dead-letter queue', { messageId, error: shown(messageOf(error)) });
    },
    onQueueError: (error) => {
      record(metrics, 'QueueErrors');
      logger.warn('the queue refused a request', { error: shown(messageOf(error)) });
    },
    onContradiction: (key, error) => {
      record(metrics, 'Contradictions');
      logger.warn('objects contradict each other', { ...about(key), error: shown(messageOf(error)) });
    },
    onFlip: (key, error) => {
      record(metrics, 'Flips');
      logger.error('somebody else keeps undoing this', { ...about(key), error: shown(messageOf(error)) });
    },
    onTransition: (key, transition) => {
      const { of, name, from, to } = transition;
      logger.info(titleOf(transition), { ...about(key), changed: of, object: name, from: shown(from), to: shown(to) });
    },
    onVerdict: (key, writes) => {
      if (writes.length === 0) return;
      record(metrics, 'Verdicts');
      const would = writes.map((write) =>
        write.verb === 'event'
          ? shown(`event ${write.event.reason}: ${write.event.message}`)
          : `${write.verb} ${write.kind} ${write.object.metadata.name}`,
      );
      logger.info('would write', { ...about(key), would });
    },
    ...(isDebugging && { onNote }),
  };
}

/** Without names, so that lines can be counted by it. */
function titleOf({ kind, of, from, to }: Transition): string {
  const what = kind === 'PersistentVolume' ? 'volume' : 'claim';
  if (of === 'phase') return `${what} ${from} -> ${to}`;
  return to === 'none' ? `${what} unbound` : `${what} bound`;
}
