/**
 * The watch bridge (DESIGN D8): follows volumes, claims, classes and recycler pods, and sends the keys that need a sync.
 * It holds nothing that a restart could lose: its first act is a list, and what needs a sync is sent again.
 */
import type { SyncRules } from '../controller/ports.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../controller/types.ts';
import { type BridgeClock, pause, systemClock } from './clock.ts';
import { Dispatcher } from './dispatcher.ts';
import { Echo } from './echo.ts';
import { Evaluator } from './evaluator.ts';
import { Ledger } from './ledger.ts';
import { ListWatch } from './list-watch.ts';
import { volumeUidOf, writersOf } from './partners.ts';
import type { BridgeHooks, Predicates, Sender, WatchedKind, WatchSource } from './ports.ts';
import { Publisher } from './publisher.ts';
import { Registry } from './registry.ts';
import { type BridgeSettings, DEFAULT_SETTINGS } from './settings.ts';
import { Sweep } from './sweep.ts';
import { Wake } from './wake.ts';

/** What a bridge is made of: where it reads, where it sends, and by which rules it decides. */
export interface BridgeOptions {
  readonly source: WatchSource;
  readonly sender: Sender;
  readonly predicates: Predicates;
  readonly rules: SyncRules;
  readonly settings?: Partial<BridgeSettings>;
  /** The volume that a recycler pod works for, undefined for other pods. */
  readonly volumeOfPod?: (pod: Pod) => string | undefined;
  readonly hooks?: BridgeHooks;
  readonly clock?: BridgeClock;
}

/** How far the bridge has come with one resource. */
export interface ResourceHealth {
  readonly synced: boolean;
  /** Of the last list, event or bookmark, in milliseconds since the epoch. */
  readonly lastActivity: number | undefined;
  /** The queue has everything up to this version. */
  readonly resourceVersion: string | undefined;
  readonly unaccepted: number;
  readonly oldestUnacceptedMs: number;
}

/** Whether the bridge works and keeps up: what a health check or a test asks for. */
export interface BridgeHealth {
  /** All lists have come once, and keys are being looked at. */
  readonly ready: boolean;
  /** Messages that the queue has not accepted, and the age of the oldest. */
  readonly unsent: number;
  readonly oldestUnsentMs: number;
  readonly resources: Partial<Record<WatchedKind, ResourceHealth>>;
}

/** What a bridge holds: slim copies (lib/bridge/slim.ts), not to be changed. */
export interface Holdings {
  volumes(): Iterable<PersistentVolume>;
  claims(): Iterable<PersistentVolumeClaim>;
  storageClass(name: string): StorageClass | undefined;
}

const IDLE_CHECK_MS = 5;

/**
 * @example
 * const bridge = new Bridge({ source: apiServer, sender: producer, predicates: needsSync, rules });
 * await bridge.run(AbortSignal.timeout(11 * 60_000));
 */
export class Bridge {
  readonly #options: BridgeOptions;
  readonly #settings: BridgeSettings;
  readonly #clock: BridgeClock;
  readonly #publisher: Publisher;
  readonly #echo: Echo;
  readonly #wake: Wake;
  readonly #sweep: Sweep;
  readonly #dispatcher: Dispatcher;
  readonly #loops: readonly ListWatch<WatchedKind>[];
  readonly #kinds: readonly WatchedKind[];
  readonly #registry: Registry;
  #isStopped = false;

  constructor(options: BridgeOptions) {
    this.#options = options;
    const settings = { ...DEFAULT_SETTINGS, ...options.settings };
    const { sender, predicates, rules, clock = systemClock, hooks = {} } = options;
    this.#settings = settings;
    this.#clock = clock;
    const registry = new Registry((error) => hooks.failed?.('version', error));
    const ledger = new Ledger();
    const publisher = new Publisher({
      sender,
      settings,
      clock,
      hooks,
      volumeUidOf: (message) => volumeUidOf(registry, message),
    });
    const evaluator = new Evaluator({ registry, publisher, ledger, predicates, rules, clock, hooks });
    const echo = new Echo({
      evaluate: (key, trigger) => evaluator.evaluate(key, trigger),
      isOnItsWay: (key) => writersOf(registry, key).some((writer) => ledger.get(writer) !== undefined),
      windowMs: settings.echoWindowMs,
      clock,
    });
    this.#registry = registry;
    this.#publisher = publisher;
    this.#echo = echo;
    this.#wake = new Wake({ registry, evaluator, predicates, rules, settings, clock, hooks });
    this.#sweep = new Sweep({ registry, publisher, evaluator, echo, ledger, settings, clock });
    const { volumeOfPod = () => undefined } = options;
    this.#dispatcher = new Dispatcher({
      registry,
      publisher,
      evaluator,
      echo,
      wake: this.#wake,
      clock,
      volumeOfPod,
      changed: hooks.changed?.bind(hooks),
    });
    this.#kinds = ['PersistentVolume', 'PersistentVolumeClaim', 'StorageClass'];
    if (settings.recyclerNamespace !== undefined) this.#kinds = [...this.#kinds, 'Pod'];
    this.#loops = this.#kinds.map((kind) => this.#loop(kind, hooks));
  }

  /** Works until the signal is aborted, then waits for the queue to take what is left. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    void this.#dispatcher.ready.then(() => {
      if (!signal.aborted) this.#sweep.start();
    });
    await Promise.all(this.#loops.map((loop) => loop.run(signal)));
    this.#isStopped = true;
    this.#sweep.stop();
    this.#wake.stop();
    this.#echo.flush();
    const deadline = this.#clock.now() + this.#settings.stopTimeoutMs;
    while (this.#publisher.size > 0 && this.#clock.now() < deadline) await pause(this.#clock, IDLE_CHECK_MS);
    this.#publisher.stop();
  }

  /** For probes and metrics. */
  health(): BridgeHealth {
    const now = this.#clock.now();
    const age = (since: number | undefined) => (since === undefined ? 0 : now - since);
    const resources: Partial<Record<WatchedKind, ResourceHealth>> = {};
    for (const [index, loop] of this.#loops.entries()) {
      const kind = this.#kinds[index];
      if (kind === undefined) continue;
      resources[kind] = {
        synced: loop.synced,
        lastActivity: loop.lastActivity,
        resourceVersion: loop.resourceVersion,
        unaccepted: loop.unaccepted,
        oldestUnacceptedMs: age(loop.oldestUnacceptedSince),
      };
    }
    return {
      ready: this.#dispatcher.isReady,
      unsent: this.#publisher.size,
      oldestUnsentMs: age(this.#publisher.oldestSince),
      resources,
    };
  }

  /** For gauges: reading it costs no request. */
  get holdings(): Holdings {
    const registry = this.#registry;
    return {
      volumes: () => registry.volumes.values(),
      claims: () => registry.claims(),
      storageClass: (name) => registry.storageClass(name),
    };
  }

  /** Sends every key once, whatever the predicate says. Resolves when the queue has them. */
  async resyncAll(): Promise<void> {
    await this.#dispatcher.ready;
    await this.#sweep.resyncAll(`manual ${this.#clock.now()}`);
  }

  /**
   * Resolves when everything is listed and watched and nothing is left to look at or to send; offers of volumes may be
   * open. A stopped bridge watches nothing, and only what it still has to send is waited for.
   */
  async idle(): Promise<void> {
    while (!this.#isIdle()) await pause(this.#clock, IDLE_CHECK_MS);
  }

  #isIdle(): boolean {
    const follows = this.#loops.every((loop) => loop.synced && loop.isOpen) && this.#dispatcher.isReady;
    return (
      (follows || this.#isStopped) &&
      this.#dispatcher.looks === 0 &&
      this.#echo.size === 0 &&
      this.#publisher.size === 0
    );
  }

  #loop(kind: WatchedKind, hooks: BridgeHooks): ListWatch<WatchedKind> {
    const { source } = this.#options;
    return new ListWatch<WatchedKind>({
      source,
      kind,
      namespace: kind === 'Pod' ? this.#settings.recyclerNamespace : undefined,
      handler: this.#dispatcher.handler(kind),
      settings: this.#settings,
      clock: this.#clock,
      hooks,
    });
  }
}
