/** The two control planes of a play, each with the play's names on it: everything is done on both at the same time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Action } from './action.ts';
import { apply, tidyUp } from './apply.ts';
import { type Difference, differencesBetween, eventDifferences } from './compare.ts';
import { NAMESPACES, Names } from './names.ts';
import type { Side } from './side.ts';
import { eventsOf, type Snapshot, snapshotOf, type Told } from './snapshot.ts';

export interface Sides {
  readonly builtIn: Side;
  readonly ours: Side;
}

/** How both planes are when they have come to rest. */
export interface Rest {
  /** The built-in's; with no differences, either's. */
  readonly state: Snapshot;
  readonly differences: readonly Difference[];
  /** It took more than one look until they were equal. */
  readonly isLate: boolean;
}

/** Events are written behind the controllers' backs, so they get a moment. */
const EVENTS_PATIENCE_MS = 3_000;
const EVENTS_POLL_MS = 100;

/** A difference on purpose lasts; one that does not may only look like it. */
const LOOKS_AT_EXPLAINED = 4;

let plays = 0;

export class Pair {
  readonly #members: readonly { readonly side: Side; readonly names: Names }[];
  readonly #patienceMs: number;
  /** Their events go with them, sooner or later. */
  readonly #deletedNamespaces = new Set<string>();

  private constructor({ builtIn, ours }: Sides, patienceMs: number) {
    plays += 1;
    const prefix = `d${plays}`;
    this.#members = [builtIn, ours].map((side) => ({ side, names: new Names(prefix) }));
    this.#patienceMs = patienceMs;
  }

  /**
   * Makes the namespaces.
   * @param patienceMs how long states that differ are given to become equal.
   */
  static async open(sides: Sides, patienceMs: number): Promise<Pair> {
    const pair = new Pair(sides, patienceMs);
    for (const name of NAMESPACES) await pair.act({ do: 'create', kind: 'Namespace', name });
    return pair;
  }

  /** @returns what the API servers answered, where that is not the same. */
  async act(action: Action): Promise<Difference[]> {
    const [builtIn, ours] = await this.#both((side, names) => apply(side.client, names, action));
    const { kind, namespace, name } = action;
    if (kind === 'Namespace' && action.do === 'delete') this.#deletedNamespaces.add(name);
    if (builtIn === ours) return [];
    const object = `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
    return [{ about: 'answer', object, builtIn, ours }];
  }

  /**
   * Waits until both are quiet, and for a while until they are equal.
   * @param isExplained whether all of these differences are on purpose: then waiting longer would not help.
   */
  async rest(isExplained: (differences: readonly Difference[]) => boolean = () => false): Promise<Rest> {
    const deadline = Date.now() + this.#patienceMs;
    for (let looks = 1; ; looks++) {
      const [state, ours] = await this.#both(async (side, names) => {
        await side.quiet();
        return await snapshotOf(side.client, names);
      });
      const differences = differencesBetween(state, ours);
      if (differences.length === 0) return { state, differences, isLate: looks > 1 };
      const isOver = Date.now() > deadline || (looks >= LOOKS_AT_EXPLAINED && isExplained(differences));
      if (isOver) return { state, differences, isLate: false };
    }
  }

  /** What was said, so far, and what of it only by one. */
  async events(): Promise<{ told: ReadonlyMap<string, Told>; differences: readonly Difference[] }> {
    const deadline = Date.now() + EVENTS_PATIENCE_MS;
    for (;;) {
      const [told, ours] = await this.#both((side, names) => eventsOf(side.client, names));
      const differences = eventDifferences(told, ours).filter(({ object }) => !this.#isInDeleted(object));
      if (differences.length === 0 || Date.now() > deadline) return { told, differences };
      await sleep(EVENTS_POLL_MS);
    }
  }

  /** Leaves nothing behind but events about volumes, and namespaces that are on their way out. */
  async close(): Promise<void> {
    await this.#both((side, names) =>
      tidyUp(
        side.client,
        NAMESPACES.map((name) => names.toPlane(name)),
      ),
    );
  }

  /** @param object as `Kind namespace/name`. */
  #isInDeleted(object: string): boolean {
    return [...this.#deletedNamespaces].some((namespace) => object.includes(` ${namespace}/`));
  }

  #both<T>(work: (side: Side, names: Names) => Promise<T>): Promise<[T, T]> {
    return Promise.all(this.#members.map(({ side, names }) => work(side, names))) as Promise<[T, T]>;
  }
}
