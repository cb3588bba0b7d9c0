/** What the sync of a key is given, and whom it tells. */
import type { Written } from '../audit/record.ts';
import type { RecordedWrite } from '../cluster/recording.ts';
import type { StateError } from '../controller/errors.ts';
import type { VolumePlugin } from '../controller/plugins.ts';
import type { Cluster, Enqueue, SyncRules, VolumePool } from '../controller/ports.ts';
import type { SyncKey } from '../controller/types.ts';
import type { SyncMessage } from '../queue/message.ts';
import type { CallInfo } from '../queue/worker.ts';
import type { FlipDetector, FlipError } from './flip-detector.ts';
import type { Mode } from './mode.ts';
import type { Transition } from './transition.ts';

/** What syncs work with; whatever takes a signal gives up when that key's time is over. */
export interface SyncSurroundings {
  /** The deployment's. */
  readonly mode: Mode;
  /** The most that an annotation gets; the deployment's mode unless given. */
  readonly maxMode?: Mode;
  /** Milliseconds for which assist leaves an unsettled object to others; a minute unless given. */
  readonly graceMs?: number;
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
  /** A sync begins, for these messages. */
  readonly onStart?: (key: SyncKey, messages: readonly SyncMessage[], info: CallInfo) => void;
  /**
   * Which volume the key is about: told at the start of a sync with what the messages say (undefined: nothing), and again
   * whenever the sync meets the volume.
   */
  readonly onVolume?: (key: SyncKey, uid: string | undefined) => void;
  /** A phase or a binding was written; never in observe mode. */
  readonly onTransition?: (key: SyncKey, transition: Transition, written: Written) => void;
  /** What the sync would have written, where its mode or the mode of an object kept it from that. */
  readonly onVerdict?: (key: SyncKey, writes: readonly RecordedWrite[]) => void;
  /** The objects contradict each other; the key is done until one of them changes. */
  readonly onContradiction?: (key: SyncKey, error: StateError) => void;
  /** Somebody else keeps undoing what this sync would write; the key is done for now. */
  readonly onFlip?: (key: SyncKey, error: FlipError) => void;
  /** An annotation asks for a mode that does not exist: its object is only observed. */
  readonly onUnknownMode?: (key: SyncKey, value: string) => void;
  readonly onNote?: (key: SyncKey, observation: string) => void;
}
