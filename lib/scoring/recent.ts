/** When something last happened to objects, for as long as a verdict may wait: bounded by time. */

/** What happened, without what it was. */
export interface Moment {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** resourceVersion of the object then. */
  readonly version: string;
}

/** By `idOf`; the oldest come first. */
export class Recent {
  readonly #moments = new Map<string, Moment>();

  set(id: string, moment: Moment): void {
    this.#moments.delete(id);
    this.#moments.set(id, moment);
  }

  get(id: string): Moment | undefined {
    return this.#moments.get(id);
  }

  /** @param before milliseconds since the epoch. */
  forget(before: number): void {
    for (const [id, { at }] of this.#moments) {
      if (at > before) break;
      this.#moments.delete(id);
    }
  }
}
