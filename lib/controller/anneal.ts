/** The first step of both syncs: correct migration annotations and finalizers, saved if they changed (BEHAVIOUR 9). */
import { ConflictError, messageOf } from './errors.ts';
import { annealClaim, annealVolume } from './migration.ts';
import type { SyncContext } from './ports.ts';
import type { PersistentVolume, PersistentVolumeClaim } from './types.ts';

/** @returns the claim as stored. @throws Error with upstream's text; a ConflictError stays one. */
export async function saveAnnealedClaim(ctx: SyncContext, claim: PersistentVolumeClaim) {
  const annealed = annealClaim(claim, ctx.migration);
  if (annealed === claim) return claim;
  try {
    return await ctx.cluster.update('PersistentVolumeClaim', annealed);
  } catch (error) {
    throw wrapped("persistent Volume Controller can't anneal migration annotations", error);
  }
}

/** @returns the volume as stored. @throws as `saveAnnealedClaim`. */
export async function saveAnnealedVolume(ctx: SyncContext, volume: PersistentVolume) {
  const annealed = annealVolume(volume, ctx.migration);
  if (annealed === volume) return volume;
  try {
    const stored = await ctx.cluster.update('PersistentVolume', annealed);
    ctx.pool.store(stored);
    return stored;
  } catch (error) {
    throw wrapped("persistent Volume Controller can't anneal migration annotations or finalizer", error);
  }
}

function wrapped(what: string, error: unknown): Error {
  if (error instanceof ConflictError) return error;
  return new Error(`${what}: ${messageOf(error)}`, { cause: error });
}
