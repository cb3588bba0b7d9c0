/** What the controller would have written, and what that says about the objects: the side of a score that is ours. */
import type { RecordedWrite } from '../cluster/recording.ts';
import type { ObjectKey, SyncKey } from '../controller/types.ts';
import type { Held } from './change.ts';
import { type Fields, fieldsOf, isSame } from './fields.ts';

/** One sync that was recorded instead of written. */
export interface Verdict {
  readonly key: SyncKey;
  /** When it was reached, in milliseconds since the epoch. */
  readonly at: number;
  /** When the sync began to read, in milliseconds since the epoch; left out: just then. */
  readonly begunAt?: number;
  /** In order. What it was made from is in the objects: their resourceVersions are those that were read. */
  readonly writes: readonly RecordedWrite[];
  /** What the sync observed on its way: the reason. */
  readonly notes?: readonly string[];
}

/** What a verdict expects of one object. */
export interface Expectation {
  readonly kind: SyncKey['kind'];
  /** The version from which the object goes on; undefined: it is to be created. */
  version: string | undefined;
  /** The object after each write. */
  readonly states: readonly Fields[];
  readonly isDeleted: boolean;
  /** As it was seen at `version`; not known before somebody goes on from there. */
  base?: Fields;
  /** The last object that was to be written. */
  readonly last: Held;
}

/** Names an object among all kinds. */
export function idOf(kind: string, { namespace = '', name }: ObjectKey): string {
  return `${kind}/${namespace}/${name}`;
}

/**
 * By `idOf`. Events do not count, and of recycling not the pods: each controller has its own. Nor does the delete of what is
 * being deleted already and has finalizers, which changes nothing that anybody could see.
 */
export function expectationsOf(writes: readonly RecordedWrite[]): Map<string, Expectation> {
  const expected = new Map<string, Expectation>();
  for (const write of writes) {
    if (write.verb === 'event' || !isHeld(write.kind)) continue;
    const { kind, verb } = write;
    const object = write.object as Held;
    const isDeleted = verb === 'delete';
    if (isDeleted && isHeldBack(object)) continue;
    const id = idOf(kind, object.metadata);
    const earlier = expected.get(id);
    expected.set(id, {
      kind,
      version: earlier === undefined ? versionBefore(verb, object) : earlier.version,
      states: [...(earlier?.states ?? []), ...(isDeleted ? [] : [fieldsOf(object)])],
      isDeleted,
      last: object,
    });
  }
  return expected;
}

function isHeldBack({ metadata: { deletionTimestamp, finalizers = [] } }: Held): boolean {
  return deletionTimestamp !== undefined && finalizers.length > 0;
}

function versionBefore(verb: string, { metadata }: Held): string | undefined {
  return verb === 'create' ? undefined : (metadata.resourceVersion ?? '');
}

function isHeld(kind: string): kind is SyncKey['kind'] {
  return kind === 'PersistentVolume' || kind === 'PersistentVolumeClaim';
}

/** Whether `newer` ends as `older` does in every object that it is about: the rest of it, reached on the way. */
export function isRestOf(older: ReadonlyMap<string, Expectation>, newer: ReadonlyMap<string, Expectation>): boolean {
  return [...newer].every(([id, { isDeleted, states }]) => {
    const same = older.get(id);
    if (same === undefined || same.isDeleted !== isDeleted) return false;
    const [end, sameEnd] = [states.at(-1), same.states.at(-1)];
    return isDeleted || (end !== undefined && sameEnd !== undefined && isSame(end, sameEnd));
  });
}
