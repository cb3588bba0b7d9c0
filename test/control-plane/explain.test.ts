/**
 * `explain` on a real cluster: what people ran into (the field reports), as in test/diagnosis, but on a real API server with
 * the real protection controllers, and what heals it is run by the real kubectl.
 */
import { describe, expect, test } from 'vitest';
import { describeReports } from '../diagnosis/heal.ts';
import { DELETING } from '../diagnosis/situations/deleting.ts';
import { MATCHING } from '../diagnosis/situations/matching.ts';
import { RELEASING } from '../diagnosis/situations/releasing.ts';
import { skipReason } from './controller-under-test.ts';
import { RealPlace } from './explain/real-place.ts';

const all = [...RELEASING, ...MATCHING, ...DELETING];
const real = all.filter(({ impossible }) => impossible === undefined);

describe.skipIf(skipReason !== undefined)('explain', () => {
  describeReports('on a real API server', real, RealPlace.open);
});

test('all but one of the field reports come about on a real API server, and the cures of at least 25 are run', () => {
  const others = all.filter(({ impossible }) => impossible !== undefined);
  expect(others.map(({ title }) => Number.parseInt(title, 10))).toEqual([45]);
  const healed = new Set(real.flatMap(({ title, cure }) => (cure === undefined ? [] : [Number.parseInt(title, 10)])));
  expect(healed.size).toBeGreaterThanOrEqual(25);
});
