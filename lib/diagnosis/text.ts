/** A finding for a terminal: what, why, what comes next, who acts, and commands that can be copied. */
import { objectText, type Paint, painter, plain, type Tone, table, wrapped } from '../terminal.ts';
import { CAUSES } from './cause.ts';
import type { Cure, Finding, Severity } from './finding.ts';
import { ageText } from './scene.ts';

export interface TextOptions {
  /** Characters of a line; commands are never broken. */
  readonly width: number;
  readonly colours: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const TONES: Readonly<Record<Severity, Tone>> = { ok: 'green', waiting: 'cyan', stuck: 'yellow', broken: 'red' };
const INDENT = '  ';

/** All of it, ending with a line break. */
export function findingText(finding: Finding, { width, colours, now }: TextOptions): string {
  const paint = painter(colours);
  const { subject, state, severity, cause, why, next, actor, cures, candidates, since } = finding;
  const age = since === undefined ? '' : `, for ${ageText(now - Date.parse(since))} (since ${plain(since)})`;
  const blocks = [
    [
      `${paint('bold', plain(objectText(subject)))} is ${plain(state)}${age}`,
      `${paint(TONES[severity], severity)}: ${cause}`,
      ...wrapped(CAUSES[cause].meaning, width, INDENT),
    ],
    [paint('bold', 'Why'), ...why.flatMap((sentence) => listed(sentence, width))],
    candidates.length === 0
      ? []
      : [
          paint('bold', 'Volumes that were not chosen, and the first rule that each fails'),
          ...table(
            candidates.map(({ volume, rule, detail }) => [volume, rule, detail].map(plain)),
            width,
            INDENT,
          ),
        ],
    [
      `${paint('bold', 'Next sync')}  ${wrapped(plain(next), width, ' '.repeat(11)).join('\n').trimStart()}`,
      `${paint('bold', 'Who acts')}   ${actor}`,
    ],
    ...cures.map((cure) => cureLines(cure, width, paint)),
  ];
  const filled = blocks.filter((lines) => lines.length > 0);
  return `${filled.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** As comments of a shell, so that all of it may be pasted. The end mark of an input must begin its line. */
function cureLines({ does, command, danger }: Cure, width: number, paint: Paint): string[] {
  const warning = danger === undefined ? [] : wrapped(`CAREFUL: ${inert(danger)}`, width, '# ');
  return [
    ...wrapped(`${inert(does)}:`, width, '# ').map((line) => paint('dim', line)),
    ...warning.map((line) => paint('red', line)),
    ...command.split('\n').map(plain),
  ];
}

function listed(sentence: string, width: number): string[] {
  return wrapped(plain(sentence), width, '  ').map((line, index) => (index === 0 ? `- ${line.slice(2)}` : line));
}

/** An interactive zsh knows no comments unless told to: what `provisioned-by` says must not be run by it. */
function inert(text: string): string {
  return plain(text)
    .replaceAll("'", '’')
    .replaceAll(';', ',')
    .replaceAll(/[&|<>$`"\\!]/g, '?');
}
