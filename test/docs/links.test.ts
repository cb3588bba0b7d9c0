/** Every link in the pages leads somewhere, to a heading too. */
import { describe, expect, test } from 'vitest';
import { RUNBOOK_ANCHORS } from '../../infra/monitoring/alarm.ts';
import { allPages, anchorsOf, brokenLinks, filesIn, found, readPage } from './pages.ts';

test.each(allPages().map((page) => [page.path, page] as const))('%s: every link leads somewhere', (_, page) => {
  expect(brokenLinks(page)).toEqual([]);
});

test('each alarm links to a section of the runbook, and each section of an alarm is there', () => {
  const anchors = anchorsOf(readPage('docs/runbook.md').text);

  expect(RUNBOOK_ANCHORS.filter((anchor) => !anchors.has(anchor))).toEqual([]);
});

test('every page that the code names is there, with its heading', () => {
  const files = ['bridge', 'config', 'functions', 'infra', 'lib', 'local', 'scripts', 'serverless.yml'];

  const broken = filesIn(files).flatMap((path) =>
    found(readPage(path), /\b(docs\/[\w/-]+\.md(?:#[a-z0-9-]+)?)/g)
      .filter((link) => brokenLinks({ path: 'README.md', text: `[page](${link})` }).length > 0)
      .map((link) => `${path}: ${link}`),
  );

  expect(broken).toEqual([]);
});

describe('the check itself', () => {
  const page = (text: string) => ({ path: 'docs/design.md', text });

  test('finds a file and a heading that are not there', () => {
    const text =
      '# One\n[a](none.md) [b](runbook.md#none) [c](#two) [d](#one) [e](runbook.md#dead-letters) [f](https://x.y)';

    expect(brokenLinks(page(text))).toEqual(['none.md', 'runbook.md#none', '#two']);
  });

  test('reads headings as GitHub does, and none in code', () => {
    const text = '# The `cost`: what, when?\n```sh\n# no heading\n```\n## Twice\n## Twice\n## [Linked](x.md) #\n';

    expect([...anchorsOf(text)]).toEqual(['the-cost-what-when', 'twice', 'twice-1', 'linked']);
  });
});
