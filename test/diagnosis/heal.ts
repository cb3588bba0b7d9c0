/**
 * What people ran into (the field reports), on a running controller: `explain` names the cause, and the command that it
 * proposes, run as it stands, heals it.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { assertWarned } from '../../lib/diagnosis/testing/harmless.ts';
import { LocalPlace } from './local-place.ts';
import type { Place } from './place.ts';
import type { FieldReport } from './situations/report.ts';

/** Each waits several times for a whole pipeline to come to rest, which takes as long as the machine is busy. */
const PATIENCE_MS = 60_000;
const OTHERS_MS = 10_000;

/** One test for each report, in one place that is emptied after each. @param open the place; in memory unless given. */
export function describeReports(what: string, reports: readonly FieldReport[], open = LocalPlace.open): void {
  let place: Place;

  beforeAll(async () => {
    place = await open();
  }, PATIENCE_MS);
  afterEach(() => place.clear(), PATIENCE_MS);
  afterAll(() => place?.close(), PATIENCE_MS);

  describe(what, () => {
    test.each(reports.map((report) => [report.title, report] as const))(
      '%s',
      (_title, report) => explainAndHeal(place, report),
      PATIENCE_MS,
    );
  });
}

async function explainAndHeal(place: Place, report: FieldReport): Promise<void> {
  await report.happens(place);
  await place.settled();

  const finding = await place.explain(report.subject);
  expect(finding).toMatchObject({ cause: report.cause, subject: report.subject });
  const candidates = finding.candidates.map(({ volume, rule, detail }) => `${volume} ${rule} ${detail}`);
  expect([...finding.why, ...candidates].join('\n')).toMatch(report.says);
  assertWarned(finding);
  if (report.cure === undefined) return;

  const { cure: words, healed, is, fillIn: [placeholder, value] = ['', ''] } = report;
  expect(finding.cures.map(({ does }) => does)).toContainEqual(expect.stringMatching(words));
  const cure = finding.cures.find(({ does }) => words.test(does));
  expect(cure?.danger !== undefined, cure?.danger).toBe(report.isDangerous === true);
  expect(await healed?.(place)).not.toEqual(is);
  await place.run((cure?.command ?? '').replace(placeholder, value));
  await place.settled();
  // Controllers that are not ours may rest for a moment between two steps.
  await expect.poll(() => healed?.(place), { timeout: OTHERS_MS }).toEqual(is);
}
