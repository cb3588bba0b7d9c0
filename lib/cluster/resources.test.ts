import { describe, expect, it } from 'vitest';
import { InvalidNameError } from './errors.ts';
import { collectionTarget, objectTarget, typeOf } from './resources.ts';

describe('objectTarget', () => {
  it.each([
    ['PersistentVolume', { name: 'pv-1' }, '/api/v1/persistentvolumes/pv-1'],
    ['PersistentVolumeClaim', { namespace: 'a', name: 'c.1' }, '/api/v1/namespaces/a/persistentvolumeclaims/c.1'],
    ['StorageClass', { name: 'gp3' }, '/apis/storage.k8s.io/v1/storageclasses/gp3'],
    ['Node', { name: 'ip-10-0-0-1.ec2.internal' }, '/api/v1/nodes/ip-10-0-0-1.ec2.internal'],
    ['Pod', { namespace: 'a', name: 'p' }, '/api/v1/namespaces/a/pods/p'],
    ['Event', { namespace: 'a', name: 'e' }, '/api/v1/namespaces/a/events/e'],
  ] as const)('finds a %s', (kind, key, path) => {
    expect(objectTarget(typeOf(kind), key).path).toBe(path);
  });

  it('finds a status, and tells the template without values', () => {
    const target = objectTarget(typeOf('PersistentVolumeClaim'), { namespace: 'a', name: 'c' }, 'status');
    expect(target.path).toBe('/api/v1/namespaces/a/persistentvolumeclaims/c/status');
    expect(target.template).toBe('/api/v1/namespaces/{namespace}/persistentvolumeclaims/{name}/status');
  });

  it('ignores a namespace where the kind has none', () => {
    expect(objectTarget(typeOf('PersistentVolume'), { namespace: 'a', name: 'v' }).path).toBe(
      '/api/v1/persistentvolumes/v',
    );
  });

  it.each(['', '.', '..', 'a/b', '../secrets/x', 'A', 'a_b', 'a..b', '-a', 'a-', 'a%2fb', 'a?b', 'é', 'a'.repeat(254)])(
    'refuses the name %j',
    (name) => {
      expect(() => objectTarget(typeOf('PersistentVolume'), { name })).toThrow(InvalidNameError);
    },
  );

  it('takes a name of 253 characters', () => {
    expect(() => objectTarget(typeOf('PersistentVolume'), { name: 'a'.repeat(253) })).not.toThrow();
  });

  it.each([undefined, '', 'a.b', 'a'.repeat(64), '..', 'a/b'])('refuses the namespace %j', (namespace) => {
    const key = { name: 'c', ...(namespace === undefined ? {} : { namespace }) };
    expect(() => objectTarget(typeOf('PersistentVolumeClaim'), key)).toThrow(InvalidNameError);
  });

  it('shows a refused name cut', () => {
    expect(() => objectTarget(typeOf('PersistentVolume'), { name: 'X'.repeat(5_000) })).toThrow(/^.{0,400}$/);
  });
});

describe('collectionTarget', () => {
  it('lists one namespace or all', () => {
    const type = typeOf('PersistentVolumeClaim');
    expect(collectionTarget(type, 'a').path).toBe('/api/v1/namespaces/a/persistentvolumeclaims');
    expect(collectionTarget(type).path).toBe('/api/v1/persistentvolumeclaims');
  });

  it('refuses an empty namespace', () => {
    expect(() => collectionTarget(typeOf('Pod'), '')).toThrow(InvalidNameError);
  });
});
