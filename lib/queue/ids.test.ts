import { describe, expect, test } from 'vitest';
import type { SyncKey } from '../controller/types.ts';
import { DELETED, deduplicationId, groupId, type Occasion } from './ids.ts';

const volume: SyncKey = { kind: 'PersistentVolume', name: 'pv-1' };
const claim: SyncKey = { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'c' };

describe('groupId', () => {
  test('is the key where SQS takes it', () => {
    expect(groupId(volume)).toBe('pv-1');
    expect(groupId(claim)).toBe('ns/c');
    expect(groupId({ ...volume, name: 'x'.repeat(128) })).toBe('x'.repeat(128));
  });

  test('is a hash over 128 characters, or where a character is refused', () => {
    const names = ['x'.repeat(129), 'x'.repeat(253), `${'x'.repeat(252)}y`, 'a b', 'ä', 'a\n', ''];
    const ids = names.map((name) => groupId({ ...volume, name }));
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(ids).size).toBe(names.length);
    expect(groupId({ kind: 'PersistentVolumeClaim', namespace: 'n'.repeat(63), name: 'x'.repeat(65) })).toMatch(
      /^[0-9a-f]{64}$/,
    );
  });
});

describe('deduplicationId', () => {
  const change: Occasion = { form: 'change', uid: 'u', resourceVersion: '7' };

  test('is equal for what two bridges see alike', () => {
    expect(deduplicationId(volume, change)).toBe(deduplicationId({ ...volume }, { ...change }));
    expect(deduplicationId(volume, change)).toMatch(/^[0-9a-f]{64}$/);
  });

  test('differs in every part of every form', () => {
    const occasions: Occasion[] = [
      change,
      { ...change, resourceVersion: '8' },
      { ...change, uid: 'v' },
      { form: 'deleted', uid: 'u' },
      { form: 'deleted', uid: 'v' },
      { form: 'enqueue', cause: { uid: 'u', resourceVersion: '7' } },
      { form: 'enqueue', cause: { uid: 'u', resourceVersion: '8' } },
      { form: 'enqueue', cause: { uid: 'u', resourceVersion: DELETED } },
      { form: 'enqueue', cause: { uid: 'v', resourceVersion: '7' } },
      { form: 'resync', epoch: 7 },
      { form: 'resync', epoch: 8 },
      { form: 'relist', uid: 'u', resourceVersion: '7', listVersion: '9' },
      { form: 'relist', uid: 'u', resourceVersion: '7', listVersion: '10' },
      { form: 'redrive', nonce: '1' },
      { form: 'redrive', nonce: '2' },
    ];
    const targets: SyncKey[] = [volume, { ...volume, name: 'pv-2' }, claim, { ...claim, namespace: 'other' }];
    const ids = targets.flatMap((target) => occasions.map((occasion) => deduplicationId(target, occasion)));
    expect(new Set(ids).size).toBe(targets.length * occasions.length);
  });

  test('keeps its parts apart', () => {
    const a = deduplicationId(volume, { form: 'enqueue', cause: { uid: 'a', resourceVersion: '1,2' } });
    const b = deduplicationId(volume, { form: 'enqueue', cause: { uid: 'a,1', resourceVersion: '2' } });
    expect(a).not.toBe(b);
  });
});
