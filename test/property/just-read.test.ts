/**
 * DESIGN D4: what a bind's sync waited for last, before it first writes a volume, is a read of its claim. Whatever the
 * cluster holds, whether a hint came, and whether the pool of volumes is at hand or has to be waited for.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SyncContext } from '../../lib/controller/ports.ts';
import { reconcile } from '../../lib/controller/reconcile.ts';
import { VolumeIndex } from '../../lib/controller/volume-index.ts';
import { InterceptedCluster } from '../unit/intercepted-cluster.ts';
import { clusters, type GeneratedCluster } from './clusters.ts';
import { contextOver, keysOf, load } from './sync-context.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 400);

/** As generated, and often with a first claim that takes any volume of no class, and a first volume that is free for it. */
const anyCluster = fc.tuple(clusters, fc.boolean()).map(([generated, isEasy]) => {
  const [volume] = generated.volumes;
  const [claim] = generated.claims;
  if (!isEasy || volume === undefined || claim === undefined) return generated;
  const { accessModes = [] } = volume.spec;
  const { namespace, name, uid = '', resourceVersion = '' } = claim.metadata;
  claim.metadata = { namespace, name, uid, resourceVersion };
  claim.spec = { accessModes, resources: { requests: { storage: '1Gi' } }, storageClassName: '' };
  volume.metadata = { name: volume.metadata.name, uid: 'uid-of-free', resourceVersion: '7' };
  volume.spec = { accessModes, capacity: { storage: '1Gi' }, csi: { driver: 'd', volumeHandle: 'h' } };
  volume.status = { phase: 'Available' };
  return generated;
});

/** What each claim's sync waited for, in order; every sync over a fresh copy of the cluster. */
async function waitsOf(generated: GeneratedCluster, isAtHand: boolean, isHinted: boolean): Promise<string[][]> {
  const all: string[][] = [];
  for (const key of keysOf(load(generated)).filter(({ kind }) => kind === 'PersistentVolumeClaim')) {
    const cluster = load(generated);
    const waits: string[] = [];
    const plain = contextOver(cluster);
    const ctx: SyncContext = {
      ...plain,
      cluster: new InterceptedCluster(cluster, {
        after: ({ verb, kind, name }) => void waits.push(`${verb} ${kind} ${name === key.name ? 'itself' : ''}`.trim()),
      }),
      pool: {
        ...plain.pool,
        volumes: (maxAgeMs) => {
          const index = new VolumeIndex(cluster.all('PersistentVolume'));
          if (isAtHand && maxAgeMs > 0) return index;
          return Promise.resolve(index).finally(() => waits.push('pool'));
        },
      },
      settings: { ...plain.settings, poolMaxAgeMs: 5_000 },
    };
    const hint = generated.volumes.at(-1)?.metadata.name;
    await reconcile(ctx, { key, ...(isHinted && hint !== undefined && { hint }) }).catch(() => {});
    all.push(waits);
  }
  return all;
}

test('the claim was read last before the volume is written', async () => {
  let [once, twice] = [0, 0];
  await fc.assert(
    fc.asyncProperty(anyCluster, fc.boolean(), fc.boolean(), async (generated, isAtHand, isHinted) => {
      for (const waits of await waitsOf(generated, isAtHand, isHinted)) {
        const first = waits.indexOf('update PersistentVolume');
        if (first < 0) continue;
        expect(waits[first - 1]).toBe('get PersistentVolumeClaim itself');
        if (first === 1) once++;
        else twice++;
      }
    }),
    { numRuns: RUNS },
  );
  expect(Math.min(once, twice)).toBeGreaterThan(RUNS / 20);
});
