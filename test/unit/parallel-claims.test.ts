import { describe, expect, test } from 'vitest';
import { findBestMatch } from '../../lib/controller/match.ts';
import { reconcile } from '../../lib/controller/reconcile.ts';
import { claim, volume } from '../../lib/controller/testing/objects.ts';
import type { PersistentVolume } from '../../lib/controller/types.ts';
import { VolumeIndex } from '../../lib/controller/volume-index.ts';
import { Scene } from './scene.ts';

/** One pool that all syncs of the scene share, as those of a warm environment do. */
function sharedPool(scene: Scene) {
  const index = new VolumeIndex(scene.cluster.all('PersistentVolume'));
  return {
    volumes: async () => index,
    drop: (name: string) => index.delete(name),
    hold: (name: string, claim: string) => {
      index.hold(name, claim);
      return () => index.release(name);
    },
    store: (stored: PersistentVolume) => index.set(stored),
  };
}

test('claims that are synced side by side over one pool do not fight for a volume (DESIGN D7)', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
  const volumes = names.map((name) => volume(name, { status: { phase: 'Available' } }));
  const claims = names.map((name) => claim(name));
  const scene = new Scene({ PersistentVolume: volumes, PersistentVolumeClaim: claims });
  const pool = sharedPool(scene);

  const keys = names.map((name) => ({ kind: 'PersistentVolumeClaim' as const, namespace: 'ns', name }));
  await Promise.all(keys.map((key) => reconcile({ ...scene.ctx, pool }, { key })));

  expect(new Set(names.map((name) => scene.claim(name).spec.volumeName)).size).toBe(names.length);
  expect(scene.sleeps, 'conflicts').toEqual([]);
});

test('two workers of one claim bind it to one volume, the smallest, and touch no other', async () => {
  const volumes = ['1Gi', '5Gi'].map((storage) =>
    volume(`of-${storage.toLowerCase()}`, { spec: { capacity: { storage } }, status: { phase: 'Available' } }),
  );
  const scene = new Scene({ PersistentVolume: volumes, PersistentVolumeClaim: [claim('one')] });
  const pool = sharedPool(scene);
  const before = scene.volume('of-5gi');
  const key = { kind: 'PersistentVolumeClaim' as const, namespace: 'ns', name: 'one' };

  await Promise.all([1, 2].map(() => reconcile({ ...scene.ctx, pool }, { key })));

  expect(scene.claim('one').spec.volumeName).toBe('of-1gi');
  expect(scene.volume('of-5gi')).toEqual(before);
});

describe('a second worker of the claim, while the first one holds a volume', () => {
  const sized = (name: string, storage: string, labels = {}) =>
    volume(name, { metadata: { labels }, spec: { capacity: { storage } }, status: { phase: 'Available' } });
  const small = sized('small', '1Gi', { tier: 'fast' });
  const index = new VolumeIndex([small, sized('large', '5Gi')]);
  index.hold('small', 'uid-of-one');
  const chosenFor = (one: ReturnType<typeof claim>, delayed = false) =>
    findBestMatch(index, one, delayed, { volumeAttributesClass: true })?.metadata.name;

  test('makes the same choice, and another claim does not', () => {
    expect([chosenFor(claim('one')), chosenFor(claim('other'))]).toEqual(['small', 'large']);
  });

  test('only as long as the volume fits and the claim does not wait for its consumer', () => {
    const selecting = claim('one', { spec: { selector: { matchLabels: { tier: 'slow' } } } });
    expect([chosenFor(selecting), chosenFor(claim('one'), true)]).toEqual([undefined, undefined]);
  });
});
