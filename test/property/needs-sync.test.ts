/** D8's property: whenever a sync would write an object, the bridge's predicate says that the object needs one. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InMemoryCluster } from '../../lib/cluster/in-memory.ts';
import { needsClaimSync, needsVolumeSync } from '../../lib/controller/needs-sync.ts';
import { reconcile } from '../../lib/controller/reconcile.ts';
import type { SyncKey } from '../../lib/controller/types.ts';
import { clusters } from './clusters.ts';
import { contextOver, keysOf, load, rules, viewOf } from './sync-context.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 3_000);

function needsSync(cluster: InMemoryCluster, key: SyncKey): boolean {
  const view = viewOf(cluster);
  const claim = view.claim(key);
  const volume = view.volume(key.name);
  if (key.kind === 'PersistentVolume') return volume !== undefined && needsVolumeSync(view, volume, rules);
  return claim !== undefined && needsClaimSync(view, claim, rules);
}

async function writesOf(cluster: InMemoryCluster, key: SyncKey): Promise<number> {
  const before = cluster.writes.length;
  await reconcile(contextOver(cluster), { key }).catch(() => {});
  return cluster.writes.length - before;
}

describe('needsSync', () => {
  test('is true whenever a sync would write an object', async () => {
    await fc.assert(
      fc.asyncProperty(clusters, async (generated) => {
        for (const key of keysOf(load(generated))) {
          const cluster = load(generated);
          const said = needsSync(cluster, key);
          if ((await writesOf(cluster, key)) > 0) expect(said, JSON.stringify(key)).toBe(true);
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('is false for nearly everything once the cluster is settled', async () => {
    let settledKeys = 0;
    let stillWanted = 0;
    await fc.assert(
      fc.asyncProperty(clusters, async (generated) => {
        const cluster = load(generated);
        if (!(await settle(cluster))) return;
        for (const key of keysOf(cluster)) {
          settledKeys++;
          if (needsSync(cluster, key)) stillWanted++;
        }
      }),
      { numRuns: RUNS },
    );
    expect(settledKeys).toBeGreaterThan(RUNS);
    expect(stillWanted / settledKeys).toBeLessThan(0.01);
  });
});

/** Syncs everything until nothing is written. @returns false for the few clusters whose users contradict themselves. */
async function settle(cluster: InMemoryCluster): Promise<boolean> {
  for (let round = 0; round < 20; round++) {
    let writes = 0;
    for (const key of keysOf(cluster)) writes += await writesOf(cluster, key);
    if (writes === 0) return true;
  }
  return false;
}
