/**
 * Follows one resource for ever: list, watch from there, and from where it was when the watch ends. Nothing but the
 * signal stops it. Its position moves past an event only when all that the event caused is accepted.
 */

import type { Kinds } from '../controller/types.ts';
import { Backoff, type BridgeClock, pause } from './clock.ts';
import type { BridgeHooks, WatchEvent, WatchedKind, WatchSource } from './ports.ts';
import { Position } from './position.ts';
import type { BridgeSettings } from './settings.ts';

/** Who takes in what a list/watch loop reads. */
export interface ListWatchHandler<K extends WatchedKind> {
  /** What is kept of an object of a list. */
  slim(object: Kinds[K]): Kinds[K];
  /** Takes the whole resource in before it returns; the promise is that of its messages' acceptance. */
  onList(items: Kinds[K][], resourceVersion: string): Promise<void>;
  /** Takes the change in before it returns, likewise. */
  onEvent(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Kinds[K]): Promise<void>;
}

/** What to follow, from where, and who takes it in. */
export interface ListWatchOptions<K extends WatchedKind> {
  readonly source: WatchSource;
  readonly kind: K;
  readonly namespace?: string | undefined;
  readonly handler: ListWatchHandler<K>;
  readonly settings: BridgeSettings;
  readonly clock: BridgeClock;
  readonly hooks: BridgeHooks;
}

/** A watch that ends sooner than this without an event was no good one. */
const SHORT_WATCH_MS = 1_000;
const GONE = 410;

/** The loop over one resource; see the head of this file. */
export class ListWatch<K extends WatchedKind> {
  readonly #options: ListWatchOptions<K>;
  readonly #position: Position;
  readonly #backoff: Backoff;
  #synced = false;
  #isOpen = false;
  #lastActivity: number | undefined;
  #failure: { readonly error: unknown } | undefined;
  #watching = new AbortController();
  /** Of the present watch. */
  #events = 0;

  constructor(options: ListWatchOptions<K>) {
    this.#options = options;
    const { settings } = options;
    this.#backoff = new Backoff(settings.retryBaseMs, settings.retryMaxMs);
    this.#position = new Position(settings.maxInFlight, (error) => {
      this.#failure ??= { error };
      this.#watching.abort(error);
    });
  }

  /** The first list is done. */
  get synced(): boolean {
    return this.#synced;
  }

  /** A watch is open: what changes now is seen, and not only when a list or the next watch comes. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** When a list, an event or a bookmark came last. */
  get lastActivity(): number | undefined {
    return this.#lastActivity;
  }

  /** Everything up to this version is accepted by the queue; undefined while the list is not. */
  get resourceVersion(): string | undefined {
    return this.#position.accepted;
  }

  get unaccepted(): number {
    return this.#position.inFlight;
  }

  get oldestUnacceptedSince(): number | undefined {
    return this.#position.oldestSince;
  }

  /** Resolves only when the signal is aborted, and never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, hooks, kind, settings } = this.#options;
    while (!signal.aborted) {
      const startedAt = clock.now();
      let delay = 0;
      this.#events = 0;
      try {
        if (this.#position.resumeFrom === undefined) await this.#list(signal);
        await this.#watch(signal);
        if (clock.now() - startedAt >= SHORT_WATCH_MS || this.#events > 0) this.#backoff.reset();
        else delay = this.#backoff.next();
      } catch (error) {
        if (signal.aborted) return;
        hooks.failed?.(kind, error);
        // A server that gave events is well, unless it is their work that failed.
        const gaveEvents = this.#events > 0 && this.#failure === undefined;
        if (gaveEvents || clock.now() - startedAt >= settings.goodPeriodMs) this.#backoff.reset();
        const isFirst = this.#backoff.failures === 0;
        delay = Math.max(this.#backoff.next(), askedDelayOf(error));
        if (isGone(error)) {
          this.#position.forget();
          if (isFirst) delay = 0;
        }
      }
      if (delay > 0) await pause(clock, delay, signal);
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { source, kind, handler, hooks } = this.#options;
    const slim = (item: Kinds[K]) => handler.slim(item);
    const { items, resourceVersion } = await source.listWithVersion(kind, { ...this.#scope(), signal }, slim);
    signal.throwIfAborted();
    hooks.listed?.(kind, items.length);
    const now = this.#active();
    this.#position.listed(resourceVersion, handler.onList(items, resourceVersion), now);
    this.#synced = true;
  }

  /** Resolves when the server ends the watch. */
  async #watch(signal: AbortSignal): Promise<void> {
    const { source, kind, settings, hooks } = this.#options;
    this.#failure = undefined;
    this.#watching = new AbortController();
    this.#position.rewind();
    const either = AbortSignal.any([signal, this.#watching.signal]);
    const resourceVersion = this.#position.resumeFrom ?? '';
    const { idleTimeoutMs } = settings;
    const onOpen = () => {
      this.#isOpen = true;
    };
    const withManagers = hooks.changed !== undefined;
    const options = { ...this.#scope(), resourceVersion, signal: either, idleTimeoutMs, withManagers, onOpen };
    try {
      for await (const event of source.watch(kind, options)) {
        if (either.aborted) break;
        this.#events++;
        this.#receive(event);
        await this.#position.room(either);
        if (either.aborted) break;
      }
    } finally {
      this.#isOpen = false;
    }
    this.#throwFailure();
  }

  /** The work of an event was given up. */
  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #receive(event: WatchEvent<Kinds[K]>): void {
    const { handler, hooks, kind, clock } = this.#options;
    const now = this.#active();
    hooks.seen?.(kind, event.type);
    if (event.type === 'BOOKMARK') {
      this.#position.received(event.object.metadata.resourceVersion, undefined, now);
      return;
    }
    const work = handler.onEvent(event.type, event.object);
    this.#position.received(event.object.metadata.resourceVersion ?? '', work, now);
    void work.then(
      () => hooks.lag?.(kind, clock.now() - now),
      () => {},
    );
  }

  #active(): number {
    this.#lastActivity = this.#options.clock.now();
    return this.#lastActivity;
  }

  #scope(): { namespace?: string } {
    const { namespace } = this.#options;
    return namespace === undefined ? {} : { namespace };
  }
}

function isGone(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === GONE;
}

/** A throttling server says how long to stay away. */
function askedDelayOf(error: unknown): number {
  const seconds = (error as { retryAfterSeconds?: unknown } | undefined)?.retryAfterSeconds;
  return typeof seconds === 'number' ? seconds * 1_000 : 0;
}
