/** A score as text for a terminal of 80 columns; what differs is for `-o json`. */
import type { Disagreement, Scoreboard } from './scoreboard.ts';
import type { QueueFigures, QueueName } from './workqueue.ts';

/** Both sides' queues at the end of a scoring. */
export interface Queues {
  readonly ours: Readonly<Record<QueueName, QueueFigures>>;
  /** Undefined where its metrics cannot be read, as is usual on EKS. */
  readonly builtIn?: Readonly<Record<QueueName, QueueFigures>>;
}

/** What happened instead, in the words of a list. */
const HOW: Readonly<Record<Disagreement['how'], string>> = {
  otherwise: 'it wrote something else',
  nothing: 'it wrote nothing',
  unfinished: 'it began, and did not go on',
};

/** @param queues left out where only the verdicts are of interest. */
export function scoreText(board: Scoreboard, queues?: Queues): string {
  const { rate, agreed, counted, equallyGood, verdicts, pending, unforeseen, lags, disagreements } = board;
  const rateText = rate === undefined ? 'nothing to compare yet' : `${(rate * 100).toFixed(2)} %`;
  const others = Object.entries(board.notCounted).flatMap(([why, n]) => (n > 0 ? [`${why} ${n}`] : []));
  return [
    `agreement   ${rateText} (${agreed} of ${counted} verdicts; ${equallyGood} on a volume as good)`,
    `verdicts    ${verdicts}: counted ${counted}, pending ${pending}${others.map((text) => `, ${text}`).join('')}`,
    `unforeseen  ${unforeseen} changes by the built-in controller, mostly as it was faster`,
    ...section(
      'its lag behind the verdict',
      lags.map(({ transition, count, p50, p99 }) => {
        return `${short(transition).padEnd(34)} ${String(count).padStart(6)}  p50 ${ms(p50)}  p99 ${ms(p99)}`;
      }),
    ),
    ...section('queues', queues === undefined ? [] : queueLines(queues)),
    ...section(
      'disagreements',
      disagreements.map(({ key, how, notes }) => {
        const name = key.namespace === undefined ? key.name : `${key.namespace}/${key.name}`;
        return `${key.kind} ${name}: ${HOW[how]}\n    we: ${notes.at(-1) ?? 'no reason noted'}`;
      }),
    ),
  ].join('\n');
}

function queueLines({ ours, builtIn }: Queues): string[] {
  const line = (whose: string, name: QueueName, { depth, p50, p99 }: QueueFigures) =>
    `${whose.padEnd(9)} ${name.padEnd(8)} depth ${depth ?? 'unknown'}, waits p50 ${seconds(p50)}, p99 ${seconds(p99)}`;
  return (['claims', 'volumes'] as const).flatMap((name) => [
    ...(builtIn === undefined ? [] : [line('built-in', name, builtIn[name])]),
    line('ours', name, ours[name]),
  ]);
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`)];
}

function short(transition: string): string {
  return transition.replace('PersistentVolumeClaim', 'claim').replace('PersistentVolume', 'volume');
}

function ms(value: number): string {
  return `${Math.round(value)} ms`.padStart(9);
}

function seconds(value: number | undefined): string {
  return value === undefined ? 'unknown' : `${(value * 1_000).toFixed(1)} ms`;
}
