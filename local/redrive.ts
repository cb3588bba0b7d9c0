/** `npm run redrive`: takes dead letters back to their queue. It changes nothing unless told to. */
import { type Outcome, redrive } from '../lib/queue/redrive.ts';
import { helpOf, main, parseOptions } from './command-line.ts';
import { clientFor } from './queue/addresses.ts';
import { type LetterReport, lineOf, reportOf } from './redrive/report.ts';
import { checkQueues, OPTIONS, routeOf } from './redrive/route.ts';

const ABOUT = `Shows what dead letters say, and with --yes sends their keys again. A key is deleted from the dead letters only after
the queue has it. What no worker would take stays. Credentials: as those of the AWS CLI.
Exit codes: 0 done, or shown; 1 something failed; 2 wrong options; 3 done, and dead letters stay in the queue.`;

const PROGRESS_MS = 2_000;

async function run(argv: readonly string[]): Promise<number> {
  const values = parseOptions(argv, OPTIONS);
  if (values['help']) {
    console.log(helpOf('npm run redrive --', ABOUT, OPTIONS));
    return 0;
  }
  const route = routeOf(values);
  const apply = values['yes'] === true;
  const inJson = values['json'] === true;
  const client = clientFor(route.region, route.endpoint);
  const stopping = stopSignal();
  const reports: LetterReport[] = [];
  const found = await checkQueues(client, route);
  const progress = setInterval(() => console.error(`looked at ${reports.length} of about ${found}`), PROGRESS_MS);
  try {
    const onReleaseError = (error: Error) => console.error(`hidden for up to five minutes: ${error.message}`);
    for await (const redriven of redrive({ client, ...route, apply, signal: stopping, onReleaseError })) {
      const report = reportOf(redriven);
      reports.push(report);
      if (!inJson) console.log(lineOf(report));
    }
  } finally {
    clearInterval(progress);
    client.destroy();
  }
  const counts = countsOf(reports, found);
  const { from, to } = route;
  if (inJson) console.log(JSON.stringify({ from, to, dryRun: !apply, ...counts, letters: reports }, undefined, 2));
  else console.log(summaryOf(counts, apply, reports.length >= route.limit));
  if (stopping.aborted) console.error('stopped; what is not told above was not touched');
  if (counts.failed > 0 || stopping.aborted) return 1;
  return apply && counts.stay + counts.unseen > 0 ? 3 : 0;
}

interface Counts {
  readonly wouldSend: number;
  readonly sent: number;
  readonly stay: number;
  readonly failed: number;
  readonly unseen: number;
}

function countsOf(reports: readonly LetterReport[], found: number): Counts {
  const count = (...actions: Outcome['action'][]) => reports.filter(({ action }) => actions.includes(action)).length;
  return {
    wouldSend: count('would send'),
    sent: count('sent'),
    stay: count('stays'),
    failed: count('refused', 'undeleted'),
    unseen: Math.max(0, found - reports.length),
  };
}

function summaryOf({ wouldSend, sent, stay, failed, unseen }: Counts, apply: boolean, isLimited: boolean): string {
  const why = isLimited ? 'beyond --limit' : 'behind others of their group, or somebody else reads them';
  const rest = [
    stay === 0 ? [] : `${stay} stay`,
    failed === 0 ? [] : `${failed} failed`,
    unseen === 0 ? [] : `about ${unseen} not looked at (${why})`,
  ].flat();
  const done = apply ? `${sent} sent` : `${wouldSend} would be sent`;
  const hint = !apply && wouldSend > 0 ? '. Nothing was changed: --yes sends' : '';
  return [done, ...rest].join(', ') + hint;
}

/** Ctrl-C, or a reader of the output that went away, ends it in good order. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', stop);
  return stopping.signal;
}

await main(run);
