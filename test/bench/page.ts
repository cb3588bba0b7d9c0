/**
 * Writes docs/performance.md from what `npm run bench` and `npm run bench:scale` have measured:
 *
 *     node test/bench/page.ts FILE.json …
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { performancePage } from './results/performance-page.ts';
import type { Report } from './results/report.ts';
import type { ScaleReport } from './results/scale-table.ts';

const PAGE = new URL('../../docs/performance.md', import.meta.url);

const files = process.argv.slice(2);
if (files.length === 0 || files.some((file) => file.startsWith('-'))) {
  console.error(
    'Usage: node test/bench/page.ts FILE.json …, files of `npm run bench` and `npm run bench:scale` -- --json',
  );
  process.exitCode = 2;
} else {
  const reports = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Report | ScaleReport);
  const isScale = (report: Report | ScaleReport): report is ScaleReport => 'sizes' in report;
  const ofScale = reports.filter(isScale);
  writeFileSync(PAGE, performancePage(reports.filter((report) => !isScale(report)) as Report[], ofScale.at(-1)));
  console.log('docs/performance.md is written');
}
