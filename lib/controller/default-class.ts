/** The retroactive default class (BEHAVIOUR 10): a class-less claim without a match gets the cluster's default. */
import { BETA_STORAGE_CLASS, claimKeyOf, hasAnnotation, isDefaultClass } from './annotations.ts';
import { ConflictError, messageOf } from './errors.ts';
import type { SyncContext } from './ports.ts';
import type { PersistentVolumeClaim, StorageClass } from './types.ts';

/**
 * @returns whether the claim was written; its event brings it back.
 * @throws Error with upstream's text when the write fails; a ConflictError stays one.
 */
export async function assignDefaultClass(ctx: SyncContext, claim: PersistentVolumeClaim): Promise<boolean> {
  if (hasClass(claim)) return false;
  const name = defaultClassOf(await ctx.cluster.list('StorageClass'))?.metadata.name;
  if (name === undefined) return false;
  ctx.note(`claim ${claimKeyOf(claim)} gets the default class ${name}`);
  try {
    await ctx.cluster.update('PersistentVolumeClaim', {
      ...claim,
      spec: { ...claim.spec, storageClassName: name },
    });
  } catch (error) {
    if (error instanceof ConflictError) throw error;
    const what = `can't update PersistentVolumeClaim["${claimKeyOf(claim)}"]`;
    throw new Error(`${what}: ${messageOf(error)}`, { cause: error });
  }
  return true;
}

/** An empty string counts as having a class. */
export function hasClass(claim: PersistentVolumeClaim): boolean {
  return hasAnnotation(claim, BETA_STORAGE_CLASS) || typeof claim.spec.storageClassName === 'string';
}

/** Among the classes marked default the newest, ties by name ascending. */
export function defaultClassOf(classes: Iterable<StorageClass>): StorageClass | undefined {
  const created = (storageClass: StorageClass) => Date.parse(storageClass.metadata.creationTimestamp ?? '') || 0;
  return [...classes]
    .filter(isDefaultClass)
    .sort((a, b) => created(b) - created(a) || (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}
