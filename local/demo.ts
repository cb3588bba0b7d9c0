/** `npm run demo`: a story about volumes and claims, played on the real system in this process. Needs nothing else. */
import { helpOf, main, type Options, parseOptions, UsageError } from './command-line.ts';
import { CHAPTERS } from './demo/chapters/index.ts';

const OPTIONS: Options = {
  chapter: { type: 'string', value: 'NAME|N', help: 'play this chapter only' },
  slow: { type: 'boolean', help: 'wait before each act, to read along' },
};

const ABOUT = `Plays a story on a small local API server: what users and others do to volumes and claims, and what
the controller makes of it. The bridge, the FIFO queues and the deployed handlers are the real ones.

Exit code: 0 when every end state was the right one, 1 when not, 2 for a wrong option, 130 after
Ctrl-C.

Chapters:
${CHAPTERS.map(({ name, title }, at) => `  ${String(at + 1).padStart(2)}  ${name.padEnd(13)} ${title}`).join('\n')}`;

const PAUSE_MS = 1_500;
/** After the end, for connections that do not close. */
const LINGER_MS = 3_000;

async function demo(argv: readonly string[]): Promise<number> {
  const values = parseOptions(argv, OPTIONS);
  if (values['help']) {
    console.log(helpOf('npm run demo --', ABOUT, OPTIONS));
    return 0;
  }
  const chapters = chosen(values['chapter']);
  // Not before: the help need not wait for the whole system to be loaded.
  const [{ play }, { Screen }] = await Promise.all([import('./demo/play.ts'), import('./demo/screen.ts')]);
  const screen = new Screen();
  const stopping = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    // The second one does not wait.
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort(new Error(signal));
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  // A reader that has seen enough, such as head(1).
  process.stdout.on('error', (error) => stopping.abort(error));
  screen.text(
    'The PersistentVolume controller as a serverless function, on one machine: the bridge watches a local API server ' +
      'and puts keys into SQS FIFO queues; the Lambda handlers take them from there. Each line says when something ' +
      'changed, counted from what was done, and why: in the controller’s own words where it has any.',
  );
  const started = performance.now();
  try {
    const isRight = await play(screen, { chapters, pauseMs: values['slow'] ? PAUSE_MS : 0, signal: stopping.signal });
    screen.text(`The demo took ${((performance.now() - started) / 1_000).toFixed(1)} s.`);
    return isRight ? 0 : 1;
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    screen.space();
    screen.text('Stopped.');
    return 130;
  } finally {
    setTimeout(() => process.exit(), LINGER_MS).unref();
  }
}

function chosen(wanted: string | boolean | undefined) {
  const all = CHAPTERS.map((chapter, at) => ({ number: at + 1, chapter }));
  if (typeof wanted !== 'string') return all;
  const some = all.filter(({ number, chapter }) => chapter.name === wanted || String(number) === wanted);
  if (some.length === 0) {
    const names = CHAPTERS.map(({ name }) => name).join(', ');
    throw new UsageError(`--chapter ${JSON.stringify(wanted)}: there are 1 to ${all.length}: ${names}`);
  }
  return some;
}

await main(demo);
