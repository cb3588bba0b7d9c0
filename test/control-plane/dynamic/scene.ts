/** What the scenarios of dynamic provisioning have in common: a provisioner, its class, and the way to Bound. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../lib/controller/types.ts';
import type { Scenario } from '../field/describe-field.ts';
import type { Place } from '../field/place.ts';
import type { Provisioner, ProvisionerCall } from '../harness.ts';
import { eventually } from '../objects.ts';

export const provisionerName = 'external.example.com';

/** Declares some scenarios; the provisioner runs by the time that they do. */
export type Section = (scenario: Scenario, provisioner: () => Provisioner) => void;

export const ofClass = { spec: { storageClassName: 'external' } };

export interface Pair {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
  readonly name: string;
}

/** The name that the library gives to the volume of a claim, and to its disk. */
export function volumeNameFor({ metadata }: PersistentVolumeClaim): string {
  return `pvc-${metadata.uid}`;
}

/** Makes the class; `fields` on top of the API server's defaults, Delete and Immediate. */
export function externalClass(place: Place, fields: object = {}, annotations: object = {}) {
  return place.createClass('external', provisionerName, fields, annotations);
}

/** Has a claim provisioned and bound. */
export async function provisioned(place: Place, claimName: string): Promise<Pair> {
  const claim = await place.createClaim(claimName, ofClass);
  const name = volumeNameFor(claim);
  await place.untilClaim(claimName, 'Bound');
  return { claim, volume: await place.untilVolume(name, 'Bound'), name };
}

/** Waits for a call of this kind that failed. */
export function untilFailed(provisioner: Provisioner, operation: ProvisionerCall['operation'], volume: string) {
  return eventually(`a failed ${operation} of ${volume}`, async () =>
    (await provisioner.calls()).find(
      (call) => call.operation === operation && call.volume === volume && call.error !== undefined,
    ),
  );
}
