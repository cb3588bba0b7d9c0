/**
 * One key from the queue to the controller: builds the surroundings of a sync (reach.ts), runs it, and says how it went.
 * In observe mode the very same sync runs over a recording cluster, and its verdict is told instead of written.
 */
import { ClusterError, findCause, messageOf, OperationError, StateError } from '../controller/errors.ts';
import { PluginRegistry } from '../controller/plugins.ts';
import type { Note, RunOperation, SyncContext } from '../controller/ports.ts';
import { type DeletedObject, reconcile } from '../controller/reconcile.ts';
import type { SyncKey } from '../controller/types.ts';
import type { SyncMessage } from '../queue/message.ts';
import type { CallInfo, Postponement } from '../queue/worker.ts';
import { FlipError } from './flip-detector.ts';
import { createReach } from './reach.ts';
import type { SyncHooks, SyncSurroundings } from './surroundings.ts';
import { clockUntil, poolUntil } from './sync-pool.ts';

export type { Mode } from './mode.ts';

/**
 * @returns the `handle` of a batch handler. It rejects when the key is to be tried again, and resolves to a postponement
 * when assist has to look again after the grace time.
 */
export function createSyncKey(surroundings: SyncSurroundings, hooks: SyncHooks = {}) {
  const reachOf = createReach(surroundings);
  return async (key: SyncKey, messages: readonly SyncMessage[], info: CallInfo): Promise<Postponement | undefined> => {
    hooks.onStart?.(key, messages, info);
    hooks.onVolume?.(key, volumeUidOf(key, messages));
    const rules = await surroundings.rules(info.signal);
    const note = noteFor(key, hooks);
    const reach = reachOf(key, info, rules, note, hooks);
    const ctx: SyncContext = {
      ...rules,
      cluster: reach.cluster,
      pool: poolUntil(info.signal, reach.pool),
      plugins: new PluginRegistry(reach.plugins),
      enqueue: reach.enqueue,
      runOperation,
      clock: clockUntil(info.signal),
      note,
      redelivered: info.receiveCount > 1,
    };
    try {
      await reconcile(ctx, workOf(key, messages));
    } catch (error) {
      const contradiction = findCause(error, StateError);
      const flip = findCause(error, FlipError);
      if (contradiction !== undefined) hooks.onContradiction?.(key, contradiction);
      else if (flip !== undefined) hooks.onFlip?.(key, flip);
      else throw error;
    }
    const { verdict, postponement } = reach.end();
    if (verdict !== undefined) hooks.onVerdict?.(key, verdict);
    if (postponement !== undefined) hooks.onVolume?.(key, undefined); // listeners forget it, as after any end of a sync
    return postponement;
  };
}

function volumeUidOf({ kind }: SyncKey, messages: readonly SyncMessage[]): string | undefined {
  if (kind !== 'PersistentVolume') return undefined;
  return messages.findLast(({ uid }) => uid !== undefined)?.uid;
}

/** Messages of one key, united: every deletion that was seen counts, and the newest hint. */
function workOf(key: SyncKey, messages: readonly SyncMessage[]) {
  const deleted = messages.flatMap((message): DeletedObject[] =>
    message.deleted === undefined ? [] : [{ uid: message.uid ?? '', ...message.deleted }],
  );
  const hint = messages.findLast((message) => message.hint !== undefined)?.hint?.volumeName;
  return { key, deleted, ...(hint === undefined ? {} : { hint }) };
}

/** A failed plugin operation gets the operation back-off; an API server that did not answer gets the sync's. */
const runOperation: RunOperation = async (name, operation) => {
  try {
    await operation();
  } catch (error) {
    if (findCause(error, ClusterError) !== undefined) throw error;
    throw new OperationError(`operation ${name}: ${messageOf(error)}`, { cause: error });
  }
};

function noteFor(key: SyncKey, { onNote }: SyncHooks): Note {
  return onNote === undefined ? () => {} : (observation) => onNote(key, observation);
}
