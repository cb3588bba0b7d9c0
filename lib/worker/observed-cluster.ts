/**
 * The cluster of one key's sync, which tells what goes through it: the volume that the key is about, whose uid every log
 * line of the key carries, and what was written. The controller knows nothing of it.
 */
import type { Written } from '../audit/record.ts';
import type { Cluster, ObjectEvent } from '../controller/ports.ts';
import type { Kind, Kinds, ObjectKey, PersistentVolume, PersistentVolumeClaim, SyncKey } from '../controller/types.ts';
import type { FlipDetector } from './flip-detector.ts';
import { type Transition, transitionsOf, type WriteVerb } from './transition.ts';

/** Told what a sync meets. None may throw: it would fail the sync. */
export interface ClusterListener {
  /** The volume of this key, or the one that the claim of this key is bound to or names. May come often. */
  readonly onVolume?: (uid: string) => void;
  /** After a write that succeeded. */
  readonly onTransition?: (transition: Transition, written: Written) => void;
  /** Keeps the sync from going on with what somebody else keeps undoing. */
  readonly flips?: FlipDetector;
}

/** See the head of this file. It holds the objects that one sync met, so it is made for each sync. */
export class ObservedCluster implements Cluster {
  readonly #key: SyncKey;
  readonly #behind: Cluster;
  readonly #listener: ClusterListener;
  readonly #seen = new Map<string, Kinds[Kind]>();
  /** The volume that the claim of this key names. */
  #named: string | undefined;

  constructor(key: SyncKey, behind: Cluster, listener: ClusterListener) {
    this.#key = key;
    this.#behind = behind;
    this.#listener = listener;
  }

  async get<K extends Kind>(kind: K, key: ObjectKey): Promise<Kinds[K] | undefined> {
    const read = await this.#behind.get(kind, key);
    if (read !== undefined) this.#see(kind, read);
    return read;
  }

  list<K extends Kind>(kind: K, options?: { namespace?: string; fieldSelector?: string }): Promise<Kinds[K][]> {
    return this.#behind.list(kind, options);
  }

  async create<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    return this.#wrote('create', kind, await this.#behind.create(kind, object));
  }

  async update<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    return this.#update('update', kind, object);
  }

  async updateStatus<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    return this.#update('updateStatus', kind, object);
  }

  async delete<K extends Kind>(kind: K, object: Kinds[K]): Promise<void> {
    await this.#behind.delete(kind, object);
    this.#wrote('delete', kind, object);
  }

  event(event: ObjectEvent): Promise<void> {
    return this.#behind.event(event);
  }

  /** @throws FlipError before it writes. */
  async #update<K extends Kind>(verb: 'update' | 'updateStatus', kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    const { flips } = this.#listener;
    const before = this.#seen.get(nameOf(kind, object.metadata));
    if (flips === undefined || before === undefined || !isSynced(kind)) {
      return this.#wrote(verb, kind, await this.#behind[verb](kind, object));
    }
    flips.check(kind, before as Synced, object as Synced);
    const written = this.#wrote(verb, kind, await this.#behind[verb](kind, object));
    flips.wrote(before as Synced, written as Synced);
    return written;
  }

  #wrote<K extends Kind>(verb: WriteVerb, kind: K, object: Kinds[K]): Kinds[K] {
    const before = this.#seen.get(nameOf(kind, object.metadata));
    this.#see(kind, object);
    const written = { before: before as Written['before'], after: object as Written['after'] };
    for (const transition of transitionsOf(verb, kind, before, object))
      this.#listener.onTransition?.(transition, written);
    return object;
  }

  #see(kind: Kind, object: Kinds[Kind]): void {
    this.#seen.set(nameOf(kind, object.metadata), object);
    if (kind === 'PersistentVolumeClaim' && nameOf(kind, object.metadata) === nameOf(this.#key.kind, this.#key)) {
      this.#named = (object as PersistentVolumeClaim).spec.volumeName;
    }
    const { uid } = object.metadata;
    if (kind === 'PersistentVolume' && uid !== undefined && this.#isAbout(object as PersistentVolume)) {
      this.#listener.onVolume?.(uid);
    }
  }

  /** A claim's sync may read volumes that it then does not take: those are not what it is about. */
  #isAbout({ metadata, spec }: PersistentVolume): boolean {
    const { kind, namespace, name } = this.#key;
    if (kind === 'PersistentVolume') return metadata.name === name;
    return metadata.name === this.#named || (spec.claimRef?.namespace === namespace && spec.claimRef?.name === name);
  }
}

type Synced = PersistentVolume | PersistentVolumeClaim;

function isSynced(kind: Kind): kind is SyncKey['kind'] {
  return kind === 'PersistentVolume' || kind === 'PersistentVolumeClaim';
}

function nameOf(kind: Kind, { namespace = '', name }: ObjectKey): string {
  return `${kind}/${namespace}/${name}`;
}
