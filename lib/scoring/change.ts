/** What the built-in controller and others do: the side of a score that is theirs. */
import { transitionsSeen } from '../audit/trail.ts';
import type { Writer } from '../audit/writer.ts';
import type { PersistentVolume, PersistentVolumeClaim, SyncKey } from '../controller/types.ts';

/** An object that is scored. */
export type Held = PersistentVolume | PersistentVolumeClaim;

/** A change that the watch told of, with the object as it was held before. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly kind: SyncKey['kind'];
  readonly before: Held | undefined;
  readonly after: Held;
  readonly writer: Writer;
  /** When the event came, in milliseconds since the epoch. */
  readonly at: number;
}

/** Its transitions as labels: bindings without names, which would be as many as there are objects. */
export function transitionLabels({ type, kind, before, after }: Change): string[] {
  return transitionsSeen(type, kind, before, after).map(({ of, from, to }) => {
    const shown = (value: string) => (of === 'binding' && value !== 'none' ? 'bound' : value);
    return `${kind} ${of} ${shown(from)} -> ${shown(to)}`;
  });
}
