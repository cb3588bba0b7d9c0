/** Chance from a seed: the same seed gives the same choices on every machine. */
export class Random {
  #state: number;

  /** @param seed a whole number. */
  constructor(seed: number) {
    // Neighbouring seeds would begin alike.
    this.#state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  }

  /** From 0 to below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** True in so many of a hundred cases. */
  percent(share: number): boolean {
    return this.next() * 100 < share;
  }

  /** One of these. @throws Error when there is none. */
  of<T>(values: readonly T[]): T {
    if (values.length === 0) throw new Error('nothing to choose from');
    return values[Math.floor(this.next() * values.length)] as T;
  }

  /** One of the values, by their weights. */
  weighted<T>(choices: readonly (readonly [weight: number, value: T])[]): T {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of choices) {
      left -= weight;
      if (left < 0) return value;
    }
    return this.of(choices)[1];
  }
}
