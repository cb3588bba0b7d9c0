/** Claims that look for a volume, by class, the oldest first. Sorted when read, as lists come in no useful order. */
import { claimKeyOf, storageClassOf } from '../controller/annotations.ts';
import type { PersistentVolumeClaim } from '../controller/types.ts';

interface Slot {
  claim: PersistentVolumeClaim;
  gone: boolean;
}

interface ClassClaims {
  readonly slots: Map<string, Slot>;
  /** The slots in order, gone ones among them; undefined when it has to be made anew. */
  order: Slot[] | undefined;
}

/** The claims without a volume, as the wake rule asks for them. */
export class UnboundClaims {
  readonly #classes = new Map<string, ClassClaims>();

  /** Adds a claim. One that is held already must be deleted first. */
  add(claim: PersistentVolumeClaim): void {
    const name = storageClassOf(claim);
    const ofClass = this.#classes.get(name) ?? { slots: new Map(), order: undefined };
    this.#classes.set(name, ofClass);
    const slot = { claim, gone: false };
    ofClass.slots.set(claimKeyOf(claim), slot);
    const last = ofClass.order?.at(-1);
    if (last !== undefined && isOlder(last.claim, claim)) ofClass.order?.push(slot);
    else ofClass.order = undefined;
  }

  /** @param claim as it was added. */
  delete(claim: PersistentVolumeClaim): void {
    const name = storageClassOf(claim);
    const ofClass = this.#classes.get(name);
    const slot = ofClass?.slots.get(claimKeyOf(claim));
    if (ofClass === undefined || slot === undefined) return;
    slot.gone = true;
    ofClass.slots.delete(claimKeyOf(claim));
    if (ofClass.slots.size === 0) this.#classes.delete(name);
    else if (ofClass.order !== undefined && ofClass.order.length > 2 * ofClass.slots.size + 16)
      ofClass.order = undefined;
  }

  /** Puts a newer version of a claim in the place of the held one. */
  replace(held: PersistentVolumeClaim, claim: PersistentVolumeClaim): void {
    const slot = this.#classes.get(storageClassOf(held))?.slots.get(claimKeyOf(held));
    const isSamePlace =
      storageClassOf(held) === storageClassOf(claim) &&
      held.metadata.creationTimestamp === claim.metadata.creationTimestamp;
    if (slot !== undefined && isSamePlace) {
      slot.claim = claim;
      return;
    }
    this.delete(held);
    this.add(claim);
  }

  /** The claims of a class, the oldest first. */
  *ofClass(name: string): Generator<PersistentVolumeClaim> {
    const ofClass = this.#classes.get(name);
    if (ofClass === undefined) return;
    ofClass.order ??= [...ofClass.slots.values()].sort((a, b) => (isOlder(a.claim, b.claim) ? -1 : 1));
    for (const slot of ofClass.order) if (!slot.gone) yield slot.claim;
  }
}

function isOlder(a: PersistentVolumeClaim, b: PersistentVolumeClaim): boolean {
  const createdA = a.metadata.creationTimestamp ?? '';
  const createdB = b.metadata.creationTimestamp ?? '';
  return createdA === createdB ? claimKeyOf(a) < claimKeyOf(b) : createdA < createdB;
}
