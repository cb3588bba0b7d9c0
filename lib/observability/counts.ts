/** The collector's counts as metrics: the totals always, and by their labels with detail. */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { Metrics } from '@aws-lambda-powertools/metrics';
import { record, recordDetail } from './catalogue.ts';
import type { Collector, CollectorName } from './collector.ts';

/** Combinations of labels that are sent, so that no cluster can cost more metrics. */
export const MAX_DETAILS = 1_000;

/** Adds the totals to what is sent with all others; each detail is a blob of its own, printed at once. */
export function recordCounts(
  collector: Collector,
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics },
  hasDetail: boolean,
): void {
  for (const [name, value] of Object.entries(collector.totals())) record(metrics, name as CollectorName, value);
  if (!hasDetail) return;
  const counts = collector.counts();
  if (counts.length > MAX_DETAILS) {
    logger.warn('only the largest counts are sent in detail', { counts: counts.length, sent: MAX_DETAILS });
  }
  for (const { name, labels, value } of counts.slice(0, MAX_DETAILS)) recordDetail(metrics, name, value, labels);
}
