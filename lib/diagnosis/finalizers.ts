/** Finalizers: whose they are, and what they wait for. */
import { EXTERNAL_FINALIZER, IN_TREE_FINALIZER } from '../controller/annotations.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import type { Cure } from './finding.ts';
import { patchCommand } from './kubectl.ts';

export const VOLUME_PROTECTION = 'kubernetes.io/pv-protection';

const KNOWN: Readonly<Record<string, string>> = {
  [VOLUME_PROTECTION]: 'the protection controller, while the volume is Bound',
  'kubernetes.io/pvc-protection': 'the protection controller, while a pod uses the claim',
  [EXTERNAL_FINALIZER]: 'the CSI external-provisioner, until the storage is deleted',
  [IN_TREE_FINALIZER]: 'the PersistentVolume controller, until the storage of an in-tree plugin is deleted',
  'provisioner.storage.kubernetes.io/cloning-protection': 'the CSI external-provisioner, while the claim is cloned',
  'snapshot.storage.kubernetes.io/pvc-as-source-protection': 'the snapshot controller, while a snapshot is taken',
  foregroundDeletion: 'the garbage collector, until the dependents are gone',
  orphan: 'the garbage collector, until the dependents are orphaned',
};

const ATTACHER = /^external-attacher\/(.+)$/;

/** Whose finalizer it is, and what it waits for. */
export function ownerOf(finalizer: string): string {
  const [, driver] = ATTACHER.exec(finalizer) ?? [];
  if (driver !== undefined) return `the CSI external-attacher of ${driver}, while the volume is attached`;
  return Object.hasOwn(KNOWN, finalizer)
    ? (KNOWN[finalizer] ?? '')
    : 'whoever set it: no part of Kubernetes is known to';
}

export function foreignText(finalizer: string): string {
  return `Finalizer ${finalizer} is held by ${ownerOf(finalizer)}.`;
}

/** All but those. */
export function strangersOf(finalizers: readonly string[], ...known: readonly string[]): string[] {
  return finalizers.filter((finalizer) => !known.includes(finalizer));
}

/** The last resort. */
export function takeOff(object: PersistentVolume | PersistentVolumeClaim, finalizer: string): Cure {
  const at = (object.metadata.finalizers ?? []).indexOf(finalizer);
  const path = `/metadata/finalizers/${at}`;
  return {
    does: `Take finalizer ${finalizer} off by hand, when its owner is gone for good`,
    command: patchCommand(object, [
      { op: 'test', path, value: finalizer },
      { op: 'remove', path },
    ]),
    danger: 'Whatever its owner still had to clean up stays behind, and nobody knows of it any more.',
  };
}
