import { describe, expect, it } from 'vitest';
import { deletionOf, isNewer, merge, occasionOf, reasonOf } from './occasion.ts';
import { Registry } from './registry.ts';
import { claim, volume } from './testing/objects.ts';

function held(volumeVersion: string, claimVersion: string) {
  const registry = new Registry();
  const pv = volume('pv', { claimRef: { namespace: 'ns', name: 'one' } });
  Object.assign(pv.metadata, { uid: 'v', resourceVersion: volumeVersion });
  const pvc = claim('one');
  Object.assign(pvc.metadata, { uid: 'c', resourceVersion: claimVersion });
  registry.set('PersistentVolume', pv);
  registry.set('PersistentVolumeClaim', pvc);
  return { registry, pv, pvc };
}

describe('occasionOf', () => {
  it('names the object when its own change is the newest', () => {
    const { registry, pvc } = held('9', '10');
    expect(occasionOf(registry, 'PersistentVolumeClaim', pvc, { version: '10', reason: 'added' })).toEqual({
      form: 'change',
      uid: 'c',
      resourceVersion: '10',
    });
  });

  it('names the partner when its change is newer, whichever of both events came last', () => {
    const { registry, pvc } = held('11', '10');
    const expected = { form: 'enqueue', cause: { uid: 'v', resourceVersion: '11' } };
    const own = { version: '10', reason: 'added' } as const;
    const partner = { version: '11', cause: { uid: 'v', resourceVersion: '11' } };
    expect(occasionOf(registry, 'PersistentVolumeClaim', pvc, own)).toEqual(expected);
    expect(occasionOf(registry, 'PersistentVolumeClaim', pvc, partner)).toEqual(expected);
  });

  it('names a deletion as workers name it', () => {
    const { registry, pv, pvc } = held('9', '10');
    registry.delete('PersistentVolume', pv);
    expect(occasionOf(registry, 'PersistentVolumeClaim', pvc, deletionOf(pv, '11'))).toEqual({
      form: 'enqueue',
      cause: { uid: 'v', resourceVersion: 'deleted' },
    });
  });

  it('names the list when nothing came after it', () => {
    const { registry, pvc } = held('9', '10');
    const occasion = (version: string) =>
      occasionOf(registry, 'PersistentVolumeClaim', pvc, { version, listVersion: 'l' });
    expect(occasion('10')).toEqual({ form: 'relist', uid: 'c', resourceVersion: '10', listVersion: 'l' });
    expect(occasion('9')).toEqual({ form: 'change', uid: 'c', resourceVersion: '10' });
  });
});

describe('merge', () => {
  it('keeps the newer trigger, and that a look was forced', () => {
    const older = { version: '9', force: true };
    const newer = { version: '10', reason: 'modified' } as const;
    expect(merge(older, newer)).toEqual({ ...newer, force: true });
    expect(merge(newer, older)).toEqual({ ...newer, force: true });
  });

  it('is urgent where either of them is, and only there', () => {
    const [older, newer] = [{ version: '9' }, { version: '10' }];
    const urgent = { ...newer, urgent: true };
    expect(merge({ ...older, urgent: true }, newer)).toEqual(urgent);
    expect(merge(older, urgent)).toEqual(urgent);
    expect(merge(older, newer)).toEqual(newer);
  });
});

describe('reasonOf', () => {
  it('says what the occasion is', () => {
    const cause = { uid: 'u', resourceVersion: '1' };
    expect(reasonOf({ form: 'enqueue', cause }, { version: '1', reason: 'added' })).toBe('enqueued');
    expect(reasonOf({ form: 'change', ...cause }, { version: '1', reason: 'added' })).toBe('added');
    expect(reasonOf({ form: 'relist', ...cause, listVersion: '1' }, { version: '1' })).toBe('resync');
  });
});

describe('isNewer', () => {
  it('compares numbers of any length', () => {
    expect(isNewer('10', '9')).toBe(true);
    expect(isNewer('9', '10')).toBe(false);
    expect(isNewer('10', '10')).toBe(false);
    expect(isNewer('9007199254740993', '9007199254740992')).toBe(true);
    expect(isNewer('x', '1')).toBe(true);
  });

  it.each(['x', 'x12', '12x', ''])('takes %j, which is no number, for newer than any other, either way', (odd) => {
    expect(isNewer(odd, '12345')).toBe(true);
    expect(isNewer('12345', odd)).toBe(true);
    expect(isNewer('1', odd)).toBe(true);
    expect(isNewer(odd, odd)).toBe(false);
  });
});
