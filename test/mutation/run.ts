/**
 * `npm run test:mutation`: mutates the folders and writes docs/mutation.md. `-- lib/queue` mutates that folder only;
 * `-- --page` writes the page of the last runs. What did not change since then, code and tests, keeps its result, also of
 * a run that was interrupted: Stryker saves at SIGTERM what it has.
 */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { Stryker } from '@stryker-mutator/core';
import { FOLDERS, type Folder, mutatedIn } from './folders.ts';
import { mutationPage } from './page.ts';
import type { Report } from './report.ts';

const ROOT = new URL('../../', import.meta.url);
const PAGE = 'docs/mutation.md';

const asked = process.argv.slice(2);
const unknown = asked.filter((word) => word !== '--page' && !FOLDERS.includes(word as Folder));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(' ')}. Use nothing (all), --page, or some of ${FOLDERS.join(' ')}.`);
  process.exit(2);
}
for (const folder of FOLDERS) if (asked.length === 0 || asked.includes(folder)) await mutate(folder);
writePage();

/** Sets a failing exit code when the score is under the threshold of stryker.config.json. */
async function mutate(folder: Folder): Promise<void> {
  console.log(`\n=== ${folder}`);
  // Until this run has ended there is no report of a whole one.
  rmSync(new URL(reportOf(folder, 'json'), ROOT), { force: true });
  // Stryker's workers take it from here, for their choice of tests.
  process.env['MUTATED_FOLDER'] = folder;
  await new Stryker({
    mutate: mutatedIn(folder),
    incrementalFile: reportOf(folder, 'incremental.json'),
    jsonReporter: { fileName: reportOf(folder, 'json') },
    htmlReporter: { fileName: reportOf(folder, 'html') },
  }).runMutationTest();
}

function reportOf(folder: Folder, ending: string): string {
  return `reports/mutation/${folder.replace('lib/', '')}.${ending}`;
}

function writePage(): void {
  const unfinished = FOLDERS.filter((folder) => !existsSync(new URL(reportOf(folder, 'json'), ROOT)));
  const paths = FOLDERS.map((folder) => reportOf(folder, unfinished.includes(folder) ? 'incremental.json' : 'json'));
  const missing = paths.filter((path) => !existsSync(new URL(path, ROOT)));
  if (missing.length > 0) {
    console.log(`${PAGE} is not written: there is no ${missing.join(' and no ')}`);
    return;
  }
  const files = paths.map((path) => new URL(path, ROOT));
  const reports = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Report);
  const oldest = Math.min(...files.map((file) => statSync(file).mtimeMs));
  const date = new Date(oldest).toISOString().slice(0, 10);
  const versions = {
    StrykerJS: versionOf('@stryker-mutator/core'),
    Vitest: versionOf('vitest'),
    Node: process.version.slice(1),
  };
  const page = mutationPage(reports, { date, cores: cpus().length, versions, unfinished });
  writeFileSync(new URL(PAGE, ROOT), page);
  console.log(`${PAGE} written`);
}

function versionOf(name: string): string {
  const { version } = JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, ROOT), 'utf8'));
  return version as string;
}
