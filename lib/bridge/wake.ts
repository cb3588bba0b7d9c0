/**
 * The wake rule: a volume that became free is offered to the oldest few Pending claims that it could satisfy, by a
 * message to each with the volume as hint. Many volumes at once must not all wake the same claims, so a claim that was
 * woken a moment ago is passed over. The offer is renewed when a woken claim took another volume, and from time to time
 * while claims are left; to one claim a state of a volume is offered once. The rest is the sweep's.
 */
import { claimKeyOf, storageClassOf } from '../controller/annotations.ts';
import type { SyncRules } from '../controller/ports.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import { phaseOf } from '../controller/volume-phase.ts';
import type { BridgeClock } from './clock.ts';
import type { Evaluator } from './evaluator.ts';
import type { BridgeHooks, Predicates } from './ports.ts';
import { type Change, isUnbound, type Registry, syncKeyOf } from './registry.ts';

/** What is on offer to whom; `wakeCount` claims per volume, each at most once per `wakeWindowMs`. */
export interface WakeOptions {
  readonly registry: Registry;
  readonly evaluator: Evaluator;
  readonly predicates: Predicates;
  readonly rules: SyncRules;
  readonly settings: { readonly wakeCount: number; readonly wakeWindowMs: number };
  readonly clock: BridgeClock;
  readonly hooks: BridgeHooks;
}

/** A free volume with claims that may want it. */
interface Offer {
  readonly version: string | undefined;
  readonly offeredTo: Set<string>;
  rounds: number;
  dueAt: number;
}

interface Woken {
  readonly volumeName: string;
  readonly until: number;
  readonly times: number;
}

/** Claims of its class that one offer looks at; more are left to the sweep. */
const MAX_SCANNED = 1_000;
const MAX_DOUBLINGS = 6;

/** Offers free volumes to waiting claims; see the head of this file. */
export class Wake {
  readonly #options: WakeOptions;
  readonly #offers = new Map<string, Offer>();
  readonly #woken = new Map<string, Woken>();
  #cancelTick: (() => void) | undefined;

  constructor(options: WakeOptions) {
    this.#options = options;
  }

  /** Volumes that are on offer. */
  get size(): number {
    return this.#offers.size;
  }

  /** @returns the promises of the messages that this change led to. */
  volumeChanged({ before, after }: Change<'PersistentVolume'>): Promise<void>[] {
    const name = (after ?? before)?.metadata.name ?? '';
    if (after === undefined || !isFree(after)) {
      this.#offers.delete(name);
      return [];
    }
    const { resourceVersion: version } = after.metadata;
    if (this.#offers.get(name)?.version === version) return [];
    this.#offers.set(name, { version, offeredTo: new Set(), rounds: 0, dueAt: 0 });
    return this.#offer(name).sent;
  }

  /** @returns likewise. */
  claimChanged({ before, after }: Change<'PersistentVolumeClaim'>): Promise<void>[] {
    if (after !== undefined && wantsVolume(after)) return [];
    const gone = after ?? before;
    const key = gone === undefined ? '' : claimKeyOf(gone);
    const woken = this.#woken.get(key);
    if (woken === undefined) return [];
    this.#woken.delete(key);
    return this.#offers.has(woken.volumeName) ? this.#offer(woken.volumeName).sent : [];
  }

  stop(): void {
    this.#cancelTick?.();
    this.#offers.clear();
  }

  /** @returns `exhausted` when every claim of the class that was looked at had been woken a moment ago. */
  #offer(name: string): { sent: Promise<void>[]; exhausted: boolean } {
    const { registry, predicates, rules, settings, clock } = this.#options;
    const volume = registry.volume(name);
    const offer = this.#offers.get(name);
    if (volume === undefined || offer === undefined) return { sent: [], exhausted: false };
    const now = clock.now();
    const isBusy = (key: string) => (this.#woken.get(key)?.until ?? 0) > now;
    let asked = [...offer.offeredTo].filter((key) => isBusy(key) && this.#woken.get(key)?.volumeName === name).length;
    const sent: Promise<void>[] = [];
    let scanned = 0;
    let busy = 0;
    let idle = 0;
    for (const claim of registry.unboundClaims(storageClassOf(volume))) {
      if (asked >= settings.wakeCount || scanned++ >= MAX_SCANNED) break;
      if (!wantsVolume(claim)) continue;
      const key = claimKeyOf(claim);
      if (isBusy(key)) {
        busy++;
        continue;
      }
      idle++;
      if (offer.offeredTo.has(key) || !predicates.couldBind(registry, volume, claim, rules)) continue;
      offer.offeredTo.add(key);
      asked++;
      sent.push(this.#wake(claim, volume));
    }
    if (asked === 0 && busy === 0) this.#offers.delete(name);
    else this.#postpone(offer);
    return { sent, exhausted: busy > 0 && idle === 0 };
  }

  #wake(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    const { evaluator, settings, clock, hooks } = this.#options;
    const key = claimKeyOf(claim);
    const { name, uid } = volume.metadata;
    const times = this.#woken.get(key)?.times ?? 0;
    const until = clock.now() + settings.wakeWindowMs * 2 ** Math.min(times, MAX_DOUBLINGS);
    this.#woken.set(key, { volumeName: name, until, times: times + 1 });
    hooks.woken?.(syncKeyOf('PersistentVolumeClaim', claim), name, uid);
    return evaluator.wake(claim, volume);
  }

  #postpone(offer: Offer): void {
    const { settings, clock } = this.#options;
    offer.dueAt = clock.now() + settings.wakeWindowMs * 2 ** Math.min(offer.rounds++, MAX_DOUBLINGS);
    this.#cancelTick ??= clock.after(settings.wakeWindowMs, () => this.#tick());
  }

  /** Renews the offers whose time has come; a class whose claims were all woken just now is asked once only. */
  #tick(): void {
    const { registry, settings, clock } = this.#options;
    const exhausted = new Set<string>();
    for (const [name, offer] of this.#offers) {
      const volume = registry.volume(name);
      if (volume === undefined || offer.dueAt > clock.now() || exhausted.has(storageClassOf(volume))) continue;
      if (this.#offer(name).exhausted) exhausted.add(storageClassOf(volume));
    }
    const again = this.#offers.size > 0;
    this.#cancelTick = again ? clock.after(settings.wakeWindowMs, () => this.#tick()) : undefined;
  }
}

function isFree(volume: PersistentVolume): boolean {
  const { spec, metadata } = volume;
  return phaseOf(volume) === 'Available' && spec.claimRef === undefined && metadata.deletionTimestamp === undefined;
}

function wantsVolume(claim: PersistentVolumeClaim): boolean {
  return isUnbound(claim) && !claim.spec.volumeName;
}
