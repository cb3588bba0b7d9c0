/** A sync's surroundings over an in-memory cluster, with an in-tree plugin whose work always succeeds. */
import { InMemoryCluster } from '../../lib/cluster/in-memory.ts';
import { STANDARD_MIGRATION } from '../../lib/controller/migration.ts';
import type { ClusterView } from '../../lib/controller/needs-sync.ts';
import { PluginRegistry, type VolumePlugin } from '../../lib/controller/plugins.ts';
import type { SyncContext, SyncRules } from '../../lib/controller/ports.ts';
import type { SyncKey } from '../../lib/controller/types.ts';
import { VolumeIndex } from '../../lib/controller/volume-index.ts';
import type { GeneratedCluster } from './clusters.ts';

/** Makes a volume out of nothing, as asked. */
export const imaginedProvisioner: NonNullable<VolumePlugin['newProvisioner']> =
  ({ volumeName, claim }) =>
  async () => ({
    metadata: { name: volumeName },
    spec: {
      persistentVolumeReclaimPolicy: 'Delete',
      accessModes: claim.spec.accessModes ?? [],
      capacity: { storage: claim.spec.resources?.requests?.['storage'] ?? '1Gi' },
      hostPath: { path: '/tmp/provisioned' },
    },
  });

const willing: VolumePlugin = {
  name: 'kubernetes.io/mock',
  supportsMountOptions: true,
  supports: (volume) => volume.spec.hostPath !== undefined,
  recycle: async () => 'done',
  newDeleter: () => async () => {},
  newProvisioner: imaginedProvisioner,
};

export const rules: SyncRules = {
  plugins: new PluginRegistry([willing]),
  features: { volumeAttributesClass: true },
  migration: STANDARD_MIGRATION,
  settings: { dynamicProvisioning: true, createVolumeAttempts: 1, createVolumeIntervalMs: 0, poolMaxAgeMs: 0 },
};

export function contextOver(cluster: InMemoryCluster): SyncContext {
  return {
    ...rules,
    cluster,
    pool: {
      volumes: async () => new VolumeIndex(cluster.all('PersistentVolume')),
      drop: () => {},
      hold: () => () => {},
      store: () => {},
    },
    enqueue: async () => {},
    runOperation: (_name, operation) => operation(),
    clock: { now: () => 0, sleep: async () => {} },
    note: () => {},
    redelivered: false,
  };
}

export function viewOf(cluster: InMemoryCluster): ClusterView {
  const volumes = cluster.all('PersistentVolume');
  const claims = cluster.all('PersistentVolumeClaim');
  const classes = cluster.all('StorageClass');
  return {
    volume: (name) => volumes.find((v) => v.metadata.name === name),
    claim: ({ namespace, name }) => claims.find((c) => c.metadata.namespace === namespace && c.metadata.name === name),
    storageClass: (name) => classes.find((c) => c.metadata.name === name),
    storageClasses: () => classes,
    volumes: new VolumeIndex(volumes),
  };
}

/** The generated objects in a cluster. */
export function load({ volumes, claims, classes }: GeneratedCluster): InMemoryCluster {
  const cluster = new InMemoryCluster();
  for (const volume of volumes) cluster.put('PersistentVolume', volume);
  for (const claim of claims) cluster.put('PersistentVolumeClaim', claim);
  for (const storageClass of classes) cluster.put('StorageClass', storageClass);
  return cluster;
}

/** Everything that can be synced. */
export function keysOf(cluster: InMemoryCluster): SyncKey[] {
  return [
    ...cluster.all('PersistentVolume').map((v): SyncKey => ({ kind: 'PersistentVolume', name: v.metadata.name })),
    ...cluster
      .all('PersistentVolumeClaim')
      .map(({ metadata: { namespace, name } }): SyncKey => ({ kind: 'PersistentVolumeClaim', namespace, name })),
  ];
}
