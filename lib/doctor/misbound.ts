/** Volumes and claims of which one names the other, and the other somebody else. */
import { claimKeyOf } from '../controller/annotations.ts';
import { isReservedFor } from '../controller/claim-ref.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import type { Report } from './report-schema.ts';
import type { Snapshot } from './snapshot.ts';

type Misbound = Report['misbound'];

/** Half-done binds are none: there the other side names nobody yet. */
export function misboundPairs(snapshot: Snapshot): Misbound {
  return [
    ...snapshot.objects.PersistentVolumeClaim.flatMap((claim) => strangersVolume(snapshot, claim)),
    ...snapshot.objects.PersistentVolume.flatMap((volume) => strangersClaim(snapshot, volume)),
  ];
}

/** The claim names a volume that is for another claim, or for an earlier claim of the same name. */
function strangersVolume(snapshot: Snapshot, claim: PersistentVolumeClaim): Misbound {
  const volume = claim.spec.volumeName ? snapshot.volume(claim.spec.volumeName) : undefined;
  const { claimRef } = volume?.spec ?? {};
  if (volume === undefined || claimRef === undefined || isReservedFor(volume, claim)) return [];
  const holder = `${claimRef.namespace}/${claimRef.name}`;
  const whose = holder === claimKeyOf(claim) ? 'an earlier claim of this name' : `claim ${holder}`;
  const { name } = volume.metadata;
  return [{ volume: name, claim: claimKeyOf(claim), what: `the claim names the volume, which is for ${whose}` }];
}

/** The volume is for this very claim, which names another volume. */
function strangersClaim(snapshot: Snapshot, volume: PersistentVolume): Misbound {
  const { namespace, name, uid } = volume.spec.claimRef ?? {};
  if (!namespace || !name || !uid) return [];
  const claim = snapshot.claim({ namespace, name });
  const named = claim?.spec.volumeName;
  if (claim?.metadata.uid !== uid || !named || named === volume.metadata.name) return [];
  const what = `the volume is for the claim, which names volume ${named}`;
  return [{ volume: volume.metadata.name, claim: claimKeyOf(claim), what }];
}
