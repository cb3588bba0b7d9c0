/** The generated reference pages, by their paths. */
import { readPrices } from '../cost/prices.ts';
import { auditPage } from './audit-page.ts';
import { cliPage } from './cli-page.ts';
import { eventsPage } from './events-page.ts';
import { metricsPage } from './metrics-page.ts';
import { reportSchema } from './report-schema.ts';
import { settingsPage } from './settings-page.ts';

/** One page, as it should be. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** All of them. @throws Error when docs/prices.json is not right. */
export function generatedPages(): Page[] {
  return [
    { path: 'docs/settings.md', text: settingsPage(readPrices()) },
    { path: 'docs/metrics.md', text: metricsPage() },
    { path: 'docs/events.md', text: eventsPage() },
    { path: 'docs/audit.md', text: auditPage() },
    { path: 'docs/cli.md', text: cliPage() },
    { path: 'docs/doctor-report.schema.json', text: reportSchema() },
  ];
}

/**
 * The pages that are not what the code makes of them.
 * @param read a file's text, undefined when there is none.
 */
export function stalePages(pages: readonly Page[], read: (path: string) => string | undefined): string[] {
  return pages.filter(({ path, text }) => read(path) !== text).map(({ path }) => path);
}
