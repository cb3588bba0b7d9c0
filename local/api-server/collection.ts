import type { ApiObject } from './json.ts';

/** One change of one object, as watches see it. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: string;
  readonly revision: number;
  /** The new state; for DELETED the last state, with the revision of the deletion. */
  readonly object: ApiObject;
  readonly previous: ApiObject | undefined;
}

const rememberedSnapshots = 8;

/** The objects of one resource, with enough of their history for watches and for paginated lists. */
export class Collection {
  readonly #objects = new Map<string, ApiObject>();
  readonly #historySize: number;
  #changes: Change[] = [];
  /** Changes up to this revision have been forgotten. */
  #floor = 0;
  #sorted: readonly ApiObject[] | undefined;
  readonly #snapshots = new Map<number, readonly ApiObject[]>();

  constructor(historySize: number) {
    this.#historySize = historySize;
  }

  get(key: string): ApiObject | undefined {
    return this.#objects.get(key);
  }

  apply(change: Change): void {
    if (change.type === 'DELETED') this.#objects.delete(change.key);
    else this.#objects.set(change.key, change.object);
    this.#sorted = undefined;
    this.#changes.push(change);
    const surplus = this.#changes.length - this.#historySize;
    if (surplus > 0) this.#floor = this.#changes[surplus - 1]?.revision ?? this.#floor;
    // Cut in big steps only: cutting on each change would move the whole list each time.
    if (surplus > this.#historySize + 64) this.#changes = this.#changes.slice(surplus);
  }

  /** All objects, in the order of their keys. */
  list(): readonly ApiObject[] {
    this.#sorted ??= sortByKey(this.#objects);
    return this.#sorted;
  }

  /** The list as it was at `revision`, or `undefined` when that is no longer known. */
  listAt(revision: number): readonly ApiObject[] | undefined {
    if (revision < this.#floor) return undefined;
    const remembered = this.#snapshots.get(revision);
    if (remembered !== undefined) return remembered;
    const list = this.#isCurrent(revision) ? this.list() : this.#rebuild(revision);
    this.#remember(revision, list);
    return list;
  }

  /** Everything that happened after `revision`, or `undefined` when part of it has been forgotten. */
  changesAfter(revision: number): readonly Change[] | undefined {
    if (revision < this.#floor) return undefined;
    const first = this.#changes.findLastIndex((change) => change.revision <= revision) + 1;
    return this.#changes.slice(first);
  }

  /** Forgets the history up to `revision`. */
  compact(revision: number): void {
    this.#floor = Math.max(this.#floor, revision);
    this.#changes = this.#changes.filter((change) => change.revision > revision);
    this.#snapshots.clear();
  }

  #isCurrent(revision: number): boolean {
    return revision >= (this.#changes.at(-1)?.revision ?? 0);
  }

  /** Goes back from what is there now, change by change. */
  #rebuild(revision: number): readonly ApiObject[] {
    const objects = new Map(this.#objects);
    for (let index = this.#changes.length - 1; index >= 0; index--) {
      const change = this.#changes[index];
      if (change === undefined || change.revision <= revision) break;
      if (change.previous === undefined) objects.delete(change.key);
      else objects.set(change.key, change.previous);
    }
    return sortByKey(objects);
  }

  #remember(revision: number, list: readonly ApiObject[]): void {
    this.#snapshots.set(revision, list);
    const oldest = this.#snapshots.keys().next().value;
    if (this.#snapshots.size > rememberedSnapshots && oldest !== undefined) this.#snapshots.delete(oldest);
  }
}

function sortByKey(objects: ReadonlyMap<string, ApiObject>): readonly ApiObject[] {
  return [...objects].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, object]) => object);
}
