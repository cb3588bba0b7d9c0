/** Which keys must be looked at when an object changed: itself, and everyone whose sync reads it. */
import { isDefaultClass, reclaimPolicyOf } from '../controller/annotations.ts';
import { isBoundTo } from '../controller/claim-ref.ts';
import { hasClass } from '../controller/default-class.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass, SyncKey } from '../controller/types.ts';
import { isReleasedOrFailed } from '../controller/volume-phase.ts';
import type { SyncMessage } from '../queue/message.ts';
import { type Change, type Registry, syncKeyOf } from './registry.ts';

type Paired = PersistentVolume | PersistentVolumeClaim;

/** The held objects at the other end: the claim that a volume is reserved for, claims that name it; and the reverse. */
export function partnersOf(registry: Registry, kind: SyncKey['kind'], object: Paired): Paired[] {
  return kind === 'PersistentVolume'
    ? claimsOf(registry, object as PersistentVolume)
    : volumesOf(registry, object as PersistentVolumeClaim);
}

/** The keys to look at for a change of a volume or a claim: both its partners of before and those of now. */
export function keysOf(registry: Registry, { kind, before, after }: Change): SyncKey[] {
  if (kind === 'StorageClass') return [];
  const states = [after, before].filter((state) => state !== undefined) as Paired[];
  const other = kind === 'PersistentVolume' ? 'PersistentVolumeClaim' : 'PersistentVolume';
  const partners = new Set(states.flatMap((state) => partnersOf(registry, kind, state)));
  const own = after === undefined ? [] : [syncKeyOf(kind, after as Paired)];
  return [...own, ...Array.from(partners, (partner) => syncKeyOf(other, partner))];
}

/**
 * The keys whose syncs write this object: its own, and of a volume that of the claim in its claimRef. That claim's sync
 * makes all four writes of a bind, and two of them are the volume's.
 */
export function writersOf(registry: Registry, key: SyncKey): SyncKey[] {
  const volume = key.kind === 'PersistentVolume' ? registry.volume(key.name) : undefined;
  const { namespace = '', name = '' } = volume?.spec.claimRef ?? {};
  const claim = volume && registry.claim({ namespace, name });
  // Of another uid it is the successor of the one meant: what is sent about it has nothing to do with this volume.
  return claim && isBoundTo(volume, claim) ? [key, syncKeyOf('PersistentVolumeClaim', claim)] : [key];
}

/** The unbound claims that a change of a class may concern: its own, and without a class those it could be given to. */
export function claimsOfClass(registry: Registry, { before, after }: Change<'StorageClass'>): SyncKey[] {
  const states = [before, after].filter((state): state is StorageClass => state !== undefined);
  const name = states[0]?.metadata.name ?? '';
  const own = [...registry.unboundClaims(name)];
  const classless = states.some(isDefaultClass)
    ? [...registry.unboundClaims('')].filter((claim) => !hasClass(claim))
    : [];
  return [...own, ...classless].map((claim) => syncKeyOf('PersistentVolumeClaim', claim));
}

/** The volumes that a recycler pod may be at work for. */
export function recyclingVolumes(registry: Registry): SyncKey[] {
  return Array.from(registry.volumes.values())
    .filter((volume) => reclaimPolicyOf(volume) === 'Recycle' && isReleasedOrFailed(volume))
    .map((volume) => syncKeyOf('PersistentVolume', volume));
}

/** The uid of the volume that a message is about: itself, or the one that the claim names or is to try. */
export function volumeUidOf(registry: Registry, message: SyncMessage): string | undefined {
  const { kind, namespace = '', name, uid, deleted, hint } = message;
  if (kind === 'PersistentVolume') return uid;
  const volumeName = registry.claim({ namespace, name })?.spec.volumeName ?? deleted?.volumeName ?? hint?.volumeName;
  return volumeName === undefined ? undefined : registry.volume(volumeName)?.metadata.uid;
}

function claimsOf(registry: Registry, volume: PersistentVolume): PersistentVolumeClaim[] {
  const { claimRef } = volume.spec;
  const naming = registry.claimsNaming(volume.metadata.name);
  if (claimRef === undefined) return naming;
  const { namespace = '', name = '' } = claimRef;
  const reserved = registry.claim({ namespace, name });
  return reserved === undefined || naming.includes(reserved) ? naming : [reserved, ...naming];
}

function volumesOf(registry: Registry, claim: PersistentVolumeClaim): PersistentVolume[] {
  const reserved = registry.volumes.reservedFor(claim.metadata);
  const named = claim.spec.volumeName ? registry.volume(claim.spec.volumeName) : undefined;
  return named === undefined || reserved.includes(named) ? reserved : [named, ...reserved];
}
