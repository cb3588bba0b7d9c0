/** The events of one watch as a chain of states. */
import type { WatchEvent } from '../../control-plane/watching.ts';
import type { Claim, State, Volume } from './state.ts';

/** One event of a watch, and the state before it. */
export interface Link<T> {
  readonly type: State['type'];
  readonly at: number;
  readonly object: T;
  readonly before: T | undefined;
}

/**
 * Each event with the state before it.
 * @param last states before the first event, by uid; those after the last one when it returns.
 */
export function chain<T extends Volume | Claim>(
  events: readonly WatchEvent<T>[],
  last = new Map<string, T>(),
): Link<T>[] {
  return events.map(({ type, object }) => {
    const { uid, resourceVersion } = object.metadata;
    const before = last.get(uid);
    if (type === 'DELETED') last.delete(uid);
    else last.set(uid, object);
    return { type, at: Number(resourceVersion), object, before };
  });
}

/** What there is after these events, as `versionsOf` would tell it. */
export function versionsIn<T extends Volume | Claim>(
  kind: State['kind'],
  events: readonly WatchEvent<T>[],
  before: ReadonlyMap<string, T>,
): [string, string][] {
  const last = new Map(before);
  chain(events, last);
  return [...last.values()].map(({ metadata: { namespace, name, uid, resourceVersion } }) => [
    `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`,
    `${uid}:${resourceVersion}`,
  ]);
}

/** What the last event about this object says that there is. */
export function latest<T>(events: readonly WatchEvent<T>[], isMeant: (object: T) => boolean): T | undefined {
  const event = events.findLast(({ object }) => isMeant(object));
  return event?.type === 'DELETED' ? undefined : event?.object;
}
