/** Events that several sections of the field reports end with, in the words of BEHAVIOUR 1.3. */
import type { Told } from './events.ts';

export const noVolume: Told = {
  type: 'Normal',
  reason: 'FailedBinding',
  message: 'no persistent volumes available for this claim and no storage class is set',
};

export const lostVolume: Told = {
  type: 'Warning',
  reason: 'ClaimLost',
  message: 'Bound claim has lost its PersistentVolume. Data on the volume is lost!',
};

export const misbound: Told = {
  type: 'Warning',
  reason: 'ClaimMisbound',
  message: 'Two claims are bound to the same volume, this one is bound incorrectly',
};

/** The claim names a volume that it cannot have. */
export function mismatch(volume: string, why: string): Told {
  const message = `Cannot bind to requested volume "${volume}": ${why}`;
  return { type: 'Warning', reason: 'VolumeMismatch', message };
}

export function taken(volume: string): Told {
  return {
    type: 'Warning',
    reason: 'FailedBinding',
    message: `volume "${volume}" already bound to a different claim.`,
  };
}

export function asked(provisioner: string): Told {
  const message =
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the ` +
    'system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.';
  return { type: 'Normal', reason: 'ExternalProvisioning', message };
}
