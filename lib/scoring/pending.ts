/** The verdicts that wait for the built-in controller, by the objects that they are about. */
import type { SyncKey } from '../controller/types.ts';
import { partnerOf } from './keys.ts';
import { type Expectation, idOf, type Verdict } from './verdict.ts';

/** One of them. */
export interface Pending {
  readonly verdict: Verdict;
  readonly expected: ReadonlyMap<string, Expectation>;
  /** Objects that are not as expected yet. */
  readonly open: Set<string>;
  readonly lags: [transition: string, ms: number][];
  /** Its volume went to another claim: the claim may still get one that is as good. */
  isTaken: boolean;
  /** Its claim got a volume that the watch of volumes has not told of. */
  isAhead: boolean;
}

/** The oldest come first. */
export class PendingVerdicts {
  readonly #all = new Set<Pending>();
  readonly #byObject = new Map<string, Set<Pending>>();
  /** By the other halves that they do not write. */
  readonly #byPartner = new Map<string, Set<Pending>>();

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): Iterator<Pending> {
    return this.#all[Symbol.iterator]();
  }

  add(verdict: Verdict, expected: ReadonlyMap<string, Expectation>): void {
    const pending: Pending = {
      verdict,
      expected,
      open: new Set(expected.keys()),
      lags: [],
      isTaken: false,
      isAhead: false,
    };
    this.#all.add(pending);
    for (const id of expected.keys()) join(this.#byObject, id, pending);
    for (const id of partnersOf(expected)) join(this.#byPartner, id, pending);
  }

  has(pending: Pending): boolean {
    return this.#all.has(pending);
  }

  /** Those that are about this object, by `idOf`. */
  about(id: string): Pending[] {
    return [...(this.#byObject.get(id) ?? [])];
  }

  /** Those that rest on this object without writing it. */
  restingOn(id: string): Pending[] {
    return [...(this.#byPartner.get(id) ?? [])];
  }

  /** Those that came from syncs of this key; a verdict is mostly about its own object. */
  of(key: SyncKey): Pending[] {
    return this.about(idOf(key.kind, key)).filter(
      ({ verdict }) => idOf(verdict.key.kind, verdict.key) === idOf(key.kind, key),
    );
  }

  forget(pending: Pending): void {
    this.#all.delete(pending);
    for (const id of pending.expected.keys()) leave(this.#byObject, id, pending);
    for (const id of partnersOf(pending.expected)) leave(this.#byPartner, id, pending);
  }
}

function partnersOf(expected: ReadonlyMap<string, Expectation>): string[] {
  const partners = [...expected.values()].flatMap(({ kind, last }) => partnerOf(kind, last));
  return partners.map((key) => idOf(key.kind, key)).filter((id) => !expected.has(id));
}

function join(index: Map<string, Set<Pending>>, id: string, pending: Pending): void {
  index.set(id, (index.get(id) ?? new Set()).add(pending));
}

function leave(index: Map<string, Set<Pending>>, id: string, pending: Pending): void {
  const those = index.get(id);
  those?.delete(pending);
  if (those?.size === 0) index.delete(id);
}
