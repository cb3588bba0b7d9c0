/** What differs between the two planes, object by object. */
import { keyOf, type Snapshot, type Told } from './snapshot.ts';

/** One object, or what was said about it, that is not the same on both. */
export interface Difference {
  readonly about: 'object' | 'events' | 'answer' | 'failure';
  /** As `PersistentVolume ~v1`. */
  readonly object: string;
  /** Undefined where there is no such object. */
  readonly builtIn: unknown;
  readonly ours: unknown;
}

const KIND_OF = {
  volumes: 'PersistentVolume',
  claims: 'PersistentVolumeClaim',
  classes: 'StorageClass',
  pods: 'Pod',
} as const;

/** Objects that differ, are missing or are too many. */
export function differencesBetween(builtIn: Snapshot, ours: Snapshot): Difference[] {
  return (Object.keys(KIND_OF) as (keyof Snapshot)[]).flatMap((kind) => {
    const theirs = new Map(builtIn[kind].map((object) => [keyOf(object), object as unknown]));
    const own = new Map(ours[kind].map((object) => [keyOf(object), object as unknown]));
    return [...new Set([...theirs.keys(), ...own.keys()])]
      .filter((key) => canonical(theirs.get(key)) !== canonical(own.get(key)))
      .map((key) => ({
        about: 'object' as const,
        object: `${KIND_OF[kind]} ${key}`,
        builtIn: theirs.get(key),
        ours: own.get(key),
      }));
  });
}

/** Objects about which one of the two said something that the other did not. */
export function eventDifferences(builtIn: ReadonlyMap<string, Told>, ours: ReadonlyMap<string, Told>): Difference[] {
  const objects = new Set([...builtIn.keys(), ...ours.keys()]);
  return [...objects].flatMap((object) => {
    const theirs = [...(builtIn.get(object)?.said ?? [])].sort();
    const own = [...(ours.get(object)?.said ?? [])].sort();
    return canonical(theirs) === canonical(own)
      ? []
      : [{ about: 'events' as const, object, builtIn: theirs, ours: own }];
  });
}

/** The differing lines, `-` for the built-in's and `+` for ours. */
export function render({ about, object, builtIn, ours }: Difference): string {
  const theirs = linesOf(builtIn);
  const own = linesOf(ours);
  const onlyIn = (some: readonly string[], others: readonly string[]) => some.filter((line) => !others.includes(line));
  return [
    `${about === 'object' ? '' : `${about} of `}${object}:`,
    ...onlyIn(theirs, own).map((line) => `  - ${line}`),
    ...onlyIn(own, theirs).map((line) => `  + ${line}`),
  ].join('\n');
}

/** One line for each leaf: its path and its value. */
function linesOf(value: unknown, path = ''): string[] {
  if (value === undefined) return ['(not there)'];
  if (Array.isArray(value) && path === '') return value.map(String);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path}: ${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([key, inner]) => linesOf(inner, path === '' ? key : `${path}.${key}`));
}

/** JSON with the keys in order. */
function canonical(value: unknown): string {
  const inOrder = (_key: string, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner;
  return JSON.stringify(value, inOrder) ?? '';
}
