/** Whether a volume that a claim asks for by name fits it (BEHAVIOUR 3.4). */
import { accessModesSatisfied } from './access-modes.ts';
import { storageClassOf, volumeModeOf } from './annotations.ts';
import { capacityOf, needsAndHas } from './candidate.ts';
import type { Features } from './features.ts';
import { wholeUnits } from './quantity.ts';
import type { PersistentVolume, PersistentVolumeClaim } from './types.ts';

/**
 * Selector, phase and node affinity are not looked at, as upstream.
 * @returns why the volume does not fit, in upstream's words; undefined when it does.
 */
export function whyUnfit(volume: PersistentVolume, claim: PersistentVolumeClaim, features: Features) {
  if (volume.metadata.deletionTimestamp !== undefined) {
    return `the volume is marked for deletion "${volume.metadata.name}"`;
  }
  const requested = claim.spec.resources?.requests?.['storage'] ?? '0';
  if (wholeUnits(capacityOf(volume)) < wholeUnits(requested)) return 'requested PV is too small';
  if (storageClassOf(volume) !== storageClassOf(claim)) return 'storageClassName does not match';
  const offeredAttributes = volume.spec.volumeAttributesClassName ?? '';
  const requestedAttributes = claim.spec.volumeAttributesClassName ?? '';
  if (features.volumeAttributesClass) {
    if (offeredAttributes !== requestedAttributes) return 'volumeAttributesClassName does not match';
  } else if (offeredAttributes !== '' || requestedAttributes !== '') {
    return 'volumeAttributesClassName is not supported when the feature-gate VolumeAttributesClass is disabled';
  }
  if (volumeModeMismatch(volume, claim)) return 'incompatible volumeMode';
  if (!accessModesSatisfied(claim.spec.accessModes, volume.spec.accessModes)) return 'incompatible accessMode';
  return undefined;
}

/** Whether volume and claim differ in volumeMode; unset is Filesystem (BEHAVIOUR 3.4 rule 5). */
export function volumeModeMismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return volumeModeOf(volume) !== volumeModeOf(claim);
}

/** By how much a volume that `whyUnfit` refuses does not fit, for people; empty where there is nothing to compare. */
export function differenceOf(volume: PersistentVolume, claim: PersistentVolumeClaim, features: Features): string {
  switch (whyUnfit(volume, claim, features)) {
    case 'requested PV is too small':
      return needsAndHas(claim.spec.resources?.requests?.['storage'], capacityOf(volume));
    case 'storageClassName does not match':
      return needsAndHas(storageClassOf(claim), storageClassOf(volume));
    case 'volumeAttributesClassName does not match':
      return needsAndHas(claim.spec.volumeAttributesClassName, volume.spec.volumeAttributesClassName);
    case 'incompatible volumeMode':
      return needsAndHas(volumeModeOf(claim), volumeModeOf(volume));
    case 'incompatible accessMode':
      return needsAndHas(claim.spec.accessModes?.join('+'), volume.spec.accessModes?.join('+'));
    default:
      return '';
  }
}
