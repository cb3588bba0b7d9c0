/** What a report means for a script: its exit code. */
import type { Severity } from '../diagnosis/finding.ts';
import type { Report } from './report-schema.ts';
import { rankOf } from './severity.ts';

/** From which severity on a finding fails a pipeline; `never`: none does. */
export const THRESHOLDS = ['waiting', 'stuck', 'broken', 'never'] as const;
export type Threshold = (typeof THRESHOLDS)[number];

export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: 'nothing is as bad as --fail-on says',
  1: 'something is',
  4: 'the cluster cannot be reached or read; or something was not read or judged, and what was is fine',
};

/** 0 promises health, so it is not given where somebody could not look. */
export function exitCodeOf(
  { verdict, unread, unjudged }: Pick<Report, 'verdict' | 'unread' | 'unjudged'>,
  failOn: Threshold,
): number {
  if (failOn === 'never') return 0;
  if (rankOf(verdict) >= rankOf(failOn satisfies Severity)) return 1;
  return unread.length + unjudged.length > 0 ? 4 : 0;
}
