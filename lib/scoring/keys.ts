/** Whose verdicts a change concerns. */
import { storageClassOf } from '../controller/annotations.ts';
import type { PersistentVolume, PersistentVolumeClaim, SyncKey } from '../controller/types.ts';
import type { Change, Held } from './change.ts';

/** Claims that one free volume wakes. */
const MAX_WOKEN = 10;

/** The object, unless it is gone, and the other halves that it had and has. */
export function keysAfter({ type, kind, before, after }: Omit<Change, 'writer'>): SyncKey[] {
  const { namespace, name } = after.metadata;
  const own: SyncKey = namespace === undefined ? { kind, name } : { kind, namespace, name };
  const partners = [before, after].flatMap((held) => (held === undefined ? [] : partnerOf(kind, held)));
  return [...(type === 'DELETED' ? [] : [own]), ...partners];
}

/** The claims without a volume, by class: a free volume concerns the oldest few of its own, as in the bridge. */
export class WaitingClaims {
  readonly #byClass = new Map<string, Map<string, SyncKey>>();
  readonly #classOf = new Map<string, string>();

  /** An object has come, changed or gone. */
  take({ type, kind, after }: Pick<Change, 'type' | 'kind' | 'after'>): void {
    if (kind !== 'PersistentVolumeClaim') return;
    const claim = after as PersistentVolumeClaim;
    const { namespace, name } = claim.metadata;
    const id = `${namespace}/${name}`;
    this.#forget(id);
    if (type === 'DELETED' || claim.spec.volumeName || claim.status?.phase === 'Lost') return;
    const className = storageClassOf(claim);
    const ofClass = this.#byClass.get(className) ?? new Map<string, SyncKey>();
    this.#byClass.set(className, ofClass.set(id, { kind, namespace, name }));
    this.#classOf.set(id, className);
  }

  /** Those that could have this object, if it is a free volume. */
  for({ kind, after }: Pick<Change, 'kind' | 'after'>): SyncKey[] {
    if (kind !== 'PersistentVolume' || (after as PersistentVolume).spec.claimRef !== undefined) return [];
    const oldest: SyncKey[] = [];
    for (const key of this.#byClass.get(storageClassOf(after as PersistentVolume))?.values() ?? []) {
      if (oldest.length === MAX_WOKEN) break;
      oldest.push(key);
    }
    return oldest;
  }

  #forget(id: string): void {
    const className = this.#classOf.get(id);
    if (className === undefined) return;
    this.#classOf.delete(id);
    const ofClass = this.#byClass.get(className);
    ofClass?.delete(id);
    if (ofClass?.size === 0) this.#byClass.delete(className);
  }
}

/** The other half of an object, where it names one. */
export function partnerOf(kind: SyncKey['kind'], held: Held): SyncKey[] {
  if (kind === 'PersistentVolumeClaim') {
    const { volumeName } = (held as PersistentVolumeClaim).spec;
    return volumeName ? [{ kind: 'PersistentVolume', name: volumeName }] : [];
  }
  const { namespace, name } = (held as PersistentVolume).spec.claimRef ?? {};
  return namespace && name ? [{ kind: 'PersistentVolumeClaim', namespace, name }] : [];
}
