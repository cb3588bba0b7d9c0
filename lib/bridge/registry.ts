/**
 * What the bridge holds: slim copies of all volumes, claims and classes in their newest known state, indexed by who
 * names whom. The predicates read it as their view of the cluster.
 */
import { BIND_COMPLETED, claimKeyOf, hasAnnotation } from '../controller/annotations.ts';
import type { ClusterView } from '../controller/needs-sync.ts';
import { isCurrent } from '../controller/object-version.ts';
import type { ObjectKey, PersistentVolume, PersistentVolumeClaim, StorageClass, SyncKey } from '../controller/types.ts';
import { VolumeIndex } from '../controller/volume-index.ts';
import { Slimmer } from './slim.ts';
import { UnboundClaims } from './unbound-claims.ts';

/** The kinds that are held, and their types. */
export interface Held {
  PersistentVolume: PersistentVolume;
  PersistentVolumeClaim: PersistentVolumeClaim;
  StorageClass: StorageClass;
}
export type HeldKind = keyof Held;

/** A step of one object: `before` is absent when it was not held, `after` when it is gone. */
export interface Change<K extends HeldKind = HeldKind> {
  readonly kind: K;
  readonly before?: Held[K];
  readonly after?: Held[K];
}

/** The bridge's memory. It takes an object in only when it is newer than the one held (BEHAVIOUR 2.3). */
export class Registry implements ClusterView {
  readonly volumes = new VolumeIndex();
  readonly #claims = new Map<string, PersistentVolumeClaim>();
  readonly #classes = new Map<string, StorageClass>();
  /** Keys of the claims that name a volume: mostly one, so no set is made for it. */
  readonly #naming = new Map<string, string | Set<string>>();
  readonly #unbound = new UnboundClaims();
  readonly #slim = new Slimmer();
  readonly #onBadVersion: (error: unknown) => void;

  /** @param onBadVersion an object's resourceVersion is no number; the object is taken as the newest. */
  constructor(onBadVersion: (error: unknown) => void = () => {}) {
    this.#onBadVersion = onBadVersion;
  }

  volume(name: string): PersistentVolume | undefined {
    return this.volumes.get(name);
  }

  claim({ namespace, name }: ObjectKey): PersistentVolumeClaim | undefined {
    return this.#claims.get(`${namespace}/${name}`);
  }

  claims(): Iterable<PersistentVolumeClaim> {
    return this.#claims.values();
  }

  storageClass(name: string): StorageClass | undefined {
    return this.#classes.get(name);
  }

  storageClasses(): Iterable<StorageClass> {
    return this.#classes.values();
  }

  /** The claims whose `volumeName` is this volume. */
  claimsNaming(volumeName: string): PersistentVolumeClaim[] {
    const keys = this.#naming.get(volumeName);
    const all = keys === undefined ? [] : typeof keys === 'string' ? [keys] : [...keys];
    return all.flatMap((key) => this.#claims.get(key) ?? []);
  }

  /** The claims of a class that never finished a binding, the oldest first. */
  unboundClaims(storageClass: string): Iterable<PersistentVolumeClaim> {
    return this.#unbound.ofClass(storageClass);
  }

  /** The held volume or claim of that key. */
  object(key: SyncKey): PersistentVolume | PersistentVolumeClaim | undefined {
    return key.kind === 'PersistentVolume' ? this.volume(key.name) : this.claim(key);
  }

  /** All objects of a kind. What changes while this is read may come twice. */
  objects(kind: SyncKey['kind']): Iterable<PersistentVolume | PersistentVolumeClaim> {
    return kind === 'PersistentVolume' ? this.volumes.values() : this.#claims.values();
  }

  /** What is kept of an object. Of a slim one that is all of it. */
  slim<K extends HeldKind>(kind: K, object: Held[K]): Held[K] {
    if (kind === 'PersistentVolume') return this.#slim.volume(object as PersistentVolume) as Held[K];
    if (kind === 'StorageClass') return this.#slim.storageClass(object as StorageClass) as Held[K];
    return this.#slim.claim(object as PersistentVolumeClaim) as Held[K];
  }

  /** Takes an object in. @returns undefined when a newer one is held. */
  set<K extends HeldKind>(kind: K, object: Held[K]): Change<K> | undefined {
    const before = this.#get(kind, object);
    if (before !== undefined && !this.#isCurrent(kind, before, object)) return undefined;
    const after = this.#store(kind, before, object);
    return before === undefined ? { kind, after } : { kind, before, after };
  }

  /** Lets go of an object. @returns undefined when it is not held, or a newer one is. */
  delete<K extends HeldKind>(kind: K, object: Held[K]): Change<K> | undefined {
    const before = this.#get(kind, object);
    if (before === undefined || !this.#isCurrent(kind, before, object)) return undefined;
    this.#drop(kind, before);
    return { kind, before };
  }

  /**
   * Takes a list in. It is the truth whatever the versions say: they start again when a cluster is restored.
   * @returns what it changes: objects that are new, of another version, or gone.
   */
  replace<K extends HeldKind>(kind: K, items: readonly Held[K][]): Change<K>[] {
    const changes: Change<K>[] = [];
    const listed = new Set(items.map((item) => nameOf(item)));
    for (const held of [...this.#all(kind)]) {
      if (listed.has(nameOf(held))) continue;
      this.#drop(kind, held);
      changes.push({ kind, before: held });
    }
    for (const item of items) {
      const before = this.#get(kind, item);
      if (before !== undefined && before.metadata.resourceVersion === item.metadata.resourceVersion) continue;
      const after = this.#store(kind, before, item);
      changes.push(before === undefined ? { kind, after } : { kind, before, after });
    }
    return changes;
  }

  #isCurrent(kind: HeldKind, held: Held[HeldKind], received: Held[HeldKind]): boolean {
    try {
      const version = received.metadata.resourceVersion ?? '';
      return isCurrent(held.metadata.resourceVersion, version, `${kind} "${nameOf(received)}"`);
    } catch (error) {
      this.#onBadVersion(error);
      return true;
    }
  }

  #get<K extends HeldKind>(kind: K, object: Held[K]): Held[K] | undefined {
    const name = nameOf(object);
    if (kind === 'PersistentVolume') return this.volumes.get(name) as Held[K] | undefined;
    return (kind === 'StorageClass' ? this.#classes : this.#claims).get(name) as Held[K] | undefined;
  }

  #all<K extends HeldKind>(kind: K): Iterable<Held[K]> {
    if (kind === 'PersistentVolume') return this.volumes.values() as Iterable<Held[K]>;
    return (kind === 'StorageClass' ? this.#classes : this.#claims).values() as Iterable<Held[K]>;
  }

  /** @returns the slim copy that is held from now on. */
  #store<K extends HeldKind>(kind: K, before: Held[K] | undefined, object: Held[K]): Held[K] {
    const after = this.slim(kind, object);
    if (kind === 'PersistentVolume') {
      this.volumes.set(after as PersistentVolume);
    } else if (kind === 'StorageClass') {
      this.#classes.set(after.metadata.name, after as StorageClass);
    } else {
      this.#storeClaim(before as PersistentVolumeClaim | undefined, after as PersistentVolumeClaim);
    }
    return after;
  }

  #storeClaim(before: PersistentVolumeClaim | undefined, claim: PersistentVolumeClaim): void {
    const key = claimKeyOf(claim);
    this.#claims.set(key, claim);
    if (before?.spec.volumeName !== claim.spec.volumeName) {
      if (before?.spec.volumeName) this.#forgetNaming(before.spec.volumeName, key);
      if (claim.spec.volumeName) this.#addNaming(claim.spec.volumeName, key);
    }
    const wasUnbound = before !== undefined && isUnbound(before);
    if (wasUnbound && isUnbound(claim)) this.#unbound.replace(before, claim);
    else if (wasUnbound) this.#unbound.delete(before);
    else if (isUnbound(claim)) this.#unbound.add(claim);
  }

  #drop(kind: HeldKind, object: Held[HeldKind]): void {
    if (kind === 'PersistentVolume') {
      this.volumes.delete(object.metadata.name);
    } else if (kind === 'StorageClass') {
      this.#classes.delete(object.metadata.name);
    } else {
      const claim = object as PersistentVolumeClaim;
      this.#claims.delete(claimKeyOf(claim));
      if (claim.spec.volumeName) this.#forgetNaming(claim.spec.volumeName, claimKeyOf(claim));
      this.#unbound.delete(claim);
    }
  }

  #addNaming(volumeName: string, key: string): void {
    const keys = this.#naming.get(volumeName);
    if (keys === undefined) this.#naming.set(volumeName, key);
    else if (typeof keys === 'string') this.#naming.set(volumeName, new Set([keys, key]));
    else keys.add(key);
  }

  #forgetNaming(volumeName: string, key: string): void {
    const keys = this.#naming.get(volumeName);
    if (typeof keys === 'object') keys.delete(key);
    if (keys === key || (typeof keys === 'object' && keys.size === 0)) this.#naming.delete(volumeName);
  }
}

/** Whether the claim is on the controller's unbound path. */
export function isUnbound(claim: PersistentVolumeClaim): boolean {
  return !hasAnnotation(claim, BIND_COMPLETED);
}

/** The key of a volume or a claim: what its queue message names. */
export function syncKeyOf(kind: SyncKey['kind'], { metadata }: PersistentVolume | PersistentVolumeClaim): SyncKey {
  if (kind === 'PersistentVolume') return { kind, name: metadata.name };
  return { kind, namespace: metadata.namespace ?? '', name: metadata.name };
}

/** Unique among the objects of one kind. */
function nameOf({ metadata }: Held[HeldKind]): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}
