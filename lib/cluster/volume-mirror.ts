/**
 * A copy of all volumes, and the rules by which it takes in what comes from lists, watches and own requests.
 * It holds the state as of its position, a resourceVersion, with two exceptions: results of own requests may be newer,
 * and dropped volumes are missing until something newer is known of them.
 */
import { isCurrent } from '../controller/object-version.ts';
import type { PersistentVolume } from '../controller/types.ts';
import { VolumeIndex } from '../controller/volume-index.ts';
import type { ListResult } from './resource-client.ts';
import type { WatchEvent } from './watch.ts';

/** The volumes of a pool; an object is taken in only when it is newer than the one held (BEHAVIOUR 2.3). */
export class VolumeMirror {
  readonly index = new VolumeIndex();
  /** Dropped volumes and the version that was dropped. */
  readonly #dropped = new Map<string, string>();
  #position: string | undefined;

  /** Everything up to this version is in; undefined before the first list, and after `forgetPosition`. */
  get position(): string | undefined {
    return this.#position;
  }

  /** Names that were dropped, and of which nothing newer came. */
  get holes(): readonly string[] {
    return [...this.#dropped.keys()];
  }

  /** Whether everything up to `resourceVersion` is in. */
  hasReached(resourceVersion: string): boolean {
    return this.#position !== undefined && isCurrent(resourceVersion, this.#position, 'volumes');
  }

  /** The server no longer knows our position: only a list can go on. */
  forgetPosition(): void {
    this.#position = undefined;
  }

  takeList({ items, resourceVersion }: ListResult<PersistentVolume>): void {
    // A watch that got ahead of the list knows better, but for the holes.
    const behind = this.hasReached(resourceVersion);
    const listed = new Set<string>();
    for (const volume of items) {
      listed.add(volume.metadata.name);
      if (!behind || this.#dropped.has(volume.metadata.name)) this.#setIfCurrent(volume);
    }
    this.#dropped.clear();
    if (behind) return;
    const gone = [...this.index.values()].filter(
      ({ metadata }) =>
        !listed.has(metadata.name) && isCurrent(metadata.resourceVersion, resourceVersion, metadata.name),
    );
    for (const { metadata } of gone) this.index.delete(metadata.name);
    this.#position = resourceVersion;
  }

  takeEvent(event: WatchEvent<'PersistentVolume'>): void {
    const version = event.object.metadata.resourceVersion ?? '';
    if (this.hasReached(version)) return;
    if (event.type !== 'BOOKMARK') {
      const { name } = event.object.metadata;
      if (event.type === 'DELETED') this.#remove(name, version);
      else if (this.#isNews(name, version)) this.#setIfCurrent(event.object);
      if (this.#isNews(name, version)) this.#dropped.delete(name);
    }
    this.#position = version;
  }

  /** Takes the result of an own write or read. What is older than what we know, a deletion too, is left out. */
  store(volume: PersistentVolume): void {
    const { name, resourceVersion = '' } = volume.metadata;
    if (this.index.get(name) === undefined) {
      if (this.#dropped.has(name) ? !this.#isNews(name, resourceVersion) : this.hasReached(resourceVersion)) return;
    }
    this.#setIfCurrent(volume);
    this.#dropped.delete(name);
  }

  /** Fills a hole from a read of the server, which counts even when it is the version that was dropped. */
  fill(name: string, volume: PersistentVolume | undefined): void {
    if (this.#dropped.delete(name) && volume !== undefined) this.#setIfCurrent(volume);
  }

  /** @param resourceVersion the version that proved old: a newer one stays. */
  drop(name: string, resourceVersion?: string): void {
    const held = this.index.get(name)?.metadata.resourceVersion;
    if (held === undefined || (resourceVersion !== undefined && !isCurrent(held, resourceVersion, name))) return;
    this.#dropped.set(name, held);
    this.index.delete(name);
  }

  /** False for what is no newer than the version that was dropped. */
  #isNews(name: string, resourceVersion: string): boolean {
    const dropped = this.#dropped.get(name);
    return dropped === undefined || !isCurrent(resourceVersion, dropped, name);
  }

  #remove(name: string, resourceVersion: string): void {
    if (isCurrent(this.index.get(name)?.metadata.resourceVersion, resourceVersion, name)) this.index.delete(name);
  }

  #setIfCurrent(volume: PersistentVolume): void {
    const { name, resourceVersion = '' } = volume.metadata;
    if (isCurrent(this.index.get(name)?.metadata.resourceVersion, resourceVersion, `volume "${name}"`)) {
      this.index.set(volume);
    }
  }
}
