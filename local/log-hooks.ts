/** What happens in the system, as log lines of the local programs. */
import type { BridgeHooks } from '../lib/bridge/ports.ts';
import type { RecordedWrite } from '../lib/cluster/recording.ts';
import { ConflictError, findCause, messageOf, ThrottledError } from '../lib/controller/errors.ts';
import type { SyncKey } from '../lib/controller/types.ts';
import type { KeyHooks } from '../lib/worker/hooks.ts';
import { unknownMode } from '../lib/worker/mode.ts';
import type { Transition } from '../lib/worker/transition.ts';
import type { Log } from './log.ts';

/** Log lines about keys: failures are warnings, but conflicts and throttling, which are usual, are debug lines. */
export function logKeys(log: Log): KeyHooks {
  return {
    onDone: (key, messages, ms) => log.debug(`${nameOf(key)}: synced in ${ms.toFixed(0)} ms (${messages[0]?.reason})`),
    onFailed: (key, error, { seconds }) => {
      const usual = findCause(error, ConflictError) ?? findCause(error, ThrottledError);
      const text = `${nameOf(key)}: ${messageOf(error)}; again in ${seconds} s`;
      if (usual === undefined) log.warn(text);
      else log.debug(text);
    },
    onSkipped: (key, why) => log.debug(`${key}: handed back (${why})`),
    onDeadLetter: (_record, error) => log.error(`${error.message}: sent to the dead-letter queue`),
    onQueueError: (error) => log.warn(`queue: ${messageOf(error)}`),
    onContradiction: (key, error) => log.warn(`${nameOf(key)}: ${messageOf(error)}`),
    onVerdict: (key, writes) => {
      for (const write of writes) {
        const what =
          write.verb === 'event'
            ? `say ${write.event.type} ${write.event.reason}: ${write.event.message}`
            : `${write.verb} ${write.kind} ${write.object.metadata.name}${phaseIn(write)}`;
        log.info(`${nameOf(key)}: would ${what}`);
      }
    },
    // The controller notes a phase before it writes it, and the write may fail: what people read is the transition.
    onTransition: (key, transition) => log.info(`${nameOf(key)}: ${textOf(transition)}`),
    onNote: (key, observation) => log.debug(`${nameOf(key)}: ${observation}`),
  };
}

/** Log lines about modes: an annotation that is none, and what assist comes back for. */
export function logModes(log: Log): KeyHooks {
  return {
    onUnknownMode: (key, value) => log.warn(`${nameOf(key)}: ${unknownMode(value)}`),
    onPostponed: (key, seconds) => log.debug(`${nameOf(key)}: left to others, looked at again in ${seconds} s`),
  };
}

function phaseIn({ verb, object }: Extract<RecordedWrite, { object: object }>): string {
  const { status } = object as { status?: { phase?: string } };
  return verb === 'updateStatus' && status?.phase !== undefined ? ` (phase ${status.phase})` : '';
}

function textOf({ kind, name, of, from, to }: Transition): string {
  const what = `${kind === 'PersistentVolume' ? 'volume' : 'claim'} ${name}`;
  if (of === 'phase') return `${what}: phase ${from} -> ${to}`;
  return to === 'none' ? `${what}: unbound from ${from}` : `${what}: bound to ${to}`;
}

/** Log lines about the bridge; single keys are debug lines. */
export function logBridge(log: Log): BridgeHooks {
  return {
    listed: (kind, count) => log.info(`bridge: ${count} ${kind} objects listed`),
    sent: (kind, reason) => log.debug(`bridge: ${kind} key sent (${reason})`),
    woken: ({ namespace, name }, volume) => log.debug(`bridge: claim ${namespace}/${name} woken for volume ${volume}`),
    failed: (what, error) => log.warn(`bridge: ${what}: ${messageOf(error)}; will be tried again`),
  };
}

/** A key as people write it: `pv/<name>` or `pvc/<namespace>/<name>`. */
export function nameOf({ kind, namespace, name }: SyncKey): string {
  return kind === 'PersistentVolume' ? `pv/${name}` : `pvc/${namespace}/${name}`;
}
