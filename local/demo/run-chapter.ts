/** Plays one chapter: act, wait until all is quiet, check. A chapter that takes too long fails and says why. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../lib/controller/errors.ts';
import type { Act, Chapter, ChapterResult, Check, Costs } from './chapter.ts';
import { OutOfTimeError, withLimit } from './limit.ts';

/** What the runner needs of the running system. */
export interface Stage {
  /** From now on transitions are told, with the time since now and this cause. */
  begin(cause: string): void;
  /** Ends the telling. @returns how many transitions there were, and when the last one came after `begin`. */
  end(): { transitions: number; lastMs: number };
  /** Resolves when nothing is under way. */
  quiet(signal: AbortSignal): Promise<void>;
  /** What `quiet` is waiting for right now. */
  readonly waitingFor: string;
  costs(): Costs;
  /** Between chapters: puts away what a later chapter could stumble over. */
  tidy(): Promise<void>;
}

/** Where it is told. */
export interface Narrator {
  chapter(number: number, title: string, story: string): void;
  given(says: string): void;
  act(does: string): void;
  settled(ms: number, transitions: number): void;
  check(says: string, found: string | undefined): void;
  failed(why: string): void;
}

export interface RunOptions {
  readonly number: number;
  readonly limitMs: number;
  /** Before each act, so that people can read along; does not count towards the limit. */
  readonly pauseMs?: number;
  /** Ctrl-C. */
  readonly signal: AbortSignal;
}

/** @throws the signal's reason when it is aborted; everything else that goes wrong is in the result. */
export async function runChapter<W>(
  chapter: Chapter<W>,
  world: W,
  stage: Stage,
  narrator: Narrator,
  { number, limitMs, pauseMs = 0, signal }: RunOptions,
): Promise<ChapterResult> {
  narrator.chapter(number, chapter.title, chapter.story);
  const limit = new AbortController();
  // One limit for the chapter, spent by its parts one after the other; pauses are no part of it.
  let leftMs = limitMs;
  const tooLate = () => `not settled after ${limitMs / 1_000} s: still waiting for ${stage.waitingFor}`;
  const timed = async <T>(job: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const started = performance.now();
    try {
      return await withLimit(job(AbortSignal.any([limit.signal, signal])), { ms: leftMs, why: tooLate, signal });
    } finally {
      leftMs -= performance.now() - started;
    }
  };
  const tally = { transitions: 0, settledMs: 0, wrong: 0 };
  let before = stage.costs();
  const resultOf = (result: ChapterResult['result']): ChapterResult => {
    const { transitions, settledMs } = tally;
    return { title: chapter.title, transitions, settledMs, costs: difference(stage.costs(), before), result };
  };
  try {
    const { given } = chapter;
    if (given !== undefined) {
      narrator.given(given.says);
      await timed((both) => given.run(world).then(() => stage.quiet(both)));
      before = stage.costs();
    }
    for (const act of chapter.acts) {
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      await timed((both) => play(act, world, stage, narrator, both, tally));
    }
    const result = resultOf(tally.wrong === 0 ? 'right' : 'wrong');
    await timed(() => stage.tidy());
    return result;
  } catch (error) {
    signal.throwIfAborted();
    // What is still under way must not go on into the next chapter.
    limit.abort();
    stage.end();
    narrator.failed(messageOf(error));
    return resultOf(error instanceof OutOfTimeError ? 'stuck' : 'wrong');
  }
}

async function play<W>(
  act: Act<W>,
  world: W,
  stage: Stage,
  narrator: Narrator,
  signal: AbortSignal,
  tally: { transitions: number; settledMs: number; wrong: number },
): Promise<void> {
  narrator.act(act.does);
  stage.begin(act.cause);
  await act.run(world);
  await stage.quiet(signal);
  signal.throwIfAborted();
  const { transitions, lastMs } = stage.end();
  tally.transitions += transitions;
  tally.settledMs = Math.max(tally.settledMs, lastMs);
  narrator.settled(lastMs, transitions);
  for (const check of act.checks) {
    const found = await answerOf(check, world);
    signal.throwIfAborted();
    narrator.check(check.says, found);
    if (found !== undefined) tally.wrong++;
  }
}

/** A check that cannot be made is not passed. */
async function answerOf<W>(check: Check<W>, world: W): Promise<string | undefined> {
  try {
    return await check.found(world);
  } catch (error) {
    return `the check failed: ${messageOf(error)}`;
  }
}

export function difference(now: Costs, then: Costs): Costs {
  return {
    sent: now.sent - then.sent,
    received: now.received - then.received,
    reads: now.reads - then.reads,
    writes: now.writes - then.writes,
    events: now.events - then.events,
  };
}
