/** Everything that the demo prints. */
import { paint } from '../log.ts';
import type { ChapterResult, Costs } from './chapter.ts';
import { cut, short, table, WIDTH, wrap, wrapUpTo } from './layout.ts';
import type { Transition } from './observer.ts';
import type { Narrator } from './run-chapter.ts';

type Style = Parameters<typeof paint>[0];

const INDENT = '    ';
/** Columns of a transition: its time, what, how it changed; the rest is why. */
const TIME = 8;
const SUBJECT = 20;
const CHANGE = 22;
const CAUSE = WIDTH - INDENT.length - TIME - SUBJECT - CHANGE - 6;
const HEAD = ['chapter', 'transitions', 'sent', 'received', 'reads', 'writes', 'events', 'settled', 'result'];
const LEGEND =
  'sent, received: messages of both queues; of equal ones within five minutes a FIFO queue keeps one. reads, writes, ' +
  'events: calls of the bridge and the workers to the API server. settled: from what was done to the last transition; ' +
  'of several acts the slowest.';

export class Screen implements Narrator {
  readonly #stream: NodeJS.WriteStream;

  constructor(stream: NodeJS.WriteStream = process.stdout) {
    this.#stream = stream;
  }

  /** Paragraphs. */
  text(text: string, style?: Style): void {
    for (const line of wrap(text, WIDTH)) this.#line(style === undefined ? line : this.#paint(style, line));
  }

  space(): void {
    this.#line('');
  }

  chapter(number: number, title: string, story: string): void {
    this.space();
    this.#line(this.#paint('bold', `${String(number).padStart(2)}  ${title}`));
    for (const line of wrap(story, WIDTH - INDENT.length)) this.#line(INDENT + line);
  }

  given(says: string): void {
    this.#hanging('  ', `Given: ${says}`, 'gray');
  }

  act(does: string): void {
    this.#hanging('▸ ', does, 'cyan');
  }

  transition(ms: number, { subject, change, phase, message, isWarning }: Transition, cause: string): void {
    const why = message === undefined ? cause : `“${message}”`;
    const isBad = isWarning || phase === 'Lost' || phase === 'Failed';
    this.#row(ms, subject, change, why, isBad ? 'yellow' : phase === undefined ? 'magenta' : 'green');
  }

  deed(ms: number, who: string, does: string): void {
    const lines = wrap(short(does), WIDTH - INDENT.length - TIME - SUBJECT - 4);
    for (const [at, line] of lines.entries()) {
      this.#line(
        `${INDENT}${at === 0 ? time(ms) : ' '.repeat(TIME)}  ${(at === 0 ? who : '').padEnd(SUBJECT)}  ${line}`,
      );
    }
  }

  settled(ms: number, transitions: number): void {
    const text = transitions === 0 ? 'nothing changes' : `settled in ${ms.toFixed(0)} ms`;
    this.#line(INDENT + this.#paint('bold', text));
  }

  check(says: string, found: string | undefined): void {
    if (found === undefined) this.#hanging('✓ ', says, 'green');
    else this.#hanging('✗ ', `${says} — found instead: ${found}`, 'red');
  }

  failed(why: string): void {
    this.#hanging('✗ ', why, 'red');
  }

  trouble(text: string): void {
    this.#hanging('! ', text, 'yellow');
  }

  /** What happened, one line per chapter, and the sums. */
  summary(results: readonly ChapterResult[]): void {
    const sum = (of: (result: ChapterResult) => number) => results.reduce((total, result) => total + of(result), 0);
    const slowest = Math.max(0, ...results.map(({ settledMs }) => settledMs));
    const right = results.filter(({ result }) => result === 'right').length;
    const rows = results.map(({ title, transitions, costs, settledMs, result }) =>
      result === 'skipped'
        ? [title, ...Array.from({ length: 7 }, () => '-'), result]
        : [
            title,
            `${transitions}`,
            ...cells(costs),
            milliseconds(settledMs),
            `${result === 'right' ? '✓' : '✗'} ${result}`,
          ],
    );
    const total: Costs = {
      sent: sum(({ costs }) => costs.sent),
      received: sum(({ costs }) => costs.received),
      reads: sum(({ costs }) => costs.reads),
      writes: sum(({ costs }) => costs.writes),
      events: sum(({ costs }) => costs.events),
    };
    const all = `${right}/${results.length}`;
    const last = ['in all', `${sum((of) => of.transitions)}`, ...cells(total), milliseconds(slowest), all];
    const [head = '', rule = '', ...lines] = table(HEAD, [...rows, last]);
    this.space();
    this.#line(this.#paint('bold', head));
    this.#line(rule);
    for (const [at, line] of lines.slice(0, -1).entries()) this.#line(this.#verdict(results[at]?.result, line));
    this.#line(rule);
    this.#line(this.#paint('bold', lines.at(-1) ?? ''));
    for (const line of wrap(LEGEND, WIDTH)) this.#line(this.#paint('gray', line));
  }

  #verdict(result: ChapterResult['result'] | undefined, line: string): string {
    return result === 'right' ? line : this.#paint(result === 'skipped' ? 'gray' : 'red', line);
  }

  #row(ms: number, subject: string, change: string, why: string, style: Style): void {
    const name = cut(short(subject), SUBJECT);
    const reasons = wrapUpTo(3, short(why), CAUSE);
    for (const [at, reason] of reasons.entries()) {
      const start =
        at === 0
          ? `${time(ms)}  ${name.padEnd(SUBJECT)}  ${this.#paint(style, change.padEnd(CHANGE))}`
          : ' '.repeat(TIME + SUBJECT + CHANGE + 4);
      this.#line(`${INDENT}${start}  ${this.#paint('gray', reason)}`);
    }
  }

  /** A text with a mark before it, and its further lines below its first. */
  #hanging(mark: string, text: string, style: Style): void {
    for (const [at, line] of wrap(short(text), WIDTH - INDENT.length - mark.length).entries()) {
      this.#line(INDENT + this.#paint(style, (at === 0 ? mark : ' '.repeat(mark.length)) + line));
    }
  }

  #paint(style: Style, text: string): string {
    return paint(style, text, this.#stream);
  }

  #line(text: string): void {
    this.#stream.write(`${text.trimEnd()}\n`);
  }
}

function time(ms: number): string {
  return `+${ms.toFixed(0).padStart(TIME - 4)} ms`;
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(0)} ms`;
}

function cells({ sent, received, reads, writes, events }: Costs): string[] {
  return [sent, received, reads, writes, events].map(String);
}
