/**
 * All volumes, indexed so that a claim finds its volume at a cost that does not grow with the cluster: by the claim that
 * they are reserved for, and free ones by mode set, class, volumeMode and attributes class, then by capacity.
 */
import { type ModeSet, modeSetOf } from './access-modes.ts';
import { storageClassOf, volumeModeOf } from './annotations.ts';
import { capacityOf } from './candidate.ts';
import { compareQuantities, isQuantity } from './quantity.ts';
import type { ObjectKey, PersistentVolume } from './types.ts';

/** Free volumes of one capacity; the positions make removal cheap. */
interface Shelf {
  readonly capacity: string;
  readonly names: string[];
}

/** Free volumes that differ only in capacity, smallest first. */
export type Rack = readonly Shelf[];

/** What a free volume must equal in to be considered for a claim; all else is judged one by one (BEHAVIOUR 5.2). */
export interface RackKey {
  readonly modes: ModeSet;
  readonly storageClass: string;
  readonly volumeMode: string;
  readonly attributesClass: string;
}

interface Hold {
  /** The claim's uid. */
  readonly claim: string;
  /** Workers of that claim that hold it. */
  readonly times: number;
}

interface Place {
  readonly rack: string;
  readonly capacity: string;
  index: number;
}

/** The volumes by name, and the ways to find those that may fit a claim; volumes are kept as given, not copied. */
export class VolumeIndex {
  readonly #volumes = new Map<string, PersistentVolume>();
  readonly #reserved = new Map<string, Set<string>>();
  readonly #racks = new Map<string, Shelf[]>();
  readonly #places = new Map<string, Place>();
  readonly #modeCounts = new Map<ModeSet, number>();
  /** Free volumes that are chosen for a claim and not written yet: off their shelves. Few, so that a scan is cheap. */
  readonly #held = new Map<string, Hold>();

  constructor(volumes: Iterable<PersistentVolume> = []) {
    for (const volume of volumes) this.set(volume);
  }

  get size(): number {
    return this.#volumes.size;
  }

  get(name: string): PersistentVolume | undefined {
    return this.#volumes.get(name);
  }

  values(): IterableIterator<PersistentVolume> {
    return this.#volumes.values();
  }

  /** Every mode set that some volume has. */
  modeSets(): IterableIterator<ModeSet> {
    return this.#modeCounts.keys();
  }

  /** Volumes whose claimRef names this claim, whatever uid it holds. */
  reservedFor(claim: ObjectKey): PersistentVolume[] {
    const names = this.#reserved.get(`${claim.namespace}/${claim.name}`) ?? [];
    return [...names].flatMap((name) => this.#volumes.get(name) ?? []);
  }

  /** Free volumes that are held for the claim of this uid: a second worker of it makes the same choice (DESIGN D7). */
  heldFor(claim: string): PersistentVolume[] {
    const names = [...this.#held].flatMap(([name, hold]) => (hold.claim === claim ? name : []));
    return names.flatMap((name) => this.#volumes.get(name) ?? []);
  }

  /** The free volumes of that kind, by ascending capacity. */
  rack(key: RackKey): Rack {
    return this.#racks.get(rackName(key)) ?? [];
  }

  set(volume: PersistentVolume): void {
    this.delete(volume.metadata.name);
    this.#volumes.set(volume.metadata.name, volume);
    const modes = modeSetOf(volume.spec.accessModes);
    this.#modeCounts.set(modes, (this.#modeCounts.get(modes) ?? 0) + 1);
    const { claimRef } = volume.spec;
    if (claimRef !== undefined) {
      const key = `${claimRef.namespace}/${claimRef.name}`;
      const names = this.#reserved.get(key) ?? new Set();
      this.#reserved.set(key, names.add(volume.metadata.name));
    } else if (isFree(volume) && !this.#held.has(volume.metadata.name)) {
      this.#shelve(volume, modes);
    }
  }

  delete(name: string): void {
    const volume = this.#volumes.get(name);
    if (volume === undefined) return;
    this.#volumes.delete(name);
    const modes = modeSetOf(volume.spec.accessModes);
    const count = (this.#modeCounts.get(modes) ?? 0) - 1;
    if (count > 0) this.#modeCounts.set(modes, count);
    else this.#modeCounts.delete(modes);
    const { claimRef } = volume.spec;
    if (claimRef !== undefined) {
      const key = `${claimRef.namespace}/${claimRef.name}`;
      const names = this.#reserved.get(key);
      names?.delete(name);
      if (names?.size === 0) this.#reserved.delete(key);
    }
    this.#unshelve(name);
  }

  /** Takes a free volume off its shelf, for all but the claim of this uid, until as many `release`s. */
  hold(name: string, claim: string): void {
    this.#held.set(name, { claim, times: (this.#held.get(name)?.times ?? 0) + 1 });
    this.#unshelve(name);
  }

  release(name: string): void {
    const hold = this.#held.get(name);
    if (hold === undefined) return;
    if (hold.times > 1) {
      this.#held.set(name, { ...hold, times: hold.times - 1 });
      return;
    }
    this.#held.delete(name);
    const volume = this.#volumes.get(name);
    if (volume !== undefined) this.set(volume);
  }

  #shelve(volume: PersistentVolume, modes: ModeSet): void {
    const { name } = volume.metadata;
    const rack = rackName({
      modes,
      storageClass: storageClassOf(volume),
      volumeMode: volumeModeOf(volume),
      attributesClass: volume.spec.volumeAttributesClassName ?? '',
    });
    const shelves = this.#racks.get(rack) ?? [];
    this.#racks.set(rack, shelves);
    const capacity = capacityOf(volume);
    const at = firstShelfOfAtLeast(shelves, capacity);
    let shelf = shelves[at];
    if (shelf === undefined || compareQuantities(shelf.capacity, capacity) !== 0) {
      shelf = { capacity, names: [] };
      shelves.splice(at, 0, shelf);
    }
    this.#places.set(name, { rack, capacity: shelf.capacity, index: shelf.names.push(name) - 1 });
  }

  #unshelve(name: string): void {
    const place = this.#places.get(name);
    if (place === undefined) return;
    this.#places.delete(name);
    const shelves = this.#racks.get(place.rack) ?? [];
    const at = firstShelfOfAtLeast(shelves, place.capacity);
    const names = shelves[at]?.names ?? [];
    const last = names.pop();
    if (last !== undefined && last !== name) {
      names[place.index] = last;
      const moved = this.#places.get(last);
      if (moved !== undefined) moved.index = place.index;
    }
    if (names.length === 0) shelves.splice(at, 1);
    if (shelves.length === 0) this.#racks.delete(place.rack);
  }
}

/** Could be chosen at all. A capacity that is no quantity fits no claim, and must not keep the others from being found. */
function isFree(volume: PersistentVolume): boolean {
  const { deletionTimestamp } = volume.metadata;
  return volume.status?.phase === 'Available' && deletionTimestamp === undefined && isQuantity(capacityOf(volume));
}

function rackName({ modes, storageClass, volumeMode, attributesClass }: RackKey): string {
  return `${modes}\0${storageClass}\0${volumeMode}\0${attributesClass}`;
}

/** Position of the smallest shelf that holds `capacity` or more; the length when there is none. */
export function firstShelfOfAtLeast(rack: Rack, capacity: string): number {
  let low = 0;
  let high = rack.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareQuantities(rack[middle]?.capacity ?? '0', capacity) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
