/** What the pages name exists: scripts, variables, fields, files, log lines, queries. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { QUERIES } from '../../infra/monitoring/queries.ts';
import { stageFields } from '../../infra/stage-fields.ts';
import { SETTINGS } from '../../lib/settings.ts';
import { allPages, commandsOf, filesIn, found, type Page, readPage, root } from './pages.ts';

const scripts = Object.keys(JSON.parse(readPage('package.json').text).scripts);
const variables = Object.values(SETTINGS).map(({ variable }) => variable);
const fields = stageFields().map(({ path }) => path);
const source = filesIn(['lib', 'functions', 'bridge'])
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readPage(name).text)
  .join('\n');

const FOLDERS = 'bridge|cli|config|docs|functions|infra|lib|local|scripts|test';

/** What a page names and does not exist, by kind. */
const missing = {
  'npm scripts': (page: Page) =>
    found(page, /npm run\s+(?:-s\s+|--silent\s+)?([\w:-]+)/g).filter((name) => !scripts.includes(name)),
  // A name that ends in an underscore stands for a family.
  variables: (page: Page) =>
    found(page, /\b(PV_[A-Z_]*[A-Z])\b/g).filter((name) => !(variables as readonly string[]).includes(name)),
  'fields of the stage file': (page: Page) =>
    found(page, /`((?:bridge|cluster|logs|monitoring|queues|recycling|vpc|workers)\.[A-Za-z]+)\b[^`/]*`/g).filter(
      (path) => !fields.includes(path),
    ),
  files: (page: Page) =>
    found(page, new RegExp(`\`((?:${FOLDERS})/[\\w./-]+)\``, 'g')).filter(
      // Of upstream's tests only the names are here.
      (path) =>
        ![path, join(dirname(page.path), path)].some((from) => existsSync(join(root, from))) &&
        !path.endsWith('_test.go'),
    ),
  'log lines': (page: Page) =>
    found(page, /message = "([^"]+)"/g).filter((line) => !source.includes(`'${line.replace(/\s+/g, ' ')}'`)),
} as const;

describe.each(Object.entries(missing))('%s', (_, namesIn) => {
  test.each(allPages().map((page) => [page.path, page] as const))('of %s exist', (_path, page) => {
    expect(namesIn(page)).toEqual([]);
  });
});

test('every saved query is in the runbook, by its name', () => {
  const { text } = readPage('docs/runbook.md');

  expect(QUERIES.map(({ name }) => name).filter((name) => !text.includes(name))).toEqual([]);
});

/** What bash says of commands that it does not run. */
const misread = (commands: string) => spawnSync('bash', ['-n'], { input: commands, encoding: 'utf8' }).stderr;

test('every block of commands is one that a shell can read', () => {
  const blocks = allPages().flatMap((page) => commandsOf(page).map((block) => ({ page: page.path, block })));

  expect(blocks.length).toBeGreaterThan(0);
  expect(blocks.filter(({ block }) => misread(block) !== '')).toEqual([]);
  expect(misread('run <stage> |')).toContain('syntax error');
});

test('the check finds what does not exist', () => {
  const text =
    '`npm run -s nothing` PV_NOTHING `bridge.nothing` `test/nothing.test.ts` message = "nothing at all" ' +
    '`npm run\ncheck` PV_MODE `bridge.host` `test/docs/pages.ts` message = "would write"';
  const page = { path: 'docs/x.md', text };

  expect(Object.values(missing).map((namesIn) => namesIn(page))).toEqual([
    ['nothing'],
    ['PV_NOTHING'],
    ['bridge.nothing'],
    ['test/nothing.test.ts'],
    ['nothing at all'],
  ]);
});
