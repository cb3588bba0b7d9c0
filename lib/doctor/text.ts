/** The report for a terminal. */

import { counted, objectText, type Paint, painter, plain, type Tone, table, wrapped } from '../terminal.ts';
import { sizeText } from './bytes.ts';
import type { Report } from './report-schema.ts';
import { sectionsOf } from './sections.ts';
import { ageTextOf, countedSince } from './since.ts';

export interface TextOptions {
  /** Characters of a line; commands are never broken, so that they can be copied. */
  readonly width: number;
  readonly colours: boolean;
  /** Lines of each list; the rest is counted. */
  readonly top: number;
}

type Group = Report['groups'][number];

const TONES: Readonly<Record<Group['severity'], Tone>> = {
  ok: 'green',
  waiting: 'cyan',
  stuck: 'yellow',
  broken: 'red',
};

/** All of it, ending with a line break. */
export function reportText(report: Report, { width, colours, top }: TextOptions): string {
  const paint = painter(colours);
  const now = Date.parse(report.takenAt);
  const blocks = [
    summary(report, width, paint),
    ...report.groups.map((group) => groupText(group, now, { width, top, paint })),
    ...sectionsOf(report).map(({ title, head, rows }) => {
      const shown = rows.slice(0, top).map((row) => row.map(plain));
      const lines = table([head, ...shown], width);
      return [paint('bold', `${title}`), paint('dim', lines[0] ?? ''), ...lines.slice(1), ...more(rows.length - top)];
    }),
  ];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function summary(
  { cluster, takenAt, volumes, claims, groups, verdict }: Report,
  width: number,
  paint: Paint,
): string[] {
  const census = (noun: string, { total, phases, bytes }: Report['volumes']) => {
    const parts = Object.entries(phases).map(([phase, count]) => `${count.toLocaleString('en-US')} ${plain(phase)}`);
    return `${counted(total, noun)}, ${sizeText(bytes)}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
  };
  const counts = (['broken', 'stuck', 'waiting'] as const).map((severity) => {
    const count = groups.reduce((sum, group) => sum + (group.severity === severity ? group.findings.length : 0), 0);
    return count === 0 ? `0 ${severity}` : paint(TONES[severity], `${count.toLocaleString('en-US')} ${severity}`);
  });
  return [
    `${paint('bold', plain(cluster.server))}, Kubernetes ${plain(cluster.version)}, ${takenAt}`,
    ...wrapped(census('volume', volumes), width),
    ...wrapped(census('claim', claims), width),
    verdict === 'ok' ? paint('green', 'Nothing is stuck, nothing waits.') : counts.join(', '),
  ];
}

function groupText(
  { cause, meaning, severity, oldest, findings }: Group,
  now: number,
  { width, top, paint }: { width: number; top: number; paint: Paint },
): string[] {
  const tone = TONES[severity];
  const title = `${paint(tone, severity.toUpperCase())} ${paint('bold', cause)}`;
  const rows = findings.slice(0, top).map(({ subject, state, since }) => {
    return [ageTextOf(since, now), plain(state), plain(objectText(subject))];
  });
  const [first] = findings;
  return [
    `${title}: ${countedSince(findings.length, oldest, now)}`,
    ...wrapped(meaning, width, '  '),
    ...table(rows, width, '    '),
    ...more(findings.length - top).map((line) => `  ${line}`),
    ...(first === undefined ? [] : detailOf(first, findings.length > 1 ? 'The oldest: ' : '', width, paint)),
  ];
}

/** Of the oldest alone: the others are `explain`'s. */
function detailOf({ why, cures }: Group['findings'][number], whose: string, width: number, paint: Paint): string[] {
  const [cure] = cures;
  const reason = why[0] === undefined ? [] : wrapped(`${whose}${plain(why[0])}`, width, '  ');
  if (cure === undefined) return reason;
  const danger = cure.danger === undefined ? [] : wrapped(`Careful: ${plain(cure.danger)}`, width, '  ');
  return [
    ...reason,
    ...wrapped(`${plain(cure.does)}:`, width, '  '),
    ...danger.map((line) => paint('red', line)),
    ...commandLines(cure.command).map((line) => paint('dim', line)),
  ];
}

/** A here document ends at a line that holds its word alone, so nothing is indented there. */
function commandLines(command: string): string[] {
  const lines = command.split('\n').map(plain);
  return lines.length === 1 ? lines.map((line) => `    ${line}`) : lines;
}

function more(count: number): string[] {
  return count > 0 ? [`  and ${count.toLocaleString('en-US')} more`] : [];
}
