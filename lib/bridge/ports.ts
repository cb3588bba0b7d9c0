/** What the bridge needs of the world: something to watch, something to send to, the rules of the controller, a clock. */
import type { SeenChange } from '../audit/trail.ts';
import type { ClusterView } from '../controller/needs-sync.ts';
import type { SyncRules } from '../controller/ports.ts';
import type { Kinds, PersistentVolume, PersistentVolumeClaim, SyncKey } from '../controller/types.ts';
import type { Reason } from '../queue/message.ts';
import type { OutgoingMessage } from '../queue/producer.ts';

/** The resources that the bridge follows; pods are those of the recycler's namespace. */
export type WatchedKind = 'PersistentVolume' | 'PersistentVolumeClaim' | 'StorageClass' | 'Pod';

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  /** Nothing else changed up to this version. */
  | { readonly type: 'BOOKMARK'; readonly object: { readonly metadata: { readonly resourceVersion: string } } };

/** Lists and watches of the API server; `ApiServer` of lib/cluster is one. */
export interface WatchSource {
  /** @param map makes of each item what is kept, page by page, so that a long list fits in memory. */
  listWithVersion<K extends WatchedKind>(
    kind: K,
    options: { namespace?: string; signal: AbortSignal },
    map: (item: Kinds[K]) => Kinds[K],
  ): Promise<{ readonly items: Kinds[K][]; readonly resourceVersion: string }>;
  /** Ends when the server ends the watch; throws an error with `code` 410 when the version is too old. */
  watch<K extends WatchedKind>(
    kind: K,
    options: {
      namespace?: string;
      resourceVersion: string;
      signal: AbortSignal;
      idleTimeoutMs: number;
      /** Objects come with their managedFields. */
      withManagers?: boolean;
      /** Called when the server has accepted the watch, before its first event. */
      onOpen: () => void;
    },
  ): AsyncGenerator<WatchEvent<Kinds[K]>>;
}

/** The queues; `QueueProducer` of lib/queue is one. */
export interface Sender {
  /** Resolves when the queue has accepted all entries. One that was not is sent again under the same ids. */
  send(entries: readonly OutgoingMessage[], options: { signal: AbortSignal }): Promise<void>;
}

/** The rules that the bridge shares with the controller (lib/controller/needs-sync.ts). */
export interface Predicates {
  needsVolumeSync(view: ClusterView, volume: PersistentVolume, rules: SyncRules): boolean;
  needsClaimSync(view: ClusterView, claim: PersistentVolumeClaim, rules: SyncRules): boolean;
  couldBind(view: ClusterView, volume: PersistentVolume, claim: PersistentVolumeClaim, rules: SyncRules): boolean;
}

/** For metrics and logs. None may throw. */
export interface BridgeHooks {
  /** A change arrived from a watch, before anything was decided about it. */
  seen?(kind: WatchedKind, type: WatchEvent<unknown>['type']): void;
  /** A volume or a claim that was held has changed; `volumeUid` is that of the volume that it is about. */
  changed?(change: SeenChange, volumeUid: string | undefined): void;
  /** A key was looked at and needs nothing. */
  filtered?(key: SyncKey): void;
  /** The queue accepted a message; `volumeUid` is that of the volume that the key is about, where it has one. */
  sent?(kind: SyncKey['kind'], reason: Reason, key: SyncKey, volumeUid: string | undefined): void;
  /** A resource was listed: at the start, or because its watch was too old. */
  listed?(kind: WatchedKind, count: number): void;
  /** A claim was woken for a volume that became free. */
  woken?(claim: SyncKey, volumeName: string, volumeUid: string | undefined): void;
  /** Time from the arrival of an event to the acceptance of all that it caused. */
  lag?(kind: WatchedKind, ms: number): void;
  /** Something failed and will be tried again; `what` is a watched kind, `send`, `predicate`, `version` or `message` (dropped). */
  failed?(what: string, error: unknown): void;
}
