/** Plays chapters on a running system, then shows what the settled cluster costs. */
import { messageOf } from '../../lib/controller/errors.ts';
import type { Chapter, ChapterResult } from './chapter.ts';
import { withLimit } from './limit.ts';
import { LiveStage } from './live-stage.ts';
import { difference, runChapter } from './run-chapter.ts';
import type { Screen } from './screen.ts';
import { startWorld, type World } from './world.ts';

export interface PlayOptions {
  /** With the number that each has in the whole story. */
  readonly chapters: readonly { readonly number: number; readonly chapter: Chapter<World> }[];
  readonly pauseMs: number;
  readonly signal: AbortSignal;
}

/** For a chapter, for the resync, and for the end. */
const LIMIT_MS = 10_000;
const NO_COSTS = { sent: 0, received: 0, reads: 0, writes: 0, events: 0 };

/** @returns whether every end state was right. @throws the signal's reason when it is aborted. */
export async function play(screen: Screen, { chapters, pauseMs, signal }: PlayOptions): Promise<boolean> {
  const stage = new LiveStage(screen);
  const world = await startWorld(stage);
  try {
    stage.enter(world);
    const results: ChapterResult[] = [];
    for (const { number, chapter } of chapters) {
      const options = { number, limitMs: LIMIT_MS, pauseMs, signal };
      results.push(isStuck(results) ? skipped(chapter) : await runChapter(chapter, world, stage, screen, options));
    }
    screen.summary(results);
    if (isStuck(results)) return false;
    const isCheap = await withLimit(resync(world, stage, screen, signal), {
      ms: LIMIT_MS,
      why: () => `the resync did not settle: still waiting for ${stage.waitingFor}`,
      signal,
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      screen.failed(messageOf(error));
      return false;
    });
    return isCheap && results.every(({ result }) => result === 'right');
  } finally {
    const why = () => 'the system did not stop in time';
    await withLimit(world.stop(), { ms: LIMIT_MS, why }).catch((error: unknown) => screen.failed(messageOf(error)));
  }
}

/** Every key once, needed or not, as the hourly sweep does it: no object may be written. */
async function resync(world: World, stage: LiveStage, screen: Screen, signal: AbortSignal): Promise<boolean> {
  const before = world.costs();
  await world.system.bridge.resyncAll();
  await stage.quiet(signal);
  const { received, reads, writes, events } = difference(world.costs(), before);
  screen.space();
  screen.text(
    `A settled cluster costs little: a full resync has just looked at every volume and claim again, with ` +
      `${received} messages, ${reads} API reads, ${writes} writes and ${events} events.`,
    writes === 0 ? 'bold' : 'red',
  );
  return writes === 0;
}

/** What hangs in the system would spoil whatever comes after it. */
function isStuck(results: readonly ChapterResult[]): boolean {
  return results.some(({ result }) => result === 'stuck');
}

function skipped({ title }: Chapter<World>): ChapterResult {
  return { title, transitions: 0, costs: NO_COSTS, settledMs: 0, result: 'skipped' };
}
