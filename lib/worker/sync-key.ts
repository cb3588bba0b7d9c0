/**
 * One key from the queue to the controller: builds the surroundings of a sync, runs it, and says how it went. In observe
 * mode the very same sync runs over a recording cluster, and its verdict is told instead of written.
 */
import { type RecordedWrite, RecordingCluster } from '../cluster/recording.ts';
import { ClusterError, findCause, messageOf, OperationError, StateError } from '../controller/errors.ts';
import { PluginRegistry, type VolumePlugin } from '../controller/plugins.ts';
import type { Cluster, Enqueue, Note, RunOperation, SyncContext, SyncRules, VolumePool } from '../controller/ports.ts';
import { type DeletedObject, reconcile } from '../controller/reconcile.ts';
import type { SyncKey } from '../controller/types.ts';
import type { SyncMessage } from '../queue/message.ts';
import type { CallInfo } from '../queue/worker.ts';
import { dryPlugin } from './dry-plugin.ts';
import { type FlipDetector, FlipError } from './flip-detector.ts';
import { ObservedCluster } from './observed-cluster.ts';
import type { Transition } from './transition.ts';

export type Mode = 'observe' | 'enforce';

/** What syncs work with; whatever takes a signal gives up when that key's time is over. */
export interface SyncSurroundings {
  readonly mode: Mode;
  /** The cluster, with every request bound to a signal. */
  readonly cluster: (signal: AbortSignal) => Cluster;
  readonly pool: VolumePool;
  /** Gives up sending when the signal is aborted. */
  readonly enqueue: (signal: AbortSignal) => Enqueue;
  /** In-tree plugins that work through this cluster. */
  readonly plugins: (cluster: Cluster) => readonly VolumePlugin[];
  readonly rules: (signal: AbortSignal) => Promise<Omit<SyncRules, 'plugins'>>;
  readonly flips: FlipDetector;
}

/** Told what a sync found out. None may throw: it would fail the key. */
export interface SyncHooks {
  /**
   * Which volume the key is about: told at the start of a sync with what the messages say (undefined: nothing), and again
   * whenever the sync meets the volume.
   */
  readonly onVolume?: (key: SyncKey, uid: string | undefined) => void;
  /** A phase or a binding was written; never in observe mode. */
  readonly onTransition?: (key: SyncKey, transition: Transition) => void;
  /** Observe mode: what the sync would have written. */
  readonly onVerdict?: (key: SyncKey, writes: readonly RecordedWrite[]) => void;
  /** The objects contradict each other; the key is done until one of them changes. */
  readonly onContradiction?: (key: SyncKey, error: StateError) => void;
  /** Somebody else keeps undoing what this sync would write; the key is done for now. */
  readonly onFlip?: (key: SyncKey, error: FlipError) => void;
  readonly onNote?: (key: SyncKey, observation: string) => void;
}

/** @returns the `handle` of a batch handler. It rejects when the key is to be tried again. */
export function createSyncKey(surroundings: SyncSurroundings, hooks: SyncHooks = {}) {
  return async (key: SyncKey, messages: readonly SyncMessage[], info: CallInfo): Promise<void> => {
    hooks.onVolume?.(key, volumeUidOf(key, messages));
    const rules = await surroundings.rules(info.signal);
    const live = surroundings.cluster(info.signal);
    const recording = surroundings.mode === 'observe' ? new RecordingCluster(live) : undefined;
    const cluster = new ObservedCluster(key, recording ?? live, {
      onVolume: (uid) => hooks.onVolume?.(key, uid),
      ...(recording === undefined && {
        onTransition: (transition) => hooks.onTransition?.(key, transition),
        flips: surroundings.flips,
      }),
    });
    const plugins = surroundings.plugins(cluster);
    const ctx: SyncContext = {
      ...rules,
      cluster,
      pool: poolUntil(info.signal, recording === undefined ? surroundings.pool : readOnlyPool(surroundings.pool)),
      plugins: new PluginRegistry(recording === undefined ? plugins : plugins.map(dryPlugin)),
      enqueue: recording === undefined ? surroundings.enqueue(info.signal) : async () => {},
      runOperation,
      clock: clockUntil(info.signal),
      note: noteFor(key, hooks),
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
    if (recording !== undefined) hooks.onVerdict?.(key, recording.recorded);
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

/** What a recorded sync believes to have written must not enter the pool of real volumes. */
function readOnlyPool(pool: VolumePool): VolumePool {
  return { volumes: (maxAgeMs) => pool.volumes(maxAgeMs), drop: () => {}, hold: () => () => {}, store: () => {} };
}

/** A refresh is shared by all keys, so a key whose time is up leaves it; the end of the invocation ends it. */
function poolUntil(signal: AbortSignal, pool: VolumePool): VolumePool {
  return {
    volumes: (maxAgeMs) => {
      const found = pool.volumes(maxAgeMs);
      // What is there at once is no wait: the next request sees the signal.
      return found instanceof Promise ? unlessAborted(signal, found) : found;
    },
    drop: (name, resourceVersion) => pool.drop(name, resourceVersion),
    hold: (name, claim) => pool.hold(name, claim),
    store: (volume) => pool.store(volume),
  };
}

async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function clockUntil(signal: AbortSignal): SyncContext['clock'] {
  return {
    now: () => Date.now(),
    sleep: (ms) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const onAbort = () => {
          clearTimeout(timer);
          reject(signal.reason);
        };
        const timer = setTimeout(() => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        }, ms);
        signal.addEventListener('abort', onAbort, { once: true });
      }),
  };
}

function noteFor(key: SyncKey, { onNote }: SyncHooks): Note {
  return onNote === undefined ? () => {} : (observation) => onNote(key, observation);
}
