/** The names of a soak, in place of those that the drafts of the differential test use. */

import type { Random } from '../differential/random.ts';
import { PROVISIONER } from '../faults/scenarios/scenarios.ts';

export const NAMESPACES = ['soak-1', 'soak-2'] as const;
export const claimNames: readonly string[] = Array.from({ length: 40 }, (_, index) => `soak-c${index + 1}`);

/**
 * Makes names of a draft real. A volume's name is never used again, since a claim may still be bound to the old one; a
 * volume that is named before it exists is one of the next.
 * @param nextVolume number of the next volume.
 */
export function realNames(text: string, nextVolume: number, random: Random): string {
  return text
    .replaceAll(/~v(\d+)/g, (_, number: string) => `soak-v${nextVolume + Number(number) - 1}`)
    .replaceAll(/~c\d+/g, () => random.of(claimNames))
    .replaceAll(/~n(\d)/g, (_, number: string) => NAMESPACES[Number(number) - 1] ?? NAMESPACES[0])
    .replaceAll('~', 'soak-')
    .replaceAll('/srv/differential', '/tmp/differential');
}

/** Classes are of the provisioner that runs here: hostPath provisioning is an extra of the local run. */
export function realProvisioner(provisioner: string): string {
  return provisioner === 'kubernetes.io/host-path' || provisioner === 'external.example.com'
    ? PROVISIONER
    : provisioner;
}
