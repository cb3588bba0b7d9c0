/**
 * Who changed an object: read from `metadata.managedFields`, where the API server writes down which client owns which
 * field. Times there are whole seconds, and a delete leaves no trace in it.
 */
import type { ObjectMeta, PersistentVolume, PersistentVolumeClaim, SyncKey } from '../controller/types.ts';
import type { Transition } from '../worker/transition.ts';

/** `built-in`: the cluster's own controller manager. `other`: anybody else, such as a user, a provisioner, the scheduler. */
export type Who = 'us' | 'built-in' | 'other' | 'unknown';

/** Who it was, and when as far as the server tells. */
export interface Writer {
  readonly who: Who;
  /** The field manager: the name that a client gives itself, by default the first word of its user agent. */
  readonly manager?: string;
  /** RFC 3339, whole seconds, by the server's clock. */
  readonly at?: string;
}

/** What this controller is to the API server: its user agent's name, since it says no other. */
export const OUR_MANAGER = 'serverless-pv-controller';
/** All loops of the controller manager: the binder, and with it the protection of volumes, expansion and the rest. */
export const BUILT_IN_MANAGER = 'kube-controller-manager';

const UNKNOWN: Writer = { who: 'unknown' };

type Held = PersistentVolume | PersistentVolumeClaim;
type Entry = NonNullable<ObjectMeta['managedFields']>[number];

/** A claimRef's uid is what makes a reservation a binding; the rest of it may be a user's. */
const FIELDS: Readonly<Record<SyncKey['kind'], Readonly<Record<Transition['of'], readonly string[]>>>> = {
  PersistentVolume: { phase: ['status', 'phase'], binding: ['spec', 'claimRef', 'uid'] },
  PersistentVolumeClaim: { phase: ['status', 'phase'], binding: ['spec', 'volumeName'] },
};

/**
 * Who changed the phase or the binding between two versions of an object.
 * @param before may be without managedFields, or unknown; a field that was removed is then laid to the latest writer.
 * @param of left out: who wrote last, whatever it was.
 */
export function writerOf(before: Held | undefined, after: Held, kind: SyncKey['kind'], of?: Transition['of']): Writer {
  const entries = after.metadata.managedFields ?? [];
  const field = of === undefined ? undefined : FIELDS[kind][of];
  const owners = field === undefined ? [] : entries.filter((entry) => owns(entry, field));
  // Whoever removes a field owns nothing of it afterwards.
  const onSame = entries.filter((entry) => isOn(entry, field));
  const candidates = owners.length > 0 ? owners : onSame;
  const fresh = changedSince(before, candidates);
  // Two writes of one client within a second look alike: then it is the latest of those who may have been it.
  return writerIn(latest(fresh.length > 0 ? fresh : candidates));
}

/** Whose name this is. @param manager a field manager. */
export function whoIs(manager: string): Who {
  if (manager === OUR_MANAGER) return 'us';
  return manager === BUILT_IN_MANAGER ? 'built-in' : 'other';
}

function writerIn(entry: Entry | undefined): Writer {
  if (!entry?.manager) return UNKNOWN;
  const { manager, time } = entry;
  return { who: whoIs(manager), manager, ...(time !== undefined && { at: time }) };
}

/** A node without children stands for all that is below it. */
function owns(entry: Entry, path: readonly string[]): boolean {
  let node = entry.fieldsV1 as unknown;
  for (const part of path) {
    if (!isObject(node)) return false;
    const next = node[`f:${part}`];
    if (next === undefined) return false;
    if (isObject(next) && Object.keys(next).length === 0) return true;
    node = next;
  }
  return true;
}

/** Status and the rest are written through different resources. */
function isOn({ subresource = '' }: Entry, field: readonly string[] | undefined): boolean {
  return field === undefined || (subresource === 'status') === (field[0] === 'status');
}

function changedSince(before: Held | undefined, entries: readonly Entry[]): Entry[] {
  const known = new Set(before?.metadata.managedFields?.map((entry) => JSON.stringify(entry)));
  return entries.filter((entry) => !known.has(JSON.stringify(entry)));
}

/** Of two in the same second the later one in the list: new entries come last. */
function latest(entries: readonly Entry[]): Entry | undefined {
  let found: Entry | undefined;
  for (const entry of entries) if (found === undefined || (entry.time ?? '') >= (found.time ?? '')) found = entry;
  return found;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
