/**
 * From a key to its sync: read the object, run `updateVolume`/`updateClaim` when it exists and `deleteVolume`/
 * `deleteClaim` when it was deleted. A conflict (or an object gone meanwhile) is answered by reading and deciding again, a few times, here
 * (DESIGN D4); everything else that goes wrong is thrown, and the queue retries the key.
 */
import { ConflictError, findCause, NotFoundError } from './errors.ts';
import { withLatestRead } from './latest-read.ts';
import type { SyncContext } from './ports.ts';
import { syncClaim } from './sync-claim.ts';
import { syncVolume } from './sync-volume.ts';
import type { ObjectKey, PersistentVolume, PersistentVolumeClaim, SyncKey } from './types.ts';

/** What is remembered of a deleted object: no cache holds it any more (DESIGN D2). */
export interface DeletedObject {
  readonly uid: string;
  /** Of a deleted volume. */
  readonly claimRef?: { namespace: string; name: string; uid?: string };
  /** Of a deleted claim. */
  readonly volumeName?: string;
}

export interface Work {
  readonly key: SyncKey;
  /** Objects of that name whose deletion was seen. */
  readonly deleted?: readonly DeletedObject[];
  /** Volumes to consider for a claim besides the pool's; the last one counts. */
  readonly hint?: string;
}

const CONFLICT_ATTEMPTS = 4;
const CONFLICT_DELAY_MS = 25;

/** @throws Error when the key must be tried again. */
export async function reconcile(surroundings: SyncContext, work: Work): Promise<void> {
  const ctx = withLatestRead(surroundings);
  for (const deleted of work.deleted ?? []) {
    if (work.key.kind === 'PersistentVolume') await deleteVolume(ctx, deleted);
    else await deleteClaim(ctx, deleted);
  }
  for (let attempt = 1; ; attempt++) {
    try {
      await syncKey(attempt === 1 ? ctx : { ...ctx, redelivered: true }, work);
      return;
    } catch (error) {
      const changed = findCause(error, ConflictError) ?? findCause(error, NotFoundError);
      if (changed === undefined || attempt === CONFLICT_ATTEMPTS) throw error;
      ctx.note(`conflict, deciding again: ${changed.message}`);
      await ctx.clock.sleep(CONFLICT_DELAY_MS * attempt * (0.5 + Math.random()));
    }
  }
}

async function syncKey(ctx: SyncContext, { key, hint }: Work): Promise<void> {
  if (key.kind === 'PersistentVolume') {
    const volume = await ctx.cluster.get('PersistentVolume', key);
    if (volume !== undefined) {
      await updateVolume(ctx, volume);
    } else {
      noteGone(ctx, key);
      for (const plugin of ctx.plugins.all()) await plugin.forgetVolume?.(key.name);
    }
  } else {
    const claim = await ctx.cluster.get('PersistentVolumeClaim', key);
    if (claim !== undefined) await updateClaim(ctx, claim, hint);
    else noteGone(ctx, key);
  }
}

/** A volume that exists: keep the pool as new as this read, then sync. */
export async function updateVolume(ctx: SyncContext, volume: PersistentVolume): Promise<void> {
  ctx.pool.store(volume);
  await syncVolume(ctx, volume);
}

/** A claim that exists. */
export async function updateClaim(ctx: SyncContext, claim: PersistentVolumeClaim, hint?: string): Promise<void> {
  await syncClaim(ctx, claim, hint);
}

/** A deleted volume: its claim must learn that it lost it (BEHAVIOUR 2.2). */
export async function deleteVolume(ctx: SyncContext, volume: DeletedObject): Promise<void> {
  if (volume.claimRef === undefined) return;
  const { namespace, name } = volume.claimRef;
  await ctx.enqueue({ kind: 'PersistentVolumeClaim', namespace, name }, causeOf(volume));
}

/** A deleted claim: its volume is to be released (BEHAVIOUR 2.2). */
export async function deleteClaim(ctx: SyncContext, claim: DeletedObject): Promise<void> {
  if (!claim.volumeName) return;
  await ctx.enqueue({ kind: 'PersistentVolume', name: claim.volumeName }, causeOf(claim));
}

function causeOf(deleted: DeletedObject) {
  return { uid: deleted.uid, resourceVersion: 'deleted' };
}

function noteGone(ctx: SyncContext, key: ObjectKey): void {
  ctx.note(`${key.namespace === undefined ? '' : `${key.namespace}/`}${key.name} does not exist: nothing to sync`);
}
