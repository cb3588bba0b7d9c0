/** What was seen of a claim before the watch of volumes told of its volume: two watches keep no order between them. */
import type { Change, Held } from './change.ts';
import type { Pending } from './pending.ts';

/** An object that is not as a verdict wanted it. */
export interface Deviation {
  readonly pending: Pending;
  readonly wanted: Held;
  readonly change: Change;
}

/** Deviations that wait, by the volume that is to be told of. */
export class Ahead {
  readonly #waiting = new Map<string, Deviation[]>();

  /** @param volume by `idOf`. */
  add(volume: string, deviation: Deviation): void {
    this.#waiting.set(volume, [...(this.#waiting.get(volume) ?? []), deviation]);
  }

  /** Those that wait for this volume; they wait no longer. */
  take(volume: string): readonly Deviation[] {
    const deviations = this.#waiting.get(volume) ?? [];
    this.#waiting.delete(volume);
    return deviations;
  }

  /** @param before milliseconds since the epoch: verdicts from then wait no longer. */
  forget(before: number): void {
    for (const [volume, [oldest]] of this.#waiting) {
      if (oldest !== undefined && oldest.change.at <= before) this.#waiting.delete(volume);
    }
  }
}
