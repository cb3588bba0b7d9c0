/**
 * Why a key is looked at, and the occasion that its message then gets.
 *
 * The occasion names the *newest* change that the decision rests on: of the object, of its partners, or the trigger. So
 * two bridges that hold the same state make the same id, whichever event brought them there; and a message with that id
 * that was sent before was sent after that change, so its worker has seen all that this decision rests on. Versions of
 * different resources are compared for this: one etcd numbers them all. Where that does not hold, a message may be taken
 * for a duplicate, and the sweep makes up for it.
 */
import type { PersistentVolume, PersistentVolumeClaim, SyncKey } from '../controller/types.ts';
import { DELETED, type Occasion } from '../queue/ids.ts';
import type { Reason } from '../queue/message.ts';
import { partnersOf } from './partners.ts';
import type { Registry } from './registry.ts';

/** What made a key worth a look. */
export interface Trigger {
  /** Version of the change, to compare it with others. */
  readonly version: string;
  /** Of a change of the object itself. */
  readonly reason?: Reason;
  /** Another object changed: its uid, and `DELETED` as version when it is gone. */
  readonly cause?: { readonly uid: string; readonly resourceVersion: string };
  /** The object was found in a list; several versions are joined. */
  readonly listVersion?: string;
  /** Send without asking the predicate: the object is new, or what changed is none of what the bridge holds. */
  readonly force?: boolean;
  /** No echo of a bind, which changes objects and makes none: look at once. */
  readonly urgent?: boolean;
}

type Paired = PersistentVolume | PersistentVolumeClaim;

/** One look for both; the newer one's reasons. */
export function merge(a: Trigger, b: Trigger): Trigger {
  const newest = isNewer(a.version, b.version) ? a : b;
  return {
    ...newest,
    ...((a.force || b.force) && { force: true }),
    ...((a.urgent || b.urgent) && { urgent: true }),
  };
}

/** The trigger of a deletion, for those that the object leaves behind. */
export function deletionOf({ metadata }: Paired, version: string): Trigger {
  return { version, cause: { uid: metadata.uid ?? '', resourceVersion: DELETED } };
}

/** The occasion of a message about this object, as it is held now. */
export function occasionOf(registry: Registry, kind: SyncKey['kind'], object: Paired, trigger: Trigger): Occasion {
  const own = versionOf(object);
  let occasion: Occasion = { form: 'change', ...own };
  let newest = own.resourceVersion;
  for (const partner of partnersOf(registry, kind, object)) {
    const cause = versionOf(partner);
    if (!isNewer(cause.resourceVersion, newest)) continue;
    occasion = { form: 'enqueue', cause };
    newest = cause.resourceVersion;
  }
  if (isNewer(newest, trigger.version)) return occasion;
  if (trigger.listVersion !== undefined) return { form: 'relist', ...own, listVersion: trigger.listVersion };
  return trigger.cause === undefined ? occasion : { form: 'enqueue', cause: trigger.cause };
}

/** The reason that goes with an occasion. */
export function reasonOf(occasion: Occasion, trigger: Trigger): Reason {
  if (occasion.form === 'enqueue') return 'enqueued';
  return occasion.form === 'change' ? (trigger.reason ?? 'modified') : 'resync';
}

/** Whether version `a` comes after `b`. What is no number is not compared and counts as newer. */
export function isNewer(a: string, b: string): boolean {
  if (!/^[0-9]+$/.test(a) || !/^[0-9]+$/.test(b)) return a !== b;
  return a.length === b.length ? a > b : a.length > b.length;
}

function versionOf({ metadata }: Paired): { uid: string; resourceVersion: string } {
  return { uid: metadata.uid ?? '', resourceVersion: metadata.resourceVersion ?? '' };
}
