/** What a chapter of the demo is: a situation, what somebody does in it, and what must have come of it. */

/** Something that must be true when everything has settled. */
export interface Check<W> {
  readonly says: string;
  /** Undefined when it is true; otherwise what is the case instead, for people. */
  readonly found: (world: W) => Promise<string | undefined>;
}

/** One thing that somebody does. Its effects are shown, timed and checked before the next act. */
export interface Act<W> {
  /** `You delete claim shop/data.` */
  readonly does: string;
  /** The same as a cause, after "because": `claim shop/data was deleted`. */
  readonly cause: string;
  readonly run: (world: W) => Promise<unknown>;
  readonly checks: readonly Check<W>[];
}

/** What is there already. */
export interface Situation<W> {
  readonly says: string;
  readonly run: (world: W) => Promise<unknown>;
}

export interface Chapter<W> {
  /** For `--chapter`. */
  readonly name: string;
  readonly title: string;
  /** One or two sentences for somebody who sees this for the first time. */
  readonly story: string;
  /** What is there before the first act; neither shown nor counted. */
  readonly given?: Situation<W>;
  readonly acts: readonly Act<W>[];
}

/** What a stretch of the demo cost. */
export interface Costs {
  readonly sent: number;
  readonly received: number;
  readonly reads: number;
  readonly writes: number;
  readonly events: number;
}

export interface ChapterResult {
  readonly title: string;
  readonly transitions: number;
  readonly costs: Costs;
  /** From what was done to the last transition that it caused, of the slowest act. */
  readonly settledMs: number;
  readonly result: 'right' | 'wrong' | 'stuck' | 'skipped';
}
