/** The verdicts that wait for the built-in controller, by the objects that they are about. */
import type { SyncKey } from '../controller/types.ts';
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
}

/** The oldest come first. */
export class PendingVerdicts {
  readonly #all = new Set<Pending>();
  readonly #byObject = new Map<string, Set<Pending>>();

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): Iterator<Pending> {
    return this.#all[Symbol.iterator]();
  }

  add(verdict: Verdict, expected: ReadonlyMap<string, Expectation>): void {
    const pending: Pending = { verdict, expected, open: new Set(expected.keys()), lags: [], isTaken: false };
    this.#all.add(pending);
    for (const id of expected.keys()) this.#byObject.set(id, (this.#byObject.get(id) ?? new Set()).add(pending));
  }

  /** Those that are about this object, by `idOf`. */
  about(id: string): Pending[] {
    return [...(this.#byObject.get(id) ?? [])];
  }

  /** Those that came from syncs of this key; a verdict is mostly about its own object. */
  of(key: SyncKey): Pending[] {
    return this.about(idOf(key.kind, key)).filter(
      ({ verdict }) => idOf(verdict.key.kind, verdict.key) === idOf(key.kind, key),
    );
  }

  forget(pending: Pending): void {
    this.#all.delete(pending);
    for (const id of pending.expected.keys()) {
      const about = this.#byObject.get(id);
      about?.delete(pending);
      if (about?.size === 0) this.#byObject.delete(id);
    }
  }
}
