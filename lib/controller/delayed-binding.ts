/** Whether a claim waits for its first consumer (BEHAVIOUR 3.1 step 1). */
import { StateError } from './errors.ts';
import type { SyncContext } from './ports.ts';
import type { StorageClass } from './types.ts';

/** @throws StateError when the class exists but has no binding mode. A missing class is not delayed. */
export async function isDelayedBinding(ctx: SyncContext, className: string): Promise<boolean> {
  if (className === '') return false;
  return delaysBinding(await ctx.cluster.get('StorageClass', { name: className }));
}

/** @throws StateError when the class has no binding mode. */
export function delaysBinding(storageClass: StorageClass | undefined): boolean {
  if (storageClass === undefined) return false;
  if (!storageClass.volumeBindingMode) {
    throw new StateError(`VolumeBindingMode not set for StorageClass "${storageClass.metadata.name}"`);
  }
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer';
}
