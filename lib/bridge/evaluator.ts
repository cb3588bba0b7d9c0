/** Decides whether a key needs a message, in the newest state that is held, and sends it. */
import { isReservedFor } from '../controller/claim-ref.ts';
import { messageOf } from '../controller/errors.ts';
import type { SyncRules } from '../controller/ports.ts';
import type { PersistentVolume, PersistentVolumeClaim, SyncKey } from '../controller/types.ts';
import type { Occasion } from '../queue/ids.ts';
import type { DeletedObject, Reason, SyncMessage } from '../queue/message.ts';
import type { BridgeClock } from './clock.ts';
import type { Ledger } from './ledger.ts';
import { occasionOf, reasonOf, type Trigger } from './occasion.ts';
import type { BridgeHooks, Predicates } from './ports.ts';
import type { Lane, Publisher } from './publisher.ts';
import { type Registry, syncKeyOf } from './registry.ts';

type Paired = PersistentVolume | PersistentVolumeClaim;

/** What is held, what was sent, and the predicates that decide. */
export interface EvaluatorOptions {
  readonly registry: Registry;
  readonly publisher: Publisher;
  readonly ledger: Ledger;
  readonly predicates: Predicates;
  readonly rules: SyncRules;
  readonly clock: BridgeClock;
  readonly hooks: BridgeHooks;
}

/** The one place where the bridge decides to send the key of an object that exists (DESIGN D8). */
export class Evaluator {
  readonly #options: EvaluatorOptions;

  constructor(options: EvaluatorOptions) {
    this.#options = options;
  }

  /** @returns undefined when the key needs nothing, else the promise that its message is accepted. */
  evaluate(key: SyncKey, trigger: Trigger): Promise<void> | undefined {
    const { registry, ledger, publisher, hooks } = this.#options;
    const object = registry.object(key);
    const isNeeded = object !== undefined && this.needsSync(key.kind, object);
    if (object === undefined || !(trigger.force || isNeeded)) {
      ledger.settled(key);
      hooks.filtered?.(key);
      return undefined;
    }
    const occasion = occasionOf(registry, key.kind, object, trigger);
    if (ledger.has(key, occasion)) {
      hooks.filtered?.(key);
      return publisher.pending(key);
    }
    const hint = this.#reservedFor(key.kind, object);
    const accepted = this.#publish(key, object, occasion, reasonOf(occasion, trigger), hint, 'look');
    // No write will come of it, so no later event is an echo of one.
    if (!isNeeded) ledger.settled(key);
    return accepted;
  }

  /** The predicate. Where it fails the worker may find out. */
  needsSync(kind: SyncKey['kind'], object: Paired): boolean {
    const { predicates, registry, rules, hooks } = this.#options;
    try {
      return kind === 'PersistentVolume'
        ? predicates.needsVolumeSync(registry, object as PersistentVolume, rules)
        : predicates.needsClaimSync(registry, object as PersistentVolumeClaim, rules);
    } catch (error) {
      hooks.failed?.('predicate', new Error(`${kind} ${object.metadata.name}: ${messageOf(error)}`, { cause: error }));
      return true;
    }
  }

  /** Sends a claim that a volume became free for, whatever the predicate says. */
  wake(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    const { name, uid = '', resourceVersion = '' } = volume.metadata;
    // Always the volume as the cause, be it older than the claim: a worker may choose from a pool that lacks it.
    const occasion = { form: 'enqueue', cause: { uid, resourceVersion } } as const;
    return this.#publish(syncKeyOf('PersistentVolumeClaim', claim), claim, occasion, 'enqueued', name, 'wake');
  }

  /** Sends it once more though nothing changed: `epoch` makes its id a new one. */
  resend(kind: SyncKey['kind'], object: Paired, epoch: string): Promise<void> {
    const { publisher, ledger, clock } = this.#options;
    const key = syncKeyOf(kind, object);
    ledger.resent(key, clock.now());
    const message = messageFor(key, object, 'resync', this.#reservedFor(kind, object));
    return publisher.publish({ message, occasion: { form: 'resync', epoch } });
  }

  /** Tells of an object that is gone, with what its delete handler needs; nobody can read that any more. */
  sendDeleted(kind: SyncKey['kind'], object: Paired): Promise<void> | undefined {
    const key = syncKeyOf(kind, object);
    const deleted = lastStateOf(kind, object);
    if (deleted === undefined) return undefined;
    const { uid = '' } = object.metadata;
    const message: SyncMessage = { ...messageFor(key, object, 'deleted'), deleted };
    return this.#options.publisher.publish({ message, occasion: { form: 'deleted', uid } }, `deleted ${uid}`);
  }

  /** Waits for nothing more about an object that is gone, unless its key has another one by now. */
  forget(kind: SyncKey['kind'], object: Paired): void {
    const key = syncKeyOf(kind, object);
    if (this.#options.registry.object(key) === undefined) this.#options.ledger.settled(key);
  }

  #publish(key: SyncKey, object: Paired, occasion: Occasion, reason: Reason, hint: string | undefined, lane: Lane) {
    const { publisher, ledger, clock } = this.#options;
    ledger.sent(key, occasion, clock.now());
    const accepted = publisher.publish({ message: messageFor(key, object, reason, hint), occasion }, lane);
    accepted.then(
      () => ledger.accepted(key, occasion, clock.now()),
      () => {},
    );
    return accepted;
  }

  /** The volume that waits for this claim: a worker may choose from a pool that does not have its claimRef yet. */
  #reservedFor(kind: SyncKey['kind'], object: Paired): string | undefined {
    if (kind === 'PersistentVolume') return undefined;
    const claim = object as PersistentVolumeClaim;
    const reserved = this.#options.registry.volumes.reservedFor(claim.metadata);
    return claim.spec.volumeName ? undefined : reserved.find((volume) => isReservedFor(volume, claim))?.metadata.name;
  }
}

function messageFor(key: SyncKey, { metadata }: Paired, reason: Reason, hint?: string): SyncMessage {
  const { uid, resourceVersion } = metadata;
  return {
    v: 1,
    ...key,
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    reason,
    ...(hint !== undefined && { hint: { volumeName: hint } }),
  };
}

/** @returns undefined when it had no partner, so that nobody is concerned. */
function lastStateOf(kind: SyncKey['kind'], object: Paired): DeletedObject | undefined {
  const { deletionTimestamp } = object.metadata;
  const when = deletionTimestamp === undefined ? {} : { deletionTimestamp };
  if (kind === 'PersistentVolumeClaim') {
    const { volumeName } = (object as PersistentVolumeClaim).spec;
    return volumeName ? { volumeName, ...when } : undefined;
  }
  const { claimRef } = (object as PersistentVolume).spec;
  if (claimRef === undefined) return undefined;
  const { namespace = '', name = '', uid } = claimRef;
  return { claimRef: { namespace, name, ...(uid !== undefined && { uid }) }, ...when };
}
