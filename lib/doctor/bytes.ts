/** Sizes: exact while they are added, short when they are shown. */

import { capacityOf } from '../controller/candidate.ts';
import { isQuantity, wholeUnits } from '../controller/quantity.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';

/** The volume's storage in bytes; 0 when it says no quantity. */
export function bytesOf(volume: PersistentVolume): bigint {
  return bytesIn(capacityOf(volume));
}

/** What a claim asks for. */
export function requestedBytesOf(claim: PersistentVolumeClaim): bigint {
  return bytesIn(claim.spec.resources?.requests?.['storage'] ?? '0');
}

function bytesIn(quantity: string): bigint {
  if (!isQuantity(quantity)) return 0n;
  const bytes = wholeUnits(quantity);
  return bytes > 0n ? bytes : 0n;
}

const UNITS = ['B', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** @param bytes decimal digits. @returns such as `512Mi` or `1.5Ti`, rounded to one decimal. */
export function sizeText(bytes: string): string {
  let value = Number(bytes);
  let unit = 0;
  // 1023.96Ki would be written as 1024Ki.
  while (Number(value.toFixed(1)) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(1).replace(/\.0$/, '')}${UNITS[unit]}`;
}
