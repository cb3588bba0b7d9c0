/** Objects and rules for the bridge's tests. */
import { STANDARD_MIGRATION } from '../../controller/migration.ts';
import { PluginRegistry } from '../../controller/plugins.ts';
import type { SyncContext, SyncRules } from '../../controller/ports.ts';
import { syncClaim } from '../../controller/sync-claim.ts';
import { syncVolume } from '../../controller/sync-volume.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../controller/types.ts';
import { VolumeIndex } from '../../controller/volume-index.ts';
import type { SyncMessage } from '../../queue/message.ts';
import type { FakeApi } from './fake-api.ts';

export const rules: SyncRules = {
  plugins: new PluginRegistry(),
  features: { volumeAttributesClass: true },
  migration: STANDARD_MIGRATION,
  settings: { dynamicProvisioning: true, createVolumeAttempts: 1, createVolumeIntervalMs: 0, poolMaxAgeMs: 0 },
};

export function volume(name: string, spec: Partial<PersistentVolume['spec']> = {}, phase?: string): PersistentVolume {
  return {
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '10Gi' },
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: '/tmp/a' },
      ...spec,
    },
    ...(phase !== undefined && { status: { phase } }),
  };
}

export function claim(
  name: string,
  spec: Partial<PersistentVolumeClaim['spec']> = {},
  phase?: string,
): PersistentVolumeClaim {
  return {
    metadata: { namespace: 'ns', name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '5Gi' } },
      storageClassName: '',
      ...spec,
    },
    ...(phase !== undefined && { status: { phase } }),
  };
}

/** A volume and a claim that are bound to each other, and settled. */
export function boundPair(api: FakeApi, volumeName: string, claimName: string): void {
  const bound = claim(claimName, { volumeName }, 'Bound');
  bound.metadata.annotations = {
    'pv.kubernetes.io/bind-completed': 'yes',
    'pv.kubernetes.io/bound-by-controller': 'yes',
  };
  bound.status = { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '10Gi' } };
  const { uid = '' } = api.put('PersistentVolumeClaim', bound).metadata;
  api.put('PersistentVolume', volume(volumeName, { claimRef: { namespace: 'ns', name: claimName, uid } }, 'Bound'));
}

export function storageClass(name: string, fields: Partial<StorageClass> = {}): StorageClass {
  return { metadata: { name }, provisioner: 'vendor.com/disk', volumeBindingMode: 'Immediate', ...fields };
}

/**
 * A worker that runs the real syncs against the fake API server. The volumes that it chooses from are as old as
 * `poolMaxAgeMs`, own writes and the hinted volume aside.
 */
export function workerOver(
  api: FakeApi,
  { poolMaxAgeMs = 0 }: { poolMaxAgeMs?: number } = {},
): (message: SyncMessage) => Promise<void> {
  let pool = new VolumeIndex();
  let pooledAt = 0;
  const refresh = () => {
    if (Date.now() - pooledAt < poolMaxAgeMs) return;
    pool = new VolumeIndex(structuredClone(api.all('PersistentVolume')));
    pooledAt = Date.now();
  };
  return async ({ kind, namespace, name, hint }) => {
    refresh();
    const hinted = hint === undefined ? undefined : api.read('PersistentVolume', { name: hint.volumeName });
    if (hinted !== undefined) pool.set(hinted);
    const ctx: SyncContext = {
      ...rules,
      cluster: api,
      pool: {
        volumes: async () => pool,
        drop: (dropped) => pool.delete(dropped),
        hold: () => () => {},
        store: (stored) => pool.set(stored),
      },
      enqueue: async () => {},
      runOperation: (_name, operation) => operation(),
      clock: { now: () => 0, sleep: async () => {} },
      note: () => {},
      redelivered: false,
    };
    if (kind === 'PersistentVolume') {
      const read = await api.get(kind, { name });
      if (read !== undefined) await syncVolume(ctx, read);
    } else {
      const read = await api.get(kind, { namespace: namespace ?? '', name });
      if (read !== undefined) await syncClaim(ctx, read);
    }
  };
}
