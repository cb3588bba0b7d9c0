import { expect, test } from 'vitest';
import { reconcile } from '../../lib/controller/reconcile.ts';
import { claim, volume } from '../../lib/controller/testing/objects.ts';
import { VolumeIndex } from '../../lib/controller/volume-index.ts';
import { Scene } from './scene.ts';

test('claims that are synced side by side over one pool do not fight for a volume (DESIGN D7)', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
  const volumes = names.map((name) => volume(name, { status: { phase: 'Available' } }));
  const claims = names.map((name) => claim(name));
  const scene = new Scene({ PersistentVolume: volumes, PersistentVolumeClaim: claims });
  const index = new VolumeIndex(scene.cluster.all('PersistentVolume'));
  const pool = {
    volumes: async () => index,
    drop: (name: string) => index.delete(name),
    hold: (name: string) => {
      index.hold(name);
      return () => index.release(name);
    },
    store: (stored: (typeof volumes)[number]) => index.set(stored),
  };

  const keys = names.map((name) => ({ kind: 'PersistentVolumeClaim' as const, namespace: 'ns', name }));
  await Promise.all(keys.map((key) => reconcile({ ...scene.ctx, pool }, { key })));

  expect(new Set(names.map((name) => scene.claim(name).spec.volumeName)).size).toBe(names.length);
  expect(scene.sleeps, 'conflicts').toEqual([]);
});
