/** `npm run docs`: writes docs/settings.md, metrics.md, events.md and audit.md. `-- --check` fails when one is not what the code says. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { generatedPages, stalePages } from './docs/pages.ts';

const ROOT = new URL('../', import.meta.url);
const read = (path: string) =>
  existsSync(new URL(path, ROOT)) ? readFileSync(new URL(path, ROOT), 'utf8') : undefined;

const [option, ...rest] = process.argv.slice(2);
const pages = generatedPages();
const stale = stalePages(pages, read);
if (rest.length > 0 || (option !== undefined && option !== '--check')) {
  console.error(`unknown: ${[option, ...rest].join(' ')}. Use no option (write the pages) or --check.`);
  process.exitCode = 2;
} else if (option === undefined) {
  for (const { path, text } of pages) if (stale.includes(path)) writeFileSync(new URL(path, ROOT), text);
  console.log(stale.length === 0 ? 'all pages were fresh' : `${stale.join(', ')} written`);
} else if (stale.length === 0) {
  console.log('all pages are fresh');
} else {
  console.error(`${stale.join(', ')} not what the code says: run \`npm run docs\` and commit the pages.`);
  process.exitCode = 1;
}
