/** Whatever state a cluster is in: something is said of each object, and what is said of the next sync is what it does. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InMemoryCluster } from '../../lib/cluster/in-memory.ts';
import { reconcile } from '../../lib/controller/reconcile.ts';
import type { Kind, SyncKey } from '../../lib/controller/types.ts';
import { VolumeIndex } from '../../lib/controller/volume-index.ts';
import { diagnose } from '../../lib/diagnosis/diagnose.ts';
import type { DiagnosisReader, DiagnosisRules, Finding } from '../../lib/diagnosis/finding.ts';
import { rehearse } from '../../lib/diagnosis/rehearse.ts';
import { assertWarned } from '../../lib/diagnosis/testing/harmless.ts';
import { clusters } from '../property/clusters.ts';
import { contextOver, keysOf, load, rules } from '../property/sync-context.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 300);

/** Its plugin recycles at once: told to act on the cluster alone, or a rehearsal would not let it. */
const samePlugins: DiagnosisRules = {
  ...rules,
  plugins: () => rules.plugins.all().map((plugin) => ({ ...plugin, recyclesByPod: true })),
};

function readerOf(cluster: InMemoryCluster): DiagnosisReader {
  return {
    get: (kind, key) => cluster.get(kind as Kind, key) as Promise<never>,
    list: (kind, options) => cluster.list(kind as Kind, options) as Promise<never>,
  };
}

function explain(cluster: InMemoryCluster, key: SyncKey): Promise<Finding> {
  return diagnose(readerOf(cluster), key, { now: 0, rules: samePlugins });
}

/** The objects that the key's sync writes, each once. */
async function written(cluster: InMemoryCluster, key: SyncKey): Promise<string[]> {
  await reconcile(contextOver(cluster), { key }).catch(() => {});
  const names = cluster.writes.map(({ kind, object: { metadata } }) => {
    return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
  });
  return [...new Set(names)];
}

/** Syncs everything until nothing is written. @returns false for the few clusters whose users contradict themselves. */
async function settle(cluster: InMemoryCluster): Promise<boolean> {
  for (let round = 0; round < 20; round++) {
    const before = cluster.writes.length;
    for (const key of keysOf(cluster)) await reconcile(contextOver(cluster), { key }).catch(() => {});
    if (cluster.writes.length === before) return true;
  }
  return false;
}

describe('in any cluster', () => {
  test('a rehearsal writes nothing, and names what the sync then writes', async () => {
    await fc.assert(
      fc.asyncProperty(clusters, async (generated) => {
        for (const key of keysOf(load(generated))) {
          const cluster = load(generated);
          const volumes = new VolumeIndex(cluster.all('PersistentVolume'));
          const { writes } = await rehearse({ reads: cluster, volumes, rules: samePlugins, now: 0 }, key);
          expect(cluster.writes).toEqual([]);
          expect(writes).toEqual(await written(cluster, key));
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('each object has a reason, and no cure without a warning is one to regret', async () => {
    await fc.assert(
      fc.asyncProperty(clusters, async (generated) => {
        const cluster = load(generated);
        for (const key of keysOf(cluster)) {
          const finding = await explain(cluster, key);
          expect(finding.why, JSON.stringify(finding)).not.toEqual([]);
          assertWarned(finding);
        }
        expect(cluster.writes).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  test('where the controller has come to rest, nothing but a deletion is said to be its own to go on with', async () => {
    let looked = 0;
    await fc.assert(
      fc.asyncProperty(clusters, async (generated) => {
        const cluster = load(generated);
        if (!(await settle(cluster))) return;
        for (const key of keysOf(cluster)) {
          const finding = await explain(cluster, key);
          looked++;
          if (finding.state === 'Terminating') continue;
          expect(finding.next).toMatch(/^(nothing|fails)/);
          expect(finding.cause, JSON.stringify(finding)).not.toBe('controller-behind');
        }
      }),
      { numRuns: RUNS },
    );
    expect(looked).toBeGreaterThan(RUNS);
  });

  test('no more candidates change nothing of a finding but the candidates, their count and the cures', async () => {
    await fc.assert(
      fc.asyncProperty(clusters, async (generated) => {
        const cluster = load(generated);
        for (const key of keysOf(cluster)) {
          const { cause, next } = await explain(cluster, key);
          const brief = await diagnose(readerOf(cluster), key, { now: 0, rules: samePlugins, maxCandidates: 0 });
          expect(brief).toMatchObject({ cause, next, candidates: [] });
        }
      }),
      { numRuns: RUNS },
    );
  });
});
