import { describe, expect, test } from 'vitest';
import { BETA_STORAGE_CLASS } from './annotations.ts';
import { couldBind, findBestMatch } from './match.ts';
import { claim, refTo, reservationFor, volume } from './testing/objects.ts';
import type { PersistentVolume, PersistentVolumeClaim } from './types.ts';
import { VolumeIndex } from './volume-index.ts';

const on = { volumeAttributesClass: true };
const off = { volumeAttributesClass: false };

function best(volumes: PersistentVolume[], pvc: PersistentVolumeClaim, delayed = false, features = on) {
  return findBestMatch(new VolumeIndex(volumes), pvc, delayed, features)?.metadata.name;
}

const sized = (name: string, storage: string, accessModes = ['ReadWriteOnce']) =>
  volume(name, { spec: { capacity: { storage }, accessModes } });

describe('findBestMatch: mode groups (BEHAVIOUR 5.1)', () => {
  test('a smaller group wins over a better size in a larger one', () => {
    const volumes = [sized('wide', '1Gi', ['ReadWriteOnce', 'ReadOnlyMany']), sized('narrow', '50Gi')];
    expect(best(volumes, claim('one'))).toBe('narrow');
  });

  test('a free volume in a smaller group wins over a reserved one in a larger group', () => {
    const one = claim('one');
    const reserved = volume('reserved', {
      spec: { claimRef: refTo(one), accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] },
    });
    expect(best([reserved, volume('free')], one)).toBe('free');
    expect(best([reserved], one)).toBe('reserved');
  });

  test('a requested mode that is not known here is in no group, so nothing is bound that lacks it', () => {
    const future = claim('one', { spec: { accessModes: ['ReadWriteOnce', 'ReadWriteSomewhere'] } });
    expect(best([volume('pv')], future)).toBeUndefined();
    expect(couldBind(volume('pv'), future, false, on)).toBe(false);
    const unknown = volume('pv', { spec: { accessModes: ['ReadWriteOnce', 'ReadWriteSomewhere'] } });
    expect(best([unknown], claim('one'))).toBe('pv');
  });
});

describe('findBestMatch: within a group (BEHAVIOUR 5.2)', () => {
  test('the smallest that is large enough, by exact quantities', () => {
    const volumes = [sized('big', '3Gi'), sized('exact', '1073741824'), sized('small', '1G'), sized('more', '1.5Gi')];
    expect(best(volumes, claim('one'))).toBe('exact');
    const huge = claim('one', { spec: { resources: { requests: { storage: '20E' } } } });
    expect(best([sized('a', '19E'), sized('b', '20.5E'), sized('c', '1e20')], huge)).toBe('b');
  });

  test('the one of its size that fits is found, wherever the claim begins to look', () => {
    const rack = ['a', 'b', 'c', 'd', 'e'].map((name) => volume(name, { metadata: { labels: { name } } }));
    for (const name of ['a', 'c', 'e']) {
      const spec = { selector: { matchLabels: { name } } };
      const found = Array.from({ length: 50 }, (_, index) => best(rack, claim(`one-${index}`, { spec })));
      expect(new Set(found)).toEqual(new Set([name]));
    }
  });

  test('a reserved volume wins over a smaller free one, whatever its phase, labels, class or delayed binding', () => {
    const picky = claim('one', { spec: { selector: { matchLabels: { tier: 'gold' } }, storageClassName: 'fast' } });
    const reserved = volume('reserved', {
      spec: { claimRef: reservationFor(picky), capacity: { storage: '9Gi' } },
      status: { phase: 'Failed' },
    });
    const free = volume('free', { metadata: { labels: { tier: 'gold' } }, spec: { storageClassName: 'fast' } });
    expect(best([free, reserved], picky)).toBe('reserved');
    expect(best([reserved], picky, true)).toBe('reserved');
    expect(best([free], picky, true)).toBeUndefined();
  });

  test.each<[string, Parameters<typeof volume>[1]]>([
    ['too small', { spec: { capacity: { storage: '1Mi' } } }],
    ['of another volumeMode', { spec: { volumeMode: 'Block' } }],
    ['of another attributes class', { spec: { volumeAttributesClassName: 'gold' } }],
    ['being deleted', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }],
  ])('even a reserved volume is skipped when it is %s', (_what, parts) => {
    const one = claim('one');
    const pv = volume('pv', { ...parts, spec: { ...parts?.spec, claimRef: refTo(one) } });
    expect(best([pv], one)).toBeUndefined();
    expect(couldBind(pv, one, false, on)).toBe(false);
  });

  test.each<[string, Parameters<typeof volume>[1]]>([
    ['reserved for another claim', { spec: { claimRef: refTo(claim('two')) } }],
    ['reserved for an older claim of that name', { spec: { claimRef: { ...refTo(claim('one')), uid: 'old' } } }],
    ['reserved for that name elsewhere', { spec: { claimRef: { ...refTo(claim('one')), namespace: 'other' } } }],
    ['Pending', { status: { phase: 'Pending' } }],
    ['Released', { status: { phase: 'Released' } }],
    ['Failed', { status: { phase: 'Failed' } }],
    ['of another class', { spec: { storageClassName: 'fast' } }],
    ['of another beta class', { annotations: { [BETA_STORAGE_CLASS]: 'fast' } }],
  ])('a volume is skipped when it is %s', (_what, parts) => {
    expect(best([volume('pv', parts)], claim('one'))).toBeUndefined();
    expect(couldBind(volume('pv', parts), claim('one'), false, on)).toBe(false);
  });

  test('the selector is compared with the labels; a broken one is an error', () => {
    const gold = volume('pv', { metadata: { labels: { tier: 'gold' } } });
    const asking = (matchLabels: Record<string, string>) => claim('one', { spec: { selector: { matchLabels } } });
    expect(best([gold], asking({ tier: 'gold' }))).toBe('pv');
    expect(best([gold, volume('bare')], asking({ tier: 'iron' }))).toBeUndefined();
    const broken = claim('one', { spec: { selector: { matchExpressions: [{ key: 'a', operator: 'X' }] } } });
    expect(() => best([gold], broken)).toThrow('"X" is not a valid label selector operator');
  });

  test('gate off: a claim with an attributes class is an error, a volume with one is skipped', () => {
    const gold = { spec: { volumeAttributesClassName: 'gold' } };
    expect(() => best([volume('pv')], claim('one', gold), false, off)).toThrow(
      'unsupported volumeAttributesClassName is set on claim ns/one when the feature-gate VolumeAttributesClass is disabled',
    );
    expect(best([volume('pv', gold)], claim('one'), false, off)).toBeUndefined();
    expect(best([volume('pv', gold)], claim('one', gold))).toBe('pv');
    expect(best([volume('pv', { spec: { volumeAttributesClassName: '' } })], claim('one'), false, off)).toBe('pv');
  });

  test('claims are only judged within a group: where there is none, nothing is an error', () => {
    const other = sized('pv', '1Gi', ['ReadOnlyMany']);
    const gold = claim('one', { spec: { volumeAttributesClassName: 'gold' } });
    const broken = claim('one', { spec: { selector: { matchExpressions: [{ key: 'a', operator: 'X' }] } } });
    expect(best([other], gold, false, off)).toBeUndefined();
    expect(best([], broken)).toBeUndefined();
  });

  test('among equally good volumes the claim’s uid chooses, so that parallel claims spread', () => {
    const volumes = Array.from({ length: 16 }, (_, i) => volume(`pv-${i}`));
    const chosen = new Set(Array.from({ length: 64 }, (_, i) => best(volumes, claim(`c${i}`))));
    expect(chosen.size).toBeGreaterThan(8);
    expect(best(volumes, claim('c1'))).toBe(best(volumes, claim('c1')));
  });

  test('the only good one of many equally big volumes is found, wherever a claim’s uid begins to look', () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    const others = Array.from({ length: 6 }, (_, i) => volume(`pv-${i}`, { metadata: { deletionTimestamp } }));
    const volumes = [...others.slice(0, 2), volume('good'), ...others.slice(2)];
    for (let i = 0; i < 32; i++) expect(best(volumes, claim(`c${i}`))).toBe('good');
  });

  test('a volume whose capacity is no quantity is never chosen, and harms no other', () => {
    const volumes = [sized('odd', 'much'), sized('odder', '1e5000'), volume('good')];
    expect(best(volumes, claim('one'))).toBe('good');
    const index = new VolumeIndex(volumes);
    index.delete('odd');
    index.delete('odder');
    expect([...index.values()].map((v) => v.metadata.name)).toEqual(['good']);
  });
});
