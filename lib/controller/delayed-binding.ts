/** Whether a claim waits for its first consumer (BEHAVIOUR 3.1 step 1). */
import { StateError } from './errors.ts';
import type { StorageClass } from './types.ts';

/**
 * @param storageClass the claim's class; a missing one is not delayed.
 * @throws StateError when the class exists but has no binding mode.
 */
export function delaysBinding(storageClass: StorageClass | undefined): boolean {
  if (storageClass === undefined) return false;
  if (!storageClass.volumeBindingMode) {
    throw new StateError(`VolumeBindingMode not set for StorageClass "${storageClass.metadata.name}"`);
  }
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer';
}
