import { describe, expect, test } from 'vitest';
import { claim, volume } from '../controller/testing/objects.ts';
import { unsettledSince } from './unsettled-since.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();
const ms = (minute: number) => Date.UTC(2026, 0, 1, 12, minute);

const old = volume('pv', { metadata: { creationTimestamp: at(0) } });
const changed = volume('pv', { metadata: { creationTimestamp: at(0) }, status: { lastPhaseTransitionTime: at(20) } });
const dying = volume('pv', { metadata: { creationTimestamp: at(0), deletionTimestamp: at(30) } });
const young = claim('data', { metadata: { creationTimestamp: at(40) } });

describe('an object is unsettled since the newest of', () => {
  test.each([
    ['its creation', [old], 0, 0],
    ['the last change of its phase', [changed], 0, 20],
    ['the request to delete it', [dying], 0, 30],
    ['the creation of its other half', [changed, young], 0, 40],
    ['the news of a change that left no timestamp', [changed, young], 50, 50],
    ['the news, where both halves are gone', [], 50, 50],
  ])('%s', (_, objects, noticed, expected) => {
    expect(unsettledSince(objects, ms(noticed))).toBe(ms(expected));
  });

  test.each([
    ['nobody knows when it was noticed', [old], undefined],
    ['the queue does not say when it was noticed', [old], Number.NaN],
    ['a timestamp is none', [volume('pv', { metadata: { creationTimestamp: 'yesterday' } })], ms(0)],
  ])('and never where %s', (_, objects, noticedAt) => {
    expect(unsettledSince(objects, noticedAt)).toBe(Number.POSITIVE_INFINITY);
  });
});
