/**
 * How far a list/watch loop has come: everything up to `accepted` has caused its messages, and the queue has them.
 * Events may be accepted in any order; the position passes one only when all before it are accepted too.
 */

interface Entry {
  readonly version: string;
  readonly since: number;
  done: boolean;
  /** False once it was dropped because it comes again. */
  live: boolean;
}

/** Entries that are held behind the oldest unaccepted one, per event that may be in flight. */
const HELD_PER_IN_FLIGHT = 20;

/**
 * Counts the events whose messages are not accepted, holds the loop up when they are too many, and knows from where to
 * go on.
 */
export class Position {
  readonly #maxInFlight: number;
  readonly #onFailure: (error: unknown) => void;
  #listVersion: string | undefined;
  #listed: Entry | undefined;
  #accepted: string | undefined;
  #entries: Entry[] = [];
  #inFlight = 0;
  #waiting: (() => void)[] = [];

  /** @param onFailure the work of an event was given up: read again from `resumeFrom`. */
  constructor(maxInFlight: number, onFailure: (error: unknown) => void) {
    this.#maxInFlight = maxInFlight;
    this.#onFailure = onFailure;
  }

  /** The version up to which the queue has everything, undefined while it lacks something of the list. */
  get accepted(): string | undefined {
    return this.#accepted;
  }

  /**
   * Where to watch from, undefined when a list is needed. While the list's own messages are not accepted that is the
   * list's version: all that the list told is held in memory and still being sent.
   */
  get resumeFrom(): string | undefined {
    return this.#accepted ?? this.#listVersion;
  }

  /** Events whose messages are not accepted yet, the list counting as one. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** When the oldest of them arrived. */
  get oldestSince(): number | undefined {
    return this.#entries[0]?.since;
  }

  /** A new list replaces everything known. */
  listed(version: string, work: Promise<void>, now: number): void {
    this.forget();
    this.#listVersion = version;
    this.#listed = this.#add(version, work, now);
  }

  /** An event, with the promise of its acceptance; a bookmark has none. */
  received(version: string, work: Promise<void> | undefined, now: number): void {
    this.#add(version, work, now);
  }

  /** Before watching again from `resumeFrom`: what was received after it comes again. */
  rewind(): void {
    const list = this.#listed;
    for (const entry of this.#entries) entry.live = entry === list;
    this.#entries = this.#entries.filter((entry) => entry.live);
    this.#inFlight = this.#entries.length;
    this.#release();
  }

  /** The versions are of no use any more (410): list again. */
  forget(): void {
    this.#listVersion = undefined;
    this.#listed = undefined;
    this.#accepted = undefined;
    this.rewind();
  }

  /** Resolves when another event may be taken, or the signal is aborted. */
  async room(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#hasRoom()) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(() => {
          signal.removeEventListener('abort', resolve as () => void);
          resolve();
        });
        signal.addEventListener('abort', resolve as () => void, { once: true });
      });
    }
  }

  #add(version: string, work: Promise<void> | undefined, now: number): Entry {
    const entry: Entry = { version, since: now, done: work === undefined, live: true };
    this.#entries.push(entry);
    if (work === undefined) {
      this.#advance();
      return entry;
    }
    this.#inFlight++;
    work.then(
      () => {
        entry.done = true;
        if (!entry.live) return;
        this.#inFlight--;
        this.#advance();
      },
      (error) => {
        if (entry.live) this.#onFailure(error);
      },
    );
    return entry;
  }

  #advance(): void {
    let done = 0;
    for (const entry of this.#entries) {
      if (!entry.done) break;
      this.#accepted = entry.version;
      done++;
    }
    this.#entries.splice(0, done);
    this.#release();
  }

  #hasRoom(): boolean {
    return this.#inFlight < this.#maxInFlight && this.#entries.length < this.#maxInFlight * HELD_PER_IN_FLIGHT;
  }

  #release(): void {
    if (!this.#hasRoom()) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
