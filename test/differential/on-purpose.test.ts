/** The list of differences on purpose accepts what it is for, and nothing that only looks like it. */
import { expect, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim } from '../../lib/controller/types.ts';
import { readCases } from './cases.ts';
import { explain, ON_PURPOSE } from './on-purpose.ts';

const told = (...said: string[]) => ({ said: new Set(said), times: said.length });

test('the built-in’s limit on events excuses what it does not say, and nothing that it does', () => {
  const object = 'PersistentVolumeClaim ~n1/~c1';
  const of = (builtIn: string[], ours: string[], times: number) =>
    explain([{ about: 'events', object, builtIn, ours }], { told: new Map([[object, { ...told(), times }]]) }).length;
  expect(of(['a'], ['a', 'b'], 25)).toBe(1);
  expect(of(['a'], ['a', 'b'], 24)).toBe(0);
  expect(of(['a', 'c'], ['a', 'b'], 25)).toBe(0);
});

test('only a volume that was picked may survive where the built-in releases it', () => {
  const picked = { 'pv.kubernetes.io/provisioned-by': 'a', 'pv.kubernetes.io/bound-by-controller': 'yes' };
  const claimRef = { namespace: '~n1', name: '~c1', uid: '{~n1/~c1#1}' };
  const of = (name: string, volumeName: string | undefined, phase: string) => {
    const volume = {
      metadata: { name, annotations: picked },
      spec: { claimRef, persistentVolumeReclaimPolicy: 'Delete' },
    } as unknown as PersistentVolume;
    const claim = { metadata: { ...claimRef }, spec: { volumeName } } as unknown as PersistentVolumeClaim;
    const acted = { volumes: [volume], claims: [claim], classes: [], pods: [] };
    const ours = { ...volume, spec: {}, status: { phase } };
    return explain([{ about: 'object', object: `PersistentVolume ${name}`, builtIn: undefined, ours }], { acted })
      .length;
  };
  expect(of('~v1', '~v2', 'Available')).toBe(1);
  expect(of('~v1', '~v2', 'Bound'), 'not freed').toBe(0);
  expect(of('~v1', '~v1', 'Available'), 'bound to it').toBe(0);
  expect(of('~v1', undefined, 'Available'), 'bound to nothing').toBe(0);
  expect(of('pvc-{~n1/~c1#1}', '~v2', 'Available'), 'provisioned for it').toBe(0);
});

test('of a volume that goes, only last words may differ', () => {
  const object = 'PersistentVolume ~v1';
  const of = (said: string, going: string) =>
    explain([{ about: 'events', object, builtIn: [said], ours: [] }], { going: new Set([going]) }).length;
  expect(of('Normal VolumeRecycled: Volume recycled', object)).toBe(1);
  expect(of('Normal VolumeRecycled: Volume recycled', 'PersistentVolume ~v2')).toBe(0);
  expect(of('Warning VolumeMismatch: no', object)).toBe(0);
});

test('only a volume that lacks our finalizer is left alone by the built-in while it is being deleted', () => {
  const of = (metadata: object, phase?: string) => {
    const annotations = { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/host-path' };
    const volume = {
      metadata: { name: '~v1', annotations, ...metadata },
      spec: { persistentVolumeReclaimPolicy: 'Delete' },
    } as unknown as PersistentVolume;
    const acted = { volumes: [volume], claims: [], classes: [], pods: [] };
    const builtIn = { ...volume, status: { phase } };
    return explain([{ about: 'object', object: 'PersistentVolume ~v1', builtIn, ours: volume }], { acted }).length;
  };
  expect(of({ deletionTimestamp: '(set)' })).toBe(1);
  expect(of({ deletionTimestamp: '(set)' }, 'Released'), 'the built-in did something').toBe(0);
  expect(of({})).toBe(0);
  expect(of({ deletionTimestamp: '(set)', finalizers: ['kubernetes.io/pv-controller'] })).toBe(0);
  expect(of({ deletionTimestamp: '(set)', annotations: {} })).toBe(0);
});

test('every case can be read, and what it expects is on the list', async () => {
  const ids = ON_PURPOSE.map(({ id }) => id);
  for (const { name, onPurpose } of await readCases())
    if (onPurpose !== undefined) expect(ids, name).toContain(onPurpose);
});
