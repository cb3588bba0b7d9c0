import { describe, expect, test } from 'vitest';
import { capacityOf, differenceIn, mismatchOf, requestOf } from './candidate.ts';
import { claim, refTo, reservationFor, volume } from './testing/objects.ts';

const on = { volumeAttributesClass: true };
const one = claim('one');
const mismatch = (of: Parameters<typeof volume>[1], wanting = one, isDelayed = false) =>
  mismatchOf(volume('pv', of), requestOf(wanting, isDelayed, on));

describe('the first rule that a volume fails (BEHAVIOUR 5.2)', () => {
  const selective = claim('one', { spec: { selector: { matchLabels: { tier: 'fast' } } } });

  test.each<[string, Parameters<typeof volume>[1]]>([
    ['reserved for another claim', { spec: { claimRef: refTo(claim('two')) } }],
    ['too small', { spec: { capacity: { storage: '1Mi' } } }],
    ['volumeMode differs', { spec: { volumeMode: 'Block' } }],
    ['volumeAttributesClassName differs', { spec: { volumeAttributesClassName: 'gold' } }],
    ['being deleted', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    ['not Available', { status: { phase: 'Pending' } }],
    ['storageClassName differs', { spec: { storageClassName: 'fast' } }],
  ])('%s', (reason, parts) => {
    expect(mismatch(parts)).toBe(reason);
  });

  test('labels do not satisfy the selector', () => {
    expect(mismatch({}, selective)).toBe('labels do not satisfy the selector');
    expect(mismatch({ metadata: { labels: { tier: 'fast' } } }, selective)).toBeUndefined();
  });

  test('binding waits for the first consumer', () => {
    expect(mismatch({}, one, true)).toBe('binding waits for the first consumer');
  });

  test('none: it fits, or is reserved for the claim and usable', () => {
    expect(mismatch({})).toBeUndefined();
    const reserved = { claimRef: reservationFor(one) };
    expect(mismatch({ spec: { ...reserved, storageClassName: 'fast' } }, selective, true)).toBeUndefined();
    expect(mismatch({ spec: { ...reserved, capacity: { storage: '1Mi' } } })).toBe('too small');
  });

  test('a volume or a claim without a size has 0, and one without a status is not Available', () => {
    const { capacity: _, ...spec } = volume('pv').spec;
    const without = { ...volume('pv'), spec };
    expect(capacityOf(without)).toBe('0');
    expect(mismatchOf(without, requestOf(one, false, on))).toBe('too small');
    const { resources: __, ...modest } = one.spec;
    expect(mismatchOf(without, requestOf({ ...one, spec: modest }, false, on))).toBeUndefined();
    const { status: ___, ...fresh } = volume('pv');
    expect(mismatchOf(fresh, requestOf(one, false, on))).toBe('not Available');
  });
});

describe('by how much a volume fails a rule', () => {
  const selector = { matchLabels: { tier: 'fast' } };
  const wishes = claim('one', {
    spec: { resources: { requests: { storage: '8Gi' } }, selector, storageClassName: 'slow' },
  });
  const difference = (parts: Parameters<typeof volume>[1], wanting = wishes, isDelayed = false) => {
    const request = requestOf(wanting, isDelayed, on);
    const rule = mismatchOf(volume('pv', parts), request);
    return rule && `${rule}: ${differenceIn(rule, volume('pv', parts), request)}`;
  };
  const large = { capacity: { storage: '9Gi' } };
  const labels = { tier: 'fast' };

  test.each<[string, Parameters<typeof volume>[1]]>([
    ['reserved for another claim: for ns/two', { spec: { claimRef: refTo(claim('two')) } }],
    [
      'reserved for another claim: for an earlier ns/one (uid old)',
      { spec: { claimRef: { ...refTo(one), uid: 'old' } } },
    ],
    [
      'reserved for another claim: for elsewhere/one',
      { spec: { claimRef: { ...refTo(one), namespace: 'elsewhere' } } },
    ],
    ['too small: needs 8Gi, has 5Gi', { spec: { capacity: { storage: '5Gi' } } }],
    ['volumeMode differs: needs Filesystem, has Block', { spec: { ...large, volumeMode: 'Block' } }],
    [
      'volumeAttributesClassName differs: needs none, has gold',
      { spec: { ...large, volumeAttributesClassName: 'gold' } },
    ],
    [
      'being deleted: since 2026-01-01T00:00:00Z',
      { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, spec: large },
    ],
    ['not Available: it is Pending', { spec: large, status: { phase: '' } }],
    ['labels do not satisfy the selector: needs {"matchLabels":{"tier":"fast"}}, has none', { spec: large }],
    [
      'labels do not satisfy the selector: needs {"matchLabels":{"tier":"fast"}}, has {"tier":"slow"}',
      { metadata: { labels: { tier: 'slow' } }, spec: large },
    ],
    ['storageClassName differs: needs slow, has none', { metadata: { labels }, spec: large }],
  ])('%s', (text, parts) => {
    expect(difference(parts)).toBe(text);
  });

  test('a delayed binding is the scheduler’s to begin', () => {
    expect(difference({ spec: large }, wishes, true)).toMatch(/first consumer: the scheduler chooses it/);
  });
});
