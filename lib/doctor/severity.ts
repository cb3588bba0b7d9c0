/** Severities in their order. */
import type { Severity } from '../diagnosis/finding.ts';

const RANKS: Readonly<Record<Severity, number>> = { ok: 0, waiting: 1, stuck: 2, broken: 3 };

/** Higher is worse. */
export function rankOf(severity: Severity): number {
  return RANKS[severity];
}

/** The worst of them; `ok` for none. */
export function worst(severities: Iterable<Severity>): Severity {
  let found: Severity = 'ok';
  for (const severity of severities) if (rankOf(severity) > rankOf(found)) found = severity;
  return found;
}
