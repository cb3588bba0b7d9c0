/** Cures of a volume. None destroys data, or gives it to others, without saying so. */
import { BOUND_BY_CONTROLLER, hasAnnotation, reclaimPolicyOf, storageClassOf } from '../controller/annotations.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import type { Cure } from './finding.ts';
import { createCommand, type PatchOperation, patchCommand, pointer } from './kubectl.ts';
import { keyText } from './scene.ts';

/**
 * Frees a volume for the claim of the name that it holds, and keeps what is on it: the claim's uid goes, the name stays
 * (field report 4; taking the whole claimRef away would offer the data to any claim, report 7). In the same write a policy
 * other than Retain becomes Retain, so that the next claim's end does not take the data along; and the mark goes by which
 * an undone binding would free the volume for anybody (BEHAVIOUR 6.2).
 */
export function softRelease(volume: PersistentVolume, does?: string): Cure {
  const { claimRef } = volume.spec;
  const operations = [
    ...testOfClaim(volume),
    ...(reclaimPolicyOf(volume) === 'Retain' ? [] : policy('Retain')),
    remove('/spec/claimRef/uid'),
    ...(claimRef?.resourceVersion === undefined ? [] : [remove('/spec/claimRef/resourceVersion')]),
    ...(hasAnnotation(volume, BOUND_BY_CONTROLLER)
      ? [remove(pointer('metadata', 'annotations', BOUND_BY_CONTROLLER))]
      : []),
  ];
  return {
    does: does ?? `Free the volume for the next claim named ${keyText(claimRef ?? {})}, with the data on it`,
    command: patchCommand(volume, operations),
  };
}

/** Frees a volume for anybody. */
export function openRelease(volume: PersistentVolume): Cure {
  return {
    does: 'Free the volume for any claim that fits',
    command: patchCommand(volume, [...testOfClaim(volume), remove('/spec/claimRef')]),
    danger: 'Any claim of any namespace may take it, and reads or overwrites what is on it.',
  };
}

/** Keeps the data whatever happens to the claim. */
export function keepData(volume: PersistentVolume): Cure {
  return { does: 'Keep the data, whatever happens to the claim', command: patchCommand(volume, policy('Retain')) };
}

/** Has the data destroyed by whoever deletes volumes of this kind. */
export function destroyData(volume: PersistentVolume): Cure {
  return {
    does: 'Give the storage up: have it deleted',
    command: patchCommand(volume, [...testOfClaim(volume), ...policy('Delete')]),
    danger: 'The data on the volume is destroyed.',
  };
}

/** Points the volume at this claim; the claim's uid makes it a binding and not a reservation. */
export function pointAt(volume: PersistentVolume, claim: PersistentVolumeClaim, does: string): Cure {
  const { namespace, name, uid } = claim.metadata;
  const claimRef = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid };
  return {
    does,
    command: patchCommand(volume, [...testOfClaim(volume), { op: 'add', path: '/spec/claimRef', value: claimRef }]),
  };
}

/** Makes a claim that this volume, reserved by name, waits for. */
export function createClaimFor(volume: PersistentVolume): Cure {
  const { namespace = '', name = '' } = volume.spec.claimRef ?? {};
  const { accessModes, capacity, volumeMode } = volume.spec;
  const spec = {
    ...(accessModes && { accessModes }),
    ...(volumeMode && { volumeMode }),
    storageClassName: storageClassOf(volume),
    volumeName: volume.metadata.name,
    resources: { requests: { storage: capacity?.['storage'] ?? '' } },
  };
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { namespace, name }, spec };
  return { does: `Create the claim ${namespace}/${name}`, command: createCommand(claim) };
}

function remove(path: string): PatchOperation {
  return { op: 'remove', path };
}

function policy(value: 'Retain' | 'Delete'): PatchOperation[] {
  return [{ op: 'add', path: '/spec/persistentVolumeReclaimPolicy', value }];
}

/** The volume is still for the claim that it was for when it was looked at; a uid says it all, a name must have none. */
export function testOfClaim(volume: PersistentVolume): PatchOperation[] {
  const { claimRef } = volume.spec;
  if (claimRef === undefined)
    return [{ op: 'test', path: '/metadata/resourceVersion', value: volume.metadata.resourceVersion }];
  if (claimRef.uid) return [{ op: 'test', path: '/spec/claimRef/uid', value: claimRef.uid }];
  return [{ op: 'test', path: '/spec/claimRef', value: claimRef }];
}
