/**
 * All that the controller knows of the world: a cluster, a queue to put keys in, a clock.
 * Adapters live in lib/cluster and lib/queue; a recording cluster behind the same port answers "what would happen".
 */
import type { Features } from './features.ts';
import type { MigrationTable } from './migration.ts';
import type { PluginRegistry } from './plugins.ts';
import type { Kind, Kinds, ObjectKey, SyncKey } from './types.ts';
import type { VolumeIndex } from './volume-index.ts';

/** The API server. Every method may throw a `ClusterError`; none of them retries a write by itself. */
export interface Cluster {
  /**
   * Quorum read (a GET without resourceVersion).
   * @returns undefined only when the server has proven that the object is gone.
   */
  get<K extends Kind>(kind: K, key: ObjectKey): Promise<Kinds[K] | undefined>;
  /** All objects of a kind, or of one namespace; `fieldSelector` as the API server takes it. */
  list<K extends Kind>(kind: K, options?: { namespace?: string; fieldSelector?: string }): Promise<Kinds[K][]>;
  /** @throws AlreadyExistsError when the name is taken. */
  create<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]>;
  /** Replaces everything but the status. @throws ConflictError when `metadata.resourceVersion` is not the stored one. */
  update<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]>;
  /** Replaces the status only. @throws ConflictError as `update`. */
  updateStatus<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]>;
  /** Deletes with uid and resourceVersion of `object` as preconditions. An object already gone is success. */
  delete<K extends Kind>(kind: K, object: Kinds[K]): Promise<void>;
  /** Emits a core/v1 Event. Never throws: an event that cannot be written is counted and forgotten. */
  event(event: ObjectEvent): Promise<void>;
}

/** An event about a volume or a claim, for its user (BEHAVIOUR 1.3). */
export interface ObjectEvent {
  readonly kind: 'PersistentVolume' | 'PersistentVolumeClaim';
  readonly object: Kinds['PersistentVolume'] | Kinds['PersistentVolumeClaim'];
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Volumes to choose from (DESIGN D7): used optimistically, so a write must still win by its resourceVersion. */
export interface VolumePool {
  /**
   * The volumes as they were at most `maxAgeMs` ago; 0 asks for the state of now. A promise only where something must be
   * waited for.
   */
  volumes(maxAgeMs: number): VolumeIndex | Promise<VolumeIndex>;
  /** A write to this volume at this version conflicted: what the pool holds of it is old, unless it is newer by now. */
  drop(name: string, resourceVersion?: string): void;
  /**
   * Keeps a free volume from being chosen for another claim, from the choice to the write: claims that are synced side by
   * side would fight for it.
   * @param claim uid of the claim that it is chosen for: a second worker of that claim may choose it too.
   * @returns ends that; to be called in every case.
   */
  hold(name: string, claim: string): () => void;
  /** Takes the result of an own write or read, so that it is visible before its event. */
  store(volume: Kinds['PersistentVolume']): void;
}

/** The change that led to an enqueue; it names the deduplication id (DESIGN D2). */
export interface Cause {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Puts a key into its queue. */
export type Enqueue = (key: SyncKey, cause: Cause, hint?: { volumeName: string }) => Promise<void>;

/** Runs a plugin operation under its upstream name, e.g. `delete-<pv>[<uid>]`. */
export type RunOperation = (name: string, operation: () => Promise<void>) => Promise<void>;

/** Takes down what a branch of the state machine observed: the debug log, and later what `explain` says. */
export type Note = (observation: string) => void;

/** Time, as something that tests can replace. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(ms: number): Promise<void>;
}

/** The settings that change what a sync does. */
export interface ControllerSettings {
  /** BEHAVIOUR 1.4 `enable-dynamic-provisioning`. */
  readonly dynamicProvisioning: boolean;
  /** Attempts to save a provisioned volume, and to clean up after that failed. */
  readonly createVolumeAttempts: number;
  readonly createVolumeIntervalMs: number;
  /** Volumes are chosen from a pool at most this old; a newer volume wakes the claim by its own event (DESIGN D7). */
  readonly poolMaxAgeMs: number;
}

/** What decides besides the objects themselves: the same for a sync and for the bridge's predicate. */
export interface SyncRules {
  readonly plugins: PluginRegistry;
  readonly features: Features;
  readonly migration: MigrationTable;
  readonly settings: ControllerSettings;
}

/** Everything that one sync works with. */
export interface SyncContext extends SyncRules {
  readonly cluster: Cluster;
  readonly pool: VolumePool;
  readonly enqueue: Enqueue;
  readonly runOperation: RunOperation;
  readonly clock: Clock;
  readonly note: Note;
  /** The key was tried before: choose from the newest volumes only. */
  readonly redelivered: boolean;
  /** Whether this very object is the answer that the sync waited for last. Where it is left out, nothing counts as such. */
  readonly isJustRead?: (object: Kinds[Kind]) => boolean;
}
