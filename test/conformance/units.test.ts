/** Migration annotations, deletion finalizers, the version rule; the test names are upstream's ids. */
import { describe, expect, test } from 'vitest';
import { InMemoryCluster } from '../../lib/cluster/in-memory.ts';
import { BETA_STORAGE_PROVISIONER, STORAGE_PROVISIONER } from '../../lib/controller/annotations.ts';
import { annealClaim, annealVolume, STANDARD_MIGRATION } from '../../lib/controller/migration.ts';
import { isCurrent } from '../../lib/controller/object-version.ts';
import { PluginRegistry } from '../../lib/controller/plugins.ts';
import type { SyncContext } from '../../lib/controller/ports.ts';
import { provisionClaim } from '../../lib/controller/provision.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../lib/controller/types.ts';
import { type Unit, units } from './data.ts';

/** Entries of one test share one cache, in order: what each of them holds. */
const held = new Map<string, string>();

function annotated<T>(annotations: Record<string, string> | null | undefined): T {
  const metadata = { name: 'pvName', namespace: 'default', ...(annotations ? { annotations } : {}) };
  return { metadata, spec: {} } as T;
}

const checks: Record<string, (unit: Unit) => void | Promise<void>> = {
  migrationAnnotations(unit) {
    const claim = annealClaim(annotated<PersistentVolumeClaim>(unit.claimAnnotations), STANDARD_MIGRATION);
    const volume = annealVolume(annotated<PersistentVolume>(unit.volumeAnnotations), STANDARD_MIGRATION);
    expect(claim.metadata.annotations ?? {}).toEqual(unit.expClaimAnnotations ?? {});
    expect(volume.metadata.annotations ?? {}).toEqual(unit.expVolumeAnnotations ?? {});
  },
  deletionFinalizers(unit) {
    const { finalizers = [] } = annealVolume(unit.volume, STANDARD_MIGRATION).metadata;
    expect(finalizers).toEqual(unit.expectedFinalizers ?? []);
    expect(finalizers.join() !== (unit.volume.metadata.finalizers ?? []).join()).toBe(unit.expectedModified);
  },
  cacheVersion(unit) {
    const cache = unit.id.split('/')[0] ?? '';
    const store = () => isCurrent(held.get(cache), unit.version, 'volume "pvName"');
    if (unit.expectedError) {
      expect(store).toThrow(unit.expectedError);
      return;
    }
    const stored = store();
    expect(stored).toBe(unit.expectedStored);
    if (stored) held.set(cache, unit.version);
  },
  async provisioningDisabled(unit) {
    const cluster = new InMemoryCluster();
    const claim = annotated<PersistentVolumeClaim>({});
    claim.spec.storageClassName = 'gold';
    cluster.put('PersistentVolumeClaim', claim);
    const storageClass = { metadata: { name: 'gold' }, provisioner: 'vendor.com/my-volume' };
    const ctx: Partial<SyncContext> = {
      cluster,
      note: () => {},
      runOperation: (_name, operation) => operation(),
      migration: STANDARD_MIGRATION,
      plugins: new PluginRegistry(),
      settings: {
        dynamicProvisioning: unit.enableDynamicProvisioning,
        createVolumeAttempts: 1,
        createVolumeIntervalMs: 0,
        poolMaxAgeMs: 0,
      },
    };
    const provisioning = provisionClaim(ctx as SyncContext, claim, storageClass);
    if (unit.expectedError) await expect(provisioning).rejects.toThrow(unit.expectedError);
    else await provisioning;
    if (!unit.enableDynamicProvisioning) {
      expect([...cluster.writes, ...cluster.events]).toEqual([]);
    } else if (!unit.expectedError) {
      const [asked] = cluster.all('PersistentVolumeClaim');
      expect(asked?.metadata.annotations).toEqual({
        [BETA_STORAGE_PROVISIONER]: storageClass.provisioner,
        [STORAGE_PROVISIONER]: storageClass.provisioner,
      });
      expect(cluster.events).toMatchObject([{ type: 'Normal', reason: 'ExternalProvisioning' }]);
    }
  },
};

describe('units', () => {
  test.each(units)('$id ($kind): $description', async (unit) => {
    const check = checks[unit.kind];
    if (check === undefined) throw new Error(`unknown kind ${unit.kind}`);
    await check(unit);
  });
});
