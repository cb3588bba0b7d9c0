/** What a key's sync is surrounded with: the pool, the hint, the redelivery. */

import { describe, expect, test } from 'vitest';
import { InMemoryCluster } from '../cluster/in-memory.ts';
import type { RecordedWrite } from '../cluster/recording.ts';
import { STANDARD_MIGRATION } from '../controller/migration.ts';
import type { VolumePool } from '../controller/ports.ts';
import { claim, volume } from '../controller/testing/objects.ts';
import type { PersistentVolume, SyncKey } from '../controller/types.ts';
import { VolumeIndex } from '../controller/volume-index.ts';
import type { SyncMessage } from '../queue/message.ts';
import { FlipDetector } from './flip-detector.ts';
import { createSyncKey, type Mode } from './sync-key.ts';

const POOL_MAX_AGE_MS = 5_000;
const CLAIM: SyncKey = { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'data' };

/** A pool that holds what it was given, and takes down what was asked of it. */
class Pool implements VolumePool {
  readonly ages: number[] = [];
  readonly changes: string[] = [];
  readonly #volumes = new Map<string, PersistentVolume>();

  constructor(volumes: readonly PersistentVolume[]) {
    for (const one of volumes) this.#volumes.set(one.metadata.name, one);
  }

  async volumes(maxAgeMs: number): Promise<VolumeIndex> {
    this.ages.push(maxAgeMs);
    return new VolumeIndex([...this.#volumes.values()]);
  }

  drop(name: string): void {
    this.changes.push(`drop ${name}`);
  }

  hold(name: string): () => void {
    this.changes.push(`hold ${name}`);
    return () => {};
  }

  store(stored: PersistentVolume): void {
    this.changes.push(`store ${stored.metadata.name}`);
    this.#volumes.set(stored.metadata.name, stored);
  }
}

function setup(mode: Mode, pooled: readonly PersistentVolume[] = [], others: readonly PersistentVolume[] = []) {
  const cluster = new InMemoryCluster();
  for (const one of [...pooled, ...others]) cluster.put('PersistentVolume', one);
  cluster.put('PersistentVolumeClaim', claim('data'));
  const pool = new Pool(pooled);
  const enqueued: SyncKey[] = [];
  const verdicts: RecordedWrite[] = [];
  const syncKey = createSyncKey(
    {
      mode,
      cluster: () => cluster,
      pool,
      enqueue: () => async (key) => {
        enqueued.push(key);
      },
      plugins: () => [],
      flips: new FlipDetector(),
      rules: async () => ({
        features: { volumeAttributesClass: true },
        migration: STANDARD_MIGRATION,
        settings: {
          dynamicProvisioning: true,
          createVolumeAttempts: 1,
          createVolumeIntervalMs: 0,
          poolMaxAgeMs: POOL_MAX_AGE_MS,
        },
      }),
    },
    { onVerdict: (_key, writes) => verdicts.push(...writes) },
  );
  const sync = (key: SyncKey, hints: (string | undefined)[] = [undefined], receiveCount = 1) => {
    const messages = hints.map((volumeName): SyncMessage => {
      const hint = volumeName === undefined ? {} : { hint: { volumeName } };
      return { v: 1, ...key, reason: 'modified', ...hint };
    });
    return syncKey(key, messages, { signal: new AbortController().signal, receiveCount });
  };
  const boundTo = () => cluster.all('PersistentVolumeClaim')[0]?.spec.volumeName;
  return { cluster, pool, enqueued, verdicts, sync, boundTo };
}

describe('observe mode', () => {
  test('chooses from the pool and tells the verdict, and changes neither the cluster nor the pool', async () => {
    const { cluster, pool, enqueued, verdicts, sync } = setup('observe', [volume('pv')]);
    await sync(CLAIM);
    await sync({ kind: 'PersistentVolume', name: 'pv' });
    expect(pool.ages).toEqual([POOL_MAX_AGE_MS]);
    expect(verdicts).toContainEqual(expect.objectContaining({ verb: 'update', kind: 'PersistentVolume' }));
    expect(pool.changes).toEqual([]);
    expect([...cluster.writes, ...cluster.events, ...enqueued]).toEqual([]);
  });

  test('enforce keeps the pool as new as what it writes, and writes', async () => {
    const { pool, verdicts, sync, boundTo } = setup('enforce', [volume('pv')]);
    await sync(CLAIM);
    expect(boundTo()).toBe('pv');
    expect(pool.changes).toEqual(expect.arrayContaining(['hold pv', 'store pv']));
    expect(verdicts).toEqual([]);
  });
});

describe('the claim that a bind is about (decision 025)', () => {
  test.each([
    ['once, with the volumes at hand', true, 1],
    ['again, when the pool had to be waited for', false, 2],
  ])('is read %s', async (_, isAtHand, reads) => {
    const { cluster, pool, sync, boundTo } = setup('enforce', [volume('pv')]);
    const index = await pool.volumes(0);
    if (isAtHand) Object.assign(pool, { volumes: () => index });
    let read = 0;
    cluster.before = (verb, resource) => {
      if (verb === 'get' && resource === 'persistentvolumeclaims') read++;
    };
    await sync(CLAIM);
    expect(boundTo()).toBe('pv');
    expect(read).toBe(reads);
  });
});

describe('a key that comes again (DESIGN D7)', () => {
  test.each([
    [1, POOL_MAX_AGE_MS],
    [2, 0],
    [7, 0],
  ])('receive count %i: volumes at most %i ms old', async (receiveCount, maxAgeMs) => {
    const { pool, sync } = setup('enforce');
    await sync(CLAIM, [undefined], receiveCount);
    expect(pool.ages).toEqual([maxAgeMs]);
  });
});

describe('the hint (DESIGN D2)', () => {
  test('the newest of all messages counts, also when later ones have none', async () => {
    const { pool, sync, boundTo } = setup('enforce', [], [volume('old'), volume('new')]);
    await sync(CLAIM, ['old', undefined, 'new', undefined]);
    expect(boundTo()).toBe('new');
    expect(pool.changes).not.toContain('store old');
  });

  test('without one the pool alone decides', async () => {
    const { sync, boundTo } = setup('enforce', [], [volume('unknown')]);
    await sync(CLAIM);
    expect(boundTo()).toBeUndefined();
  });
});
