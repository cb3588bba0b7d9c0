/** How long findings have been so: a histogram whose steps people think in. */
import type { Finding } from '../diagnosis/finding.ts';
import type { Report } from './report-schema.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Upper ends, the youngest first. */
export const STEPS: readonly (readonly [string, number])[] = [
  ['10m', 10 * MINUTE],
  ['1h', HOUR],
  ['1d', DAY],
  ['7d', 7 * DAY],
  ['30d', 30 * DAY],
  ['1y', 365 * DAY],
  ['older', Number.POSITIVE_INFINITY],
];

/** Milliseconds since it has been so, never negative: clocks differ. Undefined when the objects do not tell. */
export function ageOf({ since }: Pick<Finding, 'since'>, now: number): number | undefined {
  const at = Date.parse(since ?? '');
  return Number.isNaN(at) ? undefined : Math.max(0, now - at);
}

/** Counts by age and severity; a last step `unknown` where some tell no time. */
export function agesOf(findings: readonly Finding[], now: number): Report['ages'] {
  const stepOf = (finding: Finding) => {
    const age = ageOf(finding, now);
    return age === undefined ? 'unknown' : (STEPS.find(([, upTo]) => age <= upTo)?.[0] ?? 'older');
  };
  const bySteps = Map.groupBy(findings, stepOf);
  const names = [...STEPS.map(([name]) => name), ...(bySteps.has('unknown') ? ['unknown'] : [])];
  return names.map((upTo) => {
    const count = (severity: Finding['severity']) =>
      (bySteps.get(upTo) ?? []).filter((finding) => finding.severity === severity).length;
    return { upTo, waiting: count('waiting'), stuck: count('stuck'), broken: count('broken') };
  });
}
