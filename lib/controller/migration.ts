/** CSI migration and deletion finalizers (BEHAVIOUR 9): what an object's annotations and finalizers ought to be. */
import {
  annotationOf,
  BETA_STORAGE_PROVISIONER,
  EXTERNAL_FINALIZER,
  IN_TREE_FINALIZER,
  isInTreeName,
  MIGRATED_TO,
  PROVISIONED_BY,
  reclaimPolicyOf,
  STORAGE_PROVISIONER,
  withAnnotations,
  withoutAnnotation,
} from './annotations.ts';
import type { PersistentVolume, PersistentVolumeClaim } from './types.ts';

/** Which in-tree plugins are migrated, and to which CSI driver. */
export interface MigrationTable {
  isMigrated(pluginName: string): boolean;
  /** @returns undefined when no driver is known for a migrated plugin. */
  driverOf(pluginName: string): string | undefined;
}

const DRIVERS: Readonly<Record<string, string>> = {
  'kubernetes.io/aws-ebs': 'ebs.csi.aws.com',
  'kubernetes.io/gce-pd': 'pd.csi.storage.gke.io',
  'kubernetes.io/azure-disk': 'disk.csi.azure.com',
  'kubernetes.io/azure-file': 'file.csi.azure.com',
  'kubernetes.io/cinder': 'cinder.csi.openstack.org',
  'kubernetes.io/vsphere-volume': 'csi.vsphere.vmware.com',
  'kubernetes.io/portworx-volume': 'pxd.portworx.com',
};

/** The plugins that every supported Kubernetes version migrates. */
export const STANDARD_MIGRATION: MigrationTable = {
  isMigrated: (pluginName) => Object.hasOwn(DRIVERS, pluginName),
  driverOf: (pluginName) => (Object.hasOwn(DRIVERS, pluginName) ? DRIVERS[pluginName] : undefined),
};

/** The claim with a correct migrated-to annotation; the same object when nothing is to change. */
export function annealClaim(claim: PersistentVolumeClaim, migration: MigrationTable): PersistentVolumeClaim {
  const provisioner = annotationOf(claim, STORAGE_PROVISIONER) ?? annotationOf(claim, BETA_STORAGE_PROVISIONER);
  return annealMigratedTo(claim, provisioner, migration);
}

/** The volume with a correct migrated-to annotation and finalizers; the same object when nothing is to change. */
export function annealVolume(volume: PersistentVolume, migration: MigrationTable): PersistentVolume {
  const annealed = annealMigratedTo(volume, annotationOf(volume, PROVISIONED_BY), migration);
  const current = annealed.metadata.finalizers ?? [];
  const wanted = deletionFinalizers(annealed, migration);
  return wanted.length === current.length && wanted.every((finalizer, i) => finalizer === current[i])
    ? annealed
    : withFinalizers(annealed, wanted);
}

/** A copy with these finalizers; an empty list becomes absent. */
export function withFinalizers(volume: PersistentVolume, finalizers: string[]): PersistentVolume {
  if (finalizers.length > 0) return { ...volume, metadata: { ...volume.metadata, finalizers } };
  const { finalizers: _none, ...metadata } = volume.metadata;
  return { ...volume, metadata };
}

function annealMigratedTo<T extends PersistentVolume | PersistentVolumeClaim>(
  object: T,
  provisioner: string | undefined,
  migration: MigrationTable,
): T {
  if (provisioner === undefined) return object;
  const migratedTo = annotationOf(object, MIGRATED_TO);
  if (!migration.isMigrated(provisioner)) return migratedTo ? withoutAnnotation(object, MIGRATED_TO) : object;
  const driver = migration.driverOf(provisioner);
  if (driver === undefined || driver === migratedTo) return object;
  return withAnnotations(object, { [MIGRATED_TO]: driver });
}

/** The finalizer rule; the result equals the present list when nothing is to change. */
function deletionFinalizers(volume: PersistentVolume, migration: MigrationTable): string[] {
  const current = volume.metadata.finalizers ?? [];
  const provisioner = annotationOf(volume, PROVISIONED_BY);
  if (provisioner === undefined) return current;
  if (migration.isMigrated(provisioner)) return current.filter((finalizer) => finalizer !== IN_TREE_FINALIZER);
  if (!isInTreeName(provisioner)) return current;
  const others = current.filter((finalizer) => finalizer !== EXTERNAL_FINALIZER);
  if (reclaimPolicyOf(volume) !== 'Delete') return others.filter((finalizer) => finalizer !== IN_TREE_FINALIZER);
  // An API server refuses new finalizers on an object that is being deleted.
  if (others.includes(IN_TREE_FINALIZER) || volume.metadata.deletionTimestamp !== undefined) return others;
  return [...others, IN_TREE_FINALIZER];
}
