/** Two volumes that no claim can tell apart: which of them a controller chooses is chance. */
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import type { Held } from './change.ts';
import { type Fields, fieldsOf, isSame } from './fields.ts';
import { idOf } from './verdict.ts';

/**
 * Whether a claim got another volume than was foreseen, which differs in its name and its storage only.
 * @param latest the volumes as they were seen last, by `idOf`.
 */
export function isEquallyGood(wanted: Held, now: Held, latest: (id: string) => Held | undefined): boolean {
  const [ours, theirs] = [wanted, now].map((claim) => (claim as PersistentVolumeClaim).spec.volumeName);
  if (!ours || !theirs || ours === theirs) return false;
  const [one, other] = [ours, theirs].map((name) => latest(idOf('PersistentVolume', { name })));
  return one !== undefined && other !== undefined && isSame(worthOf(one), worthOf(other));
}

/** What volumes are chosen by, and what becomes of them afterwards. */
function worthOf(volume: Held): Fields {
  const { metadata, spec } = volume as PersistentVolume;
  const { accessModes, capacity, storageClassName, volumeMode, nodeAffinity, volumeAttributesClassName } = spec;
  const { mountOptions, persistentVolumeReclaimPolicy } = spec;
  return fieldsOf({
    chosenBy: { accessModes, capacity, storageClassName, volumeMode, nodeAffinity, volumeAttributesClassName },
    labels: metadata.labels,
    afterwards: { mountOptions, persistentVolumeReclaimPolicy },
  });
}
