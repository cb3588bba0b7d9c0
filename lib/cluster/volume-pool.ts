/**
 * The volumes of a warm environment (DESIGN D7). The first use lists; from then on a watch follows.
 *
 * How it knows that it is fresh: a silent watch proves nothing (it may be dead, or behind), so a refresh first asks the
 * server for the version of now, by a list of one object, and is done when the watch has reached that version by an event
 * or a bookmark. While volumes are being written that takes milliseconds. Otherwise the watch is opened anew from its
 * position with a time-out of 3 s: that replaces a connection that died while the Lambda was frozen, brings what was
 * missed, and makes the server send a bookmark about a second later (it sends one 2 s before the end of a watch).
 * So a refresh costs what has changed. It lists anew only when a list is as cheap (two pages of volumes, and nothing comes
 * by the watch at present), when the server has forgotten our position, or when the bookmark stays out.
 */
import { AmbiguousError, ClusterError } from '../controller/errors.ts';
import type { Clock, VolumePool } from '../controller/ports.ts';
import type { ObjectKey, PersistentVolume } from '../controller/types.ts';
import type { VolumeIndex } from '../controller/volume-index.ts';
import { GoneError } from './errors.ts';
import type { ListResult } from './resource-client.ts';
import { VolumeMirror } from './volume-mirror.ts';
import type { WatchEvent, WatchOptions } from './watch.ts';

type Volume = 'PersistentVolume';

/** What the pool needs of `ApiServerCluster`. */
export interface VolumeSource {
  get(kind: Volume, key: ObjectKey, options: { signal: AbortSignal }): Promise<PersistentVolume | undefined>;
  listWithVersion(kind: Volume, options: { signal: AbortSignal }): Promise<ListResult<PersistentVolume>>;
  version(kind: Volume, options: { signal: AbortSignal }): Promise<{ resourceVersion: string }>;
  watch(kind: Volume, options: WatchOptions): AsyncIterable<WatchEvent<Volume>>;
}

/** How a refresh chooses between the watch and a list, and for how long the watch is kept. */
export interface VolumePoolSettings {
  readonly clock?: Pick<Clock, 'now'>;
  /** Up to so many volumes a refresh is a list, unless the watch is busy. Default 1,000: two pages, about 20 ms. */
  readonly listUpTo?: number;
  /** How long a refresh waits for the running watch before it opens a new one. Default 100 ms. */
  readonly lingerMs?: number;
  /** How long it waits for the new one before it lists. Default 2,500 ms. */
  readonly catchUpMs?: number;
  /** A watch that ends is opened again only when the pool was used within this time. Default 5 minutes. */
  readonly keepWarmMs?: number;
  /** Told why a watch ended, other than by the server's time-out. */
  readonly onWatchError?: (error: unknown) => void;
}

interface Moment {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly round: number;
}

const BOOKMARK_SOON_SECONDS = 3;
/** A watch that brought something this lately is likely to reach the version of now by itself, and soon. */
const BUSY_MS = 1_000;
/** More holes than this are filled by a list. */
const MAX_READS = 20;
const WATCH_RETRY_MS = 1_000;

/** The pool over a list and a watch of all volumes; see the head of this file. */
export class ApiVolumePool implements VolumePool {
  readonly #source: VolumeSource;
  readonly #settings: Required<Omit<VolumePoolSettings, 'clock' | 'onWatchError'>> & VolumePoolSettings;
  readonly #mirror = new VolumeMirror();
  /** Called when the position moved, or the watch ended. */
  readonly #waiting = new Set<() => void>();
  /** Counts the proofs of freshness that were begun. */
  #round = 0;
  /** When the last proof began that came off: the index holds all that was written before. */
  #proven: Moment = { at: Number.NEGATIVE_INFINITY, round: 0 };
  #usedAt = 0;
  #refreshing: { readonly done: Promise<void>; readonly abort: AbortController } | undefined;
  #watching: AbortController | undefined;
  #watchFailedAt = Number.NEGATIVE_INFINITY;
  #eventAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(source: VolumeSource, settings: VolumePoolSettings = {}) {
    this.#source = source;
    this.#settings = { listUpTo: 1_000, lingerMs: 100, catchUpMs: 2_500, keepWarmMs: 300_000, ...settings };
  }

  /**
   * The index is live: the watch goes on changing it. What is young enough is answered at once, without a promise.
   * @param maxAgeMs Infinity takes what is there, and lists only when nothing is.
   * @throws ClusterError when a refresh was needed and failed.
   */
  volumes(maxAgeMs: number): VolumeIndex | Promise<VolumeIndex> {
    if (this.#closed) return Promise.reject(new ClusterError('the volume pool is closed'));
    this.#usedAt = this.#now();
    const needed = this.#usedAt - maxAgeMs;
    const round = this.#round;
    // Age 0 is told by order, not by the clock: a refresh of the same millisecond may have begun before this call.
    const isYoung = (): boolean => (maxAgeMs > 0 ? this.#proven.at >= needed : this.#proven.round > round);
    const suffices = (): boolean =>
      this.#mirror.position !== undefined &&
      (needed === Number.NEGATIVE_INFINITY || (isYoung() && this.#mirror.holes.length === 0));
    if (!suffices()) return this.#refreshed(isYoung, suffices);
    this.#keepWatching();
    return this.#mirror.index;
  }

  /** A refresh that is under way may have begun too early, so that a second one is needed; a third never is. */
  async #refreshed(isYoung: () => boolean, suffices: () => boolean): Promise<VolumeIndex> {
    for (let turn = 0; turn < 2 && !suffices(); turn++) await this.#refresh(isYoung);
    this.#keepWatching();
    return this.#mirror.index;
  }

  /** @param resourceVersion the version that the write carried: what is newer stays. */
  drop(name: string, resourceVersion?: string): void {
    this.#mirror.drop(name, resourceVersion);
  }

  hold(name: string, claim: string): () => void {
    this.#mirror.index.hold(name, claim);
    return () => this.#mirror.index.release(name);
  }

  store(volume: PersistentVolume): void {
    // A worker that never asks for volumes would keep for ever what it has written; who asks gets it from the list.
    if (this.#round > 0) this.#mirror.store(volume);
  }

  /** Ends a refresh that is under way: for a handler that returns before its syncs are done. */
  cancel(): void {
    this.#refreshing?.abort.abort(new Error('the invocation ended'));
  }

  /** Ends everything; the pool is of no use afterwards. */
  close(): void {
    this.#closed = true;
    this.cancel();
    this.#watching?.abort();
  }

  #now(): number {
    return this.#settings.clock?.now() ?? Date.now();
  }

  #begin(): Moment {
    return { at: this.#now(), round: ++this.#round };
  }

  /** One at a time: who comes later waits for it. */
  async #refresh(isYoung: () => boolean): Promise<void> {
    if (this.#refreshing === undefined) {
      const abort = new AbortController();
      const done = this.#renew(isYoung, abort.signal).finally(() => {
        this.#refreshing = undefined;
      });
      this.#refreshing = { done, abort };
    }
    await this.#refreshing.done;
  }

  async #renew(isYoung: () => boolean, signal: AbortSignal): Promise<void> {
    const { position, holes, index } = this.#mirror;
    const old = !isYoung();
    const few = index.size <= this.#settings.listUpTo;
    const busy = this.#watching !== undefined && this.#now() - this.#eventAt < BUSY_MS;
    if (position === undefined || holes.length > MAX_READS || (old && few && !busy)) return await this.#list(signal);
    await Promise.all(holes.map((name) => this.#read(name, signal)));
    if (old) await this.#catchUp(signal, few);
  }

  async #read(name: string, signal: AbortSignal): Promise<void> {
    this.#mirror.fill(name, await this.#source.get('PersistentVolume', { name }, { signal }));
  }

  async #list(signal: AbortSignal): Promise<void> {
    const began = this.#begin();
    this.#mirror.takeList(await this.#source.listWithVersion('PersistentVolume', { signal }));
    this.#proven = began;
  }

  async #catchUp(signal: AbortSignal, few: boolean): Promise<void> {
    const began = this.#begin();
    const { resourceVersion } = await this.#source.version('PersistentVolume', { signal });
    let reached = await this.#reaches(resourceVersion, this.#settings.lingerMs, signal);
    if (!reached && !few && this.#mirror.position !== undefined) {
      this.#follow(BOOKMARK_SOON_SECONDS);
      reached = await this.#reaches(resourceVersion, this.#settings.catchUpMs, signal);
    }
    if (signal.aborted) throw new ClusterError('the refresh of the volumes was cancelled');
    if (!reached) return await this.#list(signal);
    this.#proven = began;
  }

  /** Whether the running watch gets to a version within `timeoutMs`. */
  #reaches(resourceVersion: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.#mirror.hasReached(resourceVersion)) finish(true);
        else if (this.#watching === undefined || signal.aborted) finish(false);
      };
      const finish = (reached: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', check);
        this.#waiting.delete(check);
        resolve(reached);
      };
      const timer = setTimeout(() => finish(false), timeoutMs);
      signal.addEventListener('abort', check);
      this.#waiting.add(check);
      check();
    });
  }

  #keepWatching(): void {
    if (this.#closed || this.#watching !== undefined || this.#mirror.position === undefined) return;
    if (this.#now() - this.#watchFailedAt >= WATCH_RETRY_MS) this.#follow();
  }

  /** Opens a watch in place of the running one. */
  #follow(timeoutSeconds?: number): void {
    this.#watching?.abort();
    const abort = new AbortController();
    this.#watching = abort;
    void this.#watch(abort.signal, timeoutSeconds)
      .catch((error) => this.#watchFailed(error, abort))
      .finally(() => {
        if (this.#watching === abort) this.#watching = undefined;
        this.#wake();
      });
  }

  async #watch(signal: AbortSignal, firstTimeoutSeconds?: number): Promise<void> {
    let options = firstTimeoutSeconds === undefined ? {} : { timeoutSeconds: firstTimeoutSeconds };
    for (let resourceVersion = this.#mirror.position; resourceVersion !== undefined; ) {
      const opened = performance.now();
      for await (const event of this.#source.watch('PersistentVolume', { resourceVersion, signal, ...options })) {
        if (signal.aborted) return;
        this.#mirror.takeEvent(event);
        if (event.type !== 'BOOKMARK') this.#eventAt = this.#now();
        this.#wake();
      }
      if (signal.aborted || this.#now() - this.#usedAt >= this.#settings.keepWarmMs) return;
      if (performance.now() - opened < WATCH_RETRY_MS) throw new AmbiguousError('the watch of volumes ended at once');
      options = {};
      resourceVersion = this.#mirror.position;
    }
  }

  #watchFailed(error: unknown, abort: AbortController): void {
    // The end of a watch that was replaced says nothing about the one in its place.
    if (abort.signal.aborted) return;
    this.#watchFailedAt = this.#now();
    if (error instanceof GoneError) this.#mirror.forgetPosition();
    try {
      this.#settings.onWatchError?.(error);
    } catch {
      // An observer cannot break the pool.
    }
  }

  #wake(): void {
    for (const check of [...this.#waiting]) check();
  }
}
