/**
 * How often two controllers may write one object. What they write are the steps from one rest to the next, and which of
 * the two takes a step is for the API server to say. So what sets objects going bounds the steps: what users and other
 * controllers write to the object, and to those that it was ever paired with.
 *
 * A controller that lags behind may undo a step of the other one and so have it done again: until the flip detector stops
 * ours, for each field that can go back and forth; and the other one undoes no more than ours does.
 */
import type { State } from '../observer/state.ts';
import { BUILT_IN, OURS } from '../stage.ts';
import type { WriteCounts } from './write-counts.ts';

/**
 * The longest way of one turn. A volume: reserved, Bound, Released, a record of its recycler pod, free again, Available;
 * and once each its finalizer and its migration mark. A claim: its provisioner asked, a class, its volume chosen, Bound;
 * and a migration mark, Lost.
 */
const STEPS_OF_A_TURN: Readonly<Record<State['kind'], number>> = { volume: 8, claim: 6 };
/** How often we do a change again before we leave the field alone. */
export const FLIP_LIMIT = 3;
/** The phase, and the other half of the pair: `claimRef` or `volumeName`. */
const FIELDS_IN_QUESTION = 2;

export interface Turns {
  readonly kind: State['kind'];
  readonly name: string;
  /** Writes by others than the two controllers: to the object, and to its partners. */
  readonly causes: number;
  readonly ours: number;
  readonly builtIn: number;
  /** Most writes of either controller that the causes account for. */
  readonly bound: number;
}

/** Of each object of these states; an object that was made again under its name is another one. */
export function turnsOf(states: readonly State[], counts: WriteCounts): Turns[] {
  const objects = new Map(states.map((state) => [state.object.metadata.uid, state]));
  const partners = partnersIn(states);
  const byOthers = (uid: string) => counts.of(uid, 'written', [...OURS, BUILT_IN], true);
  return [...objects].map(([uid, { kind, object }]) => {
    const causes = [uid, ...(partners.get(uid) ?? [])].reduce((sum, each) => sum + byOthers(each), 0);
    return {
      kind,
      name: object.metadata.name,
      causes,
      ours: counts.of(uid, 'written', OURS),
      builtIn: counts.of(uid, 'written', [BUILT_IN]),
      bound: causes * STEPS_OF_A_TURN[kind] + FLIP_LIMIT * FIELDS_IN_QUESTION,
    };
  });
}

export function isOverBound({ ours, builtIn, bound }: Turns): boolean {
  return Math.max(ours, builtIn) > bound;
}

/** By uid: those that a volume was ever reserved for, and those that a claim has ever named; either way round. */
function partnersIn(states: readonly State[]): Map<string, Set<string>> {
  const uids = new Map<string, Set<string>>();
  for (const { object } of states) {
    const key = keyOf(object.metadata);
    uids.set(key, (uids.get(key) ?? new Set()).add(object.metadata.uid));
  }
  const partners = new Map<string, Set<string>>();
  const pair = (one: string, other: string) => {
    partners.set(one, (partners.get(one) ?? new Set()).add(other));
    partners.set(other, (partners.get(other) ?? new Set()).add(one));
  };
  for (const { kind, object } of states) {
    const names = kind === 'volume' ? object.spec.claimRef : { name: object.spec.volumeName };
    if (names?.name) for (const other of uids.get(keyOf(names)) ?? []) pair(object.metadata.uid, other);
  }
  return partners;
}

function keyOf({ namespace = '', name = '' }: { namespace?: string; name?: string | undefined }): string {
  return `${namespace}/${name}`;
}

/** Lines for people: how many objects were written how often, by each controller and in all. */
export function histogram(turns: readonly Turns[]): string {
  const rows = [
    ['ours', turns.map(({ ours }) => ours)],
    ['built-in', turns.map(({ builtIn }) => builtIn)],
    ['both', turns.map(({ ours, builtIn }) => ours + builtIn)],
  ] as const;
  const shares = turns.map(({ ours, builtIn, bound }) => Math.max(ours, builtIn) / bound);
  const nearest = `${(100 * Math.max(0, ...shares)).toFixed(0)} % of its bound`;
  return [...rows.map(([who, writes]) => `  ${who.padEnd(9)}${rowOf(writes)}`), `  nearest  ${nearest}`].join('\n');
}

function rowOf(writes: readonly number[]): string {
  const most = Math.max(0, ...writes);
  const mean = writes.reduce((sum, each) => sum + each, 0) / Math.max(1, writes.length);
  const bars = Array.from({ length: most + 1 }, (_, count) => [count, writes.filter((each) => each === count).length]);
  const shown = bars.filter(([, objects]) => objects !== 0).map(([count, objects]) => `${count}×:${objects}`);
  return `most ${most}, mean ${mean.toFixed(2)}; times: objects  ${shown.join(' ')}`;
}
