import { describe, expect, it } from 'vitest';
import { keyOf } from '../queue/message.ts';
import { claimsOfClass, keysOf, recyclingVolumes, volumeUidOf, writersOf } from './partners.ts';
import { Registry } from './registry.ts';
import { claim, storageClass, volume } from './testing/objects.ts';

describe('keysOf', () => {
  it('of a volume are itself, the claim of its claimRef, and the claims that name it', () => {
    const registry = new Registry();
    registry.set('PersistentVolumeClaim', claim('reserved'));
    registry.set('PersistentVolumeClaim', claim('naming', { volumeName: 'pv' }));
    const claimRef = { namespace: 'ns', name: 'reserved' };
    const change = registry.set('PersistentVolume', volume('pv', { claimRef }));
    expect(change && keysOf(registry, change).map(keyOf)).toEqual([
      'PersistentVolume/pv',
      'PersistentVolumeClaim/ns/reserved',
      'PersistentVolumeClaim/ns/naming',
    ]);
  });

  it('of a claim are itself, the volume that it names, and the volumes reserved for it', () => {
    const registry = new Registry();
    registry.set('PersistentVolume', volume('named'));
    registry.set('PersistentVolume', volume('reserved', { claimRef: { namespace: 'ns', name: 'one' } }));
    const change = registry.set('PersistentVolumeClaim', claim('one', { volumeName: 'named' }));
    expect(change && keysOf(registry, change).map(keyOf)).toEqual([
      'PersistentVolumeClaim/ns/one',
      'PersistentVolume/named',
      'PersistentVolume/reserved',
    ]);
  });

  it('include the partners of before, and of an object that is gone only those', () => {
    const registry = new Registry();
    registry.set('PersistentVolumeClaim', claim('one'));
    registry.set('PersistentVolume', volume('pv', { claimRef: { namespace: 'ns', name: 'one' } }));
    const change = registry.set('PersistentVolume', volume('pv'));
    expect(change && keysOf(registry, change).map(keyOf)).toEqual([
      'PersistentVolume/pv',
      'PersistentVolumeClaim/ns/one',
    ]);

    registry.set('PersistentVolume', volume('pv', { claimRef: { namespace: 'ns', name: 'one' } }));
    const deletion = registry.delete('PersistentVolume', volume('pv'));
    expect(deletion && keysOf(registry, deletion).map(keyOf)).toEqual(['PersistentVolumeClaim/ns/one']);
  });

  it('of a class are none: it has no sync, and its claims are found by its name', () => {
    const after = storageClass('gold');
    expect(keysOf(new Registry(), { kind: 'StorageClass', after })).toEqual([]);
  });

  it('leave out a partner that does not exist', () => {
    const registry = new Registry();
    const change = registry.set('PersistentVolumeClaim', claim('one', { volumeName: '../odd' }));
    expect(change && keysOf(registry, change).map(keyOf)).toEqual(['PersistentVolumeClaim/ns/one']);
  });
});

describe('writersOf', () => {
  function held(claimRef?: ReturnType<typeof volume>['spec']['claimRef']): Registry {
    const registry = new Registry();
    const one = claim('one', { volumeName: 'pv' });
    registry.set('PersistentVolumeClaim', { ...one, metadata: { ...one.metadata, uid: 'c' } });
    registry.set('PersistentVolume', volume('pv', claimRef && { claimRef }));
    return registry;
  }
  const pv = { kind: 'PersistentVolume', name: 'pv' } as const;

  it('of a volume are its own key and that of the very claim in its claimRef', () => {
    const registry = held({ namespace: 'ns', name: 'one', uid: 'c' });
    expect(writersOf(registry, pv).map(keyOf)).toEqual(['PersistentVolume/pv', 'PersistentVolumeClaim/ns/one']);
  });

  it.each([
    ['free', undefined],
    ['reserved by name only', { namespace: 'ns', name: 'one' }],
    ['bound to an earlier claim of that name', { namespace: 'ns', name: 'one', uid: 'b' }],
    ['bound to a claim that is gone', { namespace: 'ns', name: 'two', uid: 'd' }],
  ])('of a volume that is %s are its own key only', (_, claimRef) => {
    expect(writersOf(held(claimRef), pv)).toEqual([pv]);
  });

  it('of a claim are its own key only: no other sync writes it', () => {
    const key = { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'one' } as const;
    expect(writersOf(held({ namespace: 'ns', name: 'one', uid: 'c' }), key)).toEqual([key]);
  });

  it('of a claim that has the name of a volume have nothing to do with that volume', () => {
    const key = { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'pv' } as const;
    expect(writersOf(held({ namespace: 'ns', name: 'one', uid: 'c' }), key)).toEqual([key]);
  });
});

describe('claimsOfClass', () => {
  it('are the unbound claims of the class, and for a default class those that have none', () => {
    const registry = new Registry();
    const classless = claim('classless');
    delete classless.spec.storageClassName;
    for (const each of [classless, claim('empty'), claim('own', { storageClassName: 'gold' })]) {
      registry.set('PersistentVolumeClaim', each);
    }
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    const names = (metadata: { name: string; annotations?: Record<string, string> }) => {
      const change = registry.set('StorageClass', storageClass('gold', { metadata }));
      return change && claimsOfClass(registry, change).map(({ name }) => name);
    };
    expect(names({ name: 'gold' })).toEqual(['own']);
    expect(names({ name: 'gold', annotations })).toEqual(['own', 'classless']);
    expect(names({ name: 'gold' })).toEqual(['own', 'classless']);
  });
});

describe('recyclingVolumes', () => {
  it('are those with policy Recycle that are Released or Failed', () => {
    const registry = new Registry();
    const recycled = { persistentVolumeReclaimPolicy: 'Recycle' };
    registry.set('PersistentVolume', volume('a', recycled, 'Released'));
    registry.set('PersistentVolume', volume('b', recycled, 'Bound'));
    registry.set('PersistentVolume', volume('c', {}, 'Released'));
    registry.set('PersistentVolume', volume('d', recycled, 'Failed'));
    expect(recyclingVolumes(registry)).toEqual(['a', 'd'].map((name) => ({ kind: 'PersistentVolume', name })));
  });
});

describe('the volume that a message is about', () => {
  const registry = new Registry();
  registry.set('PersistentVolume', { ...volume('pv'), metadata: { name: 'pv', uid: 'uid-of-pv' } });
  registry.set('PersistentVolumeClaim', claim('bound', { volumeName: 'pv' }));
  registry.set('PersistentVolumeClaim', claim('free'));
  const ofClaim = (name: string) => ({ v: 1, kind: 'PersistentVolumeClaim', namespace: 'ns', name }) as const;

  it.each([
    [
      'a volume’s own',
      { v: 1, kind: 'PersistentVolume', name: 'gone', uid: 'uid-of-gone', reason: 'deleted' },
      'uid-of-gone',
    ],
    ['the one that the claim names', { ...ofClaim('bound'), reason: 'modified' }, 'uid-of-pv'],
    [
      'the one that the claim had',
      { ...ofClaim('gone'), reason: 'deleted', deleted: { volumeName: 'pv' } },
      'uid-of-pv',
    ],
    ['the one that it is to try', { ...ofClaim('free'), reason: 'enqueued', hint: { volumeName: 'pv' } }, 'uid-of-pv'],
    ['none', { ...ofClaim('free'), reason: 'added' }, undefined],
  ] as const)('is %s', (_, message, uid) => {
    expect(volumeUidOf(registry, message)).toBe(uid);
  });
});
