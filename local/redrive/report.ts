/** What a redrive has found and done, for people and for programs. */
import { BadMessageError, keyOf } from '../../lib/queue/message.ts';
import type { Redriven } from '../../lib/queue/redrive.ts';

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** One letter, as `--json` has it. */
export interface LetterReport {
  readonly action: Redriven['outcome']['action'];
  readonly because?: string;
  /** Absent when the message says none. */
  readonly key?: string;
  /** Why the key was sent in the first place; absent when the message says none. */
  readonly reason?: string;
  readonly group: string;
  readonly messageId: string;
  readonly ageSeconds: number;
  readonly receiveCount: number;
  /** Why a worker buried it; absent when it came back too often. */
  readonly deadLetterReason?: string;
}

/** @param now milliseconds since the epoch. */
export function reportOf({ letter, outcome }: Redriven, now = Date.now()): LetterReport {
  const { content, reason, group, messageId, receiveCount, sentAt } = letter;
  return {
    ...outcome,
    ...(!(content instanceof BadMessageError) && { key: keyOf(content), reason: content.reason }),
    group,
    messageId,
    ageSeconds: Math.max(0, Math.round((now - sentAt) / 1_000)),
    receiveCount,
    ...(reason !== undefined && { deadLetterReason: reason }),
  };
}

/** A letter as one line. */
export function lineOf(report: LetterReport): string {
  const { action, because, key, reason, group, messageId, ageSeconds, receiveCount, deadLetterReason } = report;
  const what = key ?? `message ${messageId} of group ${group}`;
  const details = [
    reason === undefined ? [] : `sent as ${reason}`,
    `${ageText(ageSeconds)} old`,
    `received ${receiveCount === 1 ? 'once' : `${receiveCount} times`}`,
    `here because ${deadLetterReason ?? 'it came back too often'}`,
  ].flat();
  const why = because === undefined ? '' : `, because ${because}`;
  return printable(`${`${action}:`.padEnd('would send:'.length)} ${what}${why} (${details.join(', ')})`);
}

/** The largest whole unit. */
function ageText(seconds: number): string {
  if (seconds < MINUTE_S) return `${seconds} s`;
  if (seconds < HOUR_S) return `${Math.floor(seconds / MINUTE_S)} min`;
  return seconds < DAY_S ? `${Math.floor(seconds / HOUR_S)} h` : `${Math.floor(seconds / DAY_S)} d`;
}

/** Anybody may have written these texts: no control character of theirs reaches a terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');
}
