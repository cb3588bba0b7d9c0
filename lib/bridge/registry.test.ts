import { queryObjects } from 'node:v8';
import { describe, expect, it, vi } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import { Registry } from './registry.ts';
import { claim, storageClass, volume } from './testing/objects.ts';

function at<T extends PersistentVolume | PersistentVolumeClaim>(version: string, object: T, uid = 'u'): T {
  return { ...object, metadata: { ...object.metadata, uid, resourceVersion: version } };
}

describe('Registry', () => {
  it('tells what a change was before and is after', () => {
    const registry = new Registry();
    expect(registry.set('PersistentVolume', at('1', volume('a')))).toMatchObject({
      after: { metadata: { resourceVersion: '1' } },
    });
    expect(registry.set('PersistentVolume', at('2', volume('a')))).toMatchObject({
      before: { metadata: { resourceVersion: '1' } },
      after: { metadata: { resourceVersion: '2' } },
    });
    expect(registry.delete('PersistentVolume', at('3', volume('a')))).toMatchObject({
      before: { metadata: { resourceVersion: '2' } },
    });
    expect(registry.volume('a')).toBeUndefined();
  });

  it('ignores what is older than what it holds, comparing numbers', () => {
    const registry = new Registry();
    registry.set('PersistentVolume', at('10', volume('a')));
    expect(registry.set('PersistentVolume', at('9', volume('a')))).toBeUndefined();
    expect(registry.delete('PersistentVolume', at('9', volume('a')))).toBeUndefined();
    expect(registry.set('PersistentVolume', at('10', volume('a')))).toBeDefined();
    expect(registry.volume('a')?.metadata.resourceVersion).toBe('10');
  });

  it('takes an object whose version is no number, and says so', () => {
    const bad = vi.fn();
    const registry = new Registry(bad);
    registry.set('PersistentVolume', at('10', volume('a')));
    registry.set('PersistentVolume', at('x', volume('a')));
    expect(registry.volume('a')?.metadata.resourceVersion).toBe('x');
    expect(bad.mock.calls).toEqual([
      [expect.objectContaining({ message: expect.stringContaining('PersistentVolume "a"') })],
    ]);
  });

  it('believes a list, also one of a restored cluster, and tells what it changed', () => {
    const registry = new Registry();
    registry.set('PersistentVolumeClaim', at('900', claim('same')));
    registry.set('PersistentVolumeClaim', at('901', claim('gone')));
    registry.set('PersistentVolumeClaim', at('902', claim('older')));
    const list = [at('900', claim('same')), at('12', claim('older')), at('13', claim('new'))];
    const changes = registry.replace('PersistentVolumeClaim', list);
    expect(changes.map(({ before, after }) => [before?.metadata.name, after?.metadata.name])).toEqual([
      ['gone', undefined],
      ['older', 'older'],
      [undefined, 'new'],
    ]);
    expect(registry.claim({ namespace: 'ns', name: 'older' })?.metadata.resourceVersion).toBe('12');
  });

  it('finds the claims that name a volume, as they come and go', () => {
    const registry = new Registry();
    const names = () => registry.claimsNaming('pv').map(({ metadata }) => metadata.name);
    registry.set('PersistentVolumeClaim', at('1', claim('a', { volumeName: 'pv' })));
    expect(names()).toEqual(['a']);
    registry.set('PersistentVolumeClaim', at('2', claim('b', { volumeName: 'pv' })));
    registry.set('PersistentVolumeClaim', at('3', claim('c', { volumeName: 'pv' })));
    expect(names()).toEqual(['a', 'b', 'c']);
    registry.set('PersistentVolumeClaim', at('4', claim('b', { volumeName: 'other' })));
    registry.delete('PersistentVolumeClaim', at('5', claim('a')));
    expect(names()).toEqual(['c']);
    registry.delete('PersistentVolumeClaim', at('6', claim('c')));
    expect(names()).toEqual([]);
  });

  it('does not take a claim for one that names its volume of before, changed or deleted and made anew', () => {
    const registry = new Registry();
    const put = (version: string, volumeName?: string) =>
      registry.set('PersistentVolumeClaim', at(version, claim('a', volumeName === undefined ? {} : { volumeName })));
    put('1', 'first');
    put('2', 'second');
    expect(registry.claimsNaming('first')).toEqual([]);
    registry.delete('PersistentVolumeClaim', at('3', claim('a')));
    expect(registry.claim({ namespace: 'ns', name: 'a' })).toBeUndefined();
    put('4', 'third');
    expect(registry.claimsNaming('second')).toEqual([]);
    expect(registry.claimsNaming('third')).toHaveLength(1);
  });

  it('holds nothing of a volume that claims named once', () => {
    const registry = new Registry();
    const before = queryObjects(Set, { format: 'count' });
    for (let index = 0; index < 1_000; index++) {
      const both = ['a', 'b'].map((name) => claim(name, { volumeName: `pv-${index}` }));
      for (const each of both) registry.set('PersistentVolumeClaim', at('1', each));
      for (const each of both) registry.delete('PersistentVolumeClaim', at('2', each));
    }
    expect(queryObjects(Set, { format: 'count' }) - before).toBeLessThan(100);
    expect(registry.claimsNaming('pv-1')).toEqual([]);
  });

  it('takes a claim with an empty volume name for one that names none', () => {
    const registry = new Registry();
    registry.set('PersistentVolumeClaim', at('1', claim('a', { volumeName: '' })));
    expect(registry.claimsNaming('')).toEqual([]);
  });

  it('does not list a claim that was bound when it was first seen among the unbound ones', () => {
    const registry = new Registry();
    const bound = at('1', claim('a', { volumeName: 'pv' }));
    bound.metadata.annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
    registry.set('PersistentVolumeClaim', bound);
    expect([...registry.unboundClaims('')]).toEqual([]);
  });

  it('lists the unbound claims of a class, the oldest first, as they come, change and go', () => {
    const registry = new Registry();
    const put = (version: string, name: string, created: string, bound = false, storageClassName = 'fast') => {
      const object = at(version, claim(name, { storageClassName }));
      object.metadata.creationTimestamp = created;
      if (bound) object.metadata.annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
      registry.set('PersistentVolumeClaim', object);
    };
    const names = (name = 'fast') => Array.from(registry.unboundClaims(name), ({ metadata }) => metadata.name);
    put('1', 'c', '2026-03');
    put('2', 'a', '2026-01');
    put('3', 'b', '2026-01');
    expect(names()).toEqual(['a', 'b', 'c']);
    put('4', 'd', '2026-04');
    put('5', 'e', '2026-02');
    expect(names()).toEqual(['a', 'b', 'e', 'c', 'd']);
    put('6', 'b', '2026-01', true);
    put('7', 'a', '2026-01', false, 'slow');
    registry.delete('PersistentVolumeClaim', at('8', claim('d', { storageClassName: 'fast' })));
    put('9', 'd', '2026-05');
    expect(names()).toEqual(['e', 'c', 'd']);
    expect(names('slow')).toEqual(['a']);
    expect(names('none')).toEqual([]);
  });

  it('holds classes', () => {
    const registry = new Registry();
    registry.set('StorageClass', storageClass('fast', { volumeBindingMode: 'WaitForFirstConsumer' }));
    expect(registry.storageClass('fast')).toMatchObject({ volumeBindingMode: 'WaitForFirstConsumer' });
    expect([...registry.storageClasses()]).toHaveLength(1);
    registry.replace('StorageClass', []);
    expect(registry.storageClass('fast')).toBeUndefined();
  });
});
