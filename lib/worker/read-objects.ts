/**
 * The volumes and claims that one sync has read or written, as the API server has them: what a write is made of, who the other
 * half is, and how long others had left them alone.
 */
import { ConflictError } from '../controller/errors.ts';
import type { Cluster } from '../controller/ports.ts';
import type { Kind, Kinds, ObjectKey, PersistentVolume, PersistentVolumeClaim, SyncKey } from '../controller/types.ts';

/** What has a phase, and a partner. */
export type Held = PersistentVolume | PersistentVolumeClaim;

/** See the head of this file; made for each sync. */
export class ReadObjects {
  readonly #reader: Pick<Cluster, 'get'>;
  readonly #stored = new Map<string, Held>();
  readonly #found = new Map<string, Held>();
  #first: Held | undefined;

  /** @param reader reads what the sync itself did not, and tells this of it. */
  constructor(reader: Pick<Cluster, 'get'>) {
    this.#reader = reader;
  }

  /** What the sync read first: the object of its key. */
  get first(): Held | undefined {
    return this.#first;
  }

  /** What was read, and not what was written since: that says nothing of how long others had left it alone. */
  get found(): Iterable<Held> {
    return this.#found.values();
  }

  read(kind: SyncKey['kind'], object: Held): void {
    const name = nameOf(kind, object.metadata);
    this.#found.set(name, object);
    this.#first ??= object;
    this.#stored.set(name, object);
  }

  wrote(kind: SyncKey['kind'], object: Held): void {
    this.#stored.set(nameOf(kind, object.metadata), object);
  }

  /** The volume that an object is, or that a claim names, as far as this sync has met it. */
  volumeOf(object: Held): PersistentVolume | undefined {
    const name = isVolume(object) ? object.metadata.name : object.spec.volumeName;
    const stored = name ? this.#stored.get(nameOf('PersistentVolume', { name })) : undefined;
    return (stored ?? (isVolume(object) ? object : undefined)) as PersistentVolume | undefined;
  }

  /** The claim in a volume's claimRef, or the volume that a claim names. */
  async partnerOf(object: Held): Promise<Held | undefined> {
    if (!isVolume(object)) {
      const { volumeName } = object.spec;
      return volumeName ? await this.#storedOf('PersistentVolume', { name: volumeName }) : undefined;
    }
    const { namespace, name } = object.spec.claimRef ?? {};
    return namespace && name ? await this.#storedOf('PersistentVolumeClaim', { namespace, name }) : undefined;
  }

  /**
   * The stored object that a write is to replace; what is chosen from the pool was read by others, so it is read now.
   * @throws ConflictError when its version is another one: what was decided, was decided about something else.
   */
  async before(kind: SyncKey['kind'], { metadata }: Held): Promise<Held | undefined> {
    const { namespace, name, resourceVersion } = metadata;
    const key = namespace === undefined ? { name } : { namespace, name };
    const seen = this.#stored.get(nameOf(kind, key));
    if (seen !== undefined && seen.metadata.resourceVersion === resourceVersion) return seen;
    const read = await this.#reader.get(kind, key);
    if (read !== undefined && read.metadata.resourceVersion !== resourceVersion) {
      throw new ConflictError(`${kind} ${name} changed since it was looked at`);
    }
    return read;
  }

  async #storedOf(kind: SyncKey['kind'], key: ObjectKey): Promise<Held | undefined> {
    return this.#stored.get(nameOf(kind, key)) ?? (await this.#reader.get(kind, key));
  }
}

/** Whether an object of that kind has a partner. */
export function isHeld(kind: Kind, object: Kinds[Kind]): object is Held {
  return isSynced(kind) && object !== undefined;
}

export function isSynced(kind: Kind): kind is SyncKey['kind'] {
  return kind === 'PersistentVolume' || kind === 'PersistentVolumeClaim';
}

/** Claims have a namespace. */
export function isVolume(object: Held): object is PersistentVolume {
  return object.metadata.namespace === undefined;
}

function nameOf(kind: Kind, { namespace = '', name }: ObjectKey): string {
  return `${kind}/${namespace}/${name}`;
}
