/**
 * The sweeps that find what no event told of. The *predicate sweep* goes over what is held every resync period, at no
 * cost but its own: what needs a sync and has not changed since its last message is sent again, ever more seldom. So is a
 * claim that waits: no write would come of it, but why it waits may have changed (a pod, say), and its user is told by the
 * sync. The *full sweep* sends every key once per sweep period whatever the predicate says, spread over that time.
 *
 * Both count in epochs of the clock, and a key has its place in the full sweep by its uid: two bridges send the same keys
 * in the same epoch under the same ids.
 */
import { BIND_COMPLETED, hasAnnotation } from '../controller/annotations.ts';
import type { PersistentVolume, PersistentVolumeClaim, SyncKey } from '../controller/types.ts';
import type { Echo } from './echo.ts';
import type { Evaluator } from './evaluator.ts';
import type { Ledger, Sent } from './ledger.ts';
import { occasionOf } from './occasion.ts';
import { type PassOptions, pass, SYNCED_KINDS } from './pass.ts';
import { syncKeyOf } from './registry.ts';

/** What is swept and how often; a `sweepPeriodMs` of 0 means no full sweep. */
export interface SweepOptions extends PassOptions {
  readonly evaluator: Evaluator;
  readonly echo: Echo;
  readonly ledger: Ledger;
  readonly settings: { readonly resyncPeriodMs: number; readonly resendMaxMs: number; readonly sweepPeriodMs: number };
}

type Paired = PersistentVolume | PersistentVolumeClaim;
type Repeats = Pick<Sent, 'at' | 'resends'>;

/** Runs both sweeps by the clock; see the head of this file. */
export class Sweep {
  readonly #options: SweepOptions;
  /** Parts of a full sweep, one per epoch; 0 when there is none. */
  readonly #parts: number;
  /** Waiting claims, by what is held of them: a change starts anew. */
  readonly #waiting = new WeakMap<Paired, Repeats>();
  #lastEpoch: number;
  #cancel: (() => void) | undefined;
  #running = false;

  constructor(options: SweepOptions) {
    this.#options = options;
    const { sweepPeriodMs, resyncPeriodMs } = options.settings;
    this.#parts = sweepPeriodMs === 0 ? 0 : Math.max(1, Math.round(sweepPeriodMs / resyncPeriodMs));
    this.#lastEpoch = this.#epochOf(options.clock.now());
  }

  /** Sweeps at the start of each epoch from the next one on. */
  start(): void {
    this.#lastEpoch = this.#epochOf(this.#options.clock.now());
    this.#schedule();
  }

  stop(): void {
    this.#cancel?.();
  }

  /** Everything once, now, without the predicate. Resolves when it is all accepted. */
  async resyncAll(epoch: string): Promise<void> {
    await pass(this.#options, SYNCED_KINDS, (kind, object) => this.#options.evaluator.resend(kind, object, epoch));
  }

  #schedule(): void {
    const { clock, settings } = this.#options;
    const period = settings.resyncPeriodMs;
    this.#cancel = clock.after(period - (clock.now() % period), () => {
      this.#schedule();
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    const epoch = this.#epochOf(this.#options.clock.now());
    if (this.#running || epoch === this.#lastEpoch) return;
    this.#running = true;
    const since = Math.max(this.#lastEpoch, epoch - this.#parts);
    this.#lastEpoch = epoch;
    try {
      await pass(this.#options, SYNCED_KINDS, (kind, object) => {
        void this.#visit(kind, object, since, epoch)?.catch(() => {}); // given up only by a stop
        return undefined;
      });
    } finally {
      this.#running = false;
    }
  }

  #visit(kind: SyncKey['kind'], object: Paired, since: number, epoch: number): Promise<void> | undefined {
    const { evaluator, echo, ledger, registry, clock } = this.#options;
    const key = syncKeyOf(kind, object);
    const full = this.#fullEpoch(object, since, epoch);
    if (full !== undefined) return evaluator.resend(kind, object, `full ${full}`);
    if (!evaluator.needsSync(kind, object)) {
      if (!echo.isDeferred(key)) ledger.settled(key);
      return isWaiting(kind, object) ? this.#remind(kind, object, epoch) : undefined;
    }
    if (echo.isDeferred(key) || this.#options.publisher.pending(key) !== undefined) return undefined;
    const sent = ledger.get(key);
    if (sent === undefined) {
      const version = object.metadata.resourceVersion ?? '';
      ledger.sent(key, occasionOf(registry, kind, object, { version }), clock.now());
    } else if (epoch < this.#dueEpoch(sent)) {
      return undefined;
    }
    return evaluator.resend(kind, object, `predicate ${epoch}`);
  }

  #remind(kind: SyncKey['kind'], object: Paired, epoch: number): Promise<void> | undefined {
    const now = this.#options.clock.now();
    const reminded = this.#waiting.get(object);
    if (reminded !== undefined && epoch < this.#dueEpoch(reminded)) return undefined;
    this.#waiting.set(object, { at: now, resends: reminded === undefined ? 0 : reminded.resends + 1 });
    // At first sight it has had the message of its change.
    return reminded === undefined ? undefined : this.#options.evaluator.resend(kind, object, `waiting ${epoch}`);
  }

  /** A period after the first message, then two, four, and so on. */
  #dueEpoch({ at, resends }: Repeats): number {
    const { resyncPeriodMs, resendMaxMs } = this.#options.settings;
    const most = Math.max(1, Math.floor(resendMaxMs / resyncPeriodMs));
    return this.#epochOf(at + resyncPeriodMs / 2) + Math.min(most, 2 ** Math.min(resends, 30));
  }

  /** The number of the full sweep that this object's turn came in since that epoch. */
  #fullEpoch({ metadata }: Paired, since: number, epoch: number): number | undefined {
    if (this.#parts === 0) return undefined;
    const part = hash(metadata.uid ?? metadata.name) % this.#parts;
    const turn = epoch - ((((epoch - part) % this.#parts) + this.#parts) % this.#parts);
    return turn > since ? Math.floor(turn / this.#parts) : undefined;
  }

  #epochOf(time: number): number {
    return Math.floor(time / this.#options.settings.resyncPeriodMs);
  }
}

function isWaiting(kind: SyncKey['kind'], object: Paired): boolean {
  return kind === 'PersistentVolumeClaim' && !hasAnnotation(object, BIND_COMPLETED);
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
