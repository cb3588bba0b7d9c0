/** Binds that stop after one, two or three of their four writes, as the built-in controller makes them. */
import { BIND_COMPLETED, BOUND_BY_CONTROLLER } from '../../../lib/controller/annotations.ts';
import type { Draft } from '../field/drafts.ts';
import type { Place } from '../field/place.ts';
import { claimRefTo } from '../field/states.ts';

/** One state that the built-in controller has left behind; the volume has the name of the claim. */
export interface HalfDone {
  readonly name: string;
  /** Of the four: the volume's claimRef, its phase, the claim's volumeName, its phase. */
  readonly writes: 1 | 2 | 3;
  readonly volume?: Draft;
}

/** Makes the pair, and of its bind the first writes. */
export async function bindHalf(place: Place, { name, writes, volume }: HalfDone): Promise<void> {
  const spec = { storageClassName: 'half' };
  await place.createVolume(name, { ...volume, spec: { ...spec, ...volume?.spec } });
  await place.patchStatus(place.volumePath(name), { phase: 'Available' });
  const claim = await place.createClaim(name, { spec });
  await place.patchVolume(name, {
    metadata: { annotations: { [BOUND_BY_CONTROLLER]: 'yes' } },
    spec: { claimRef: claimRefTo(claim) },
  });
  if (writes >= 2) await place.patchStatus(place.volumePath(name), { phase: 'Bound' });
  if (writes < 3) return;
  const annotations = { [BOUND_BY_CONTROLLER]: 'yes', [BIND_COMPLETED]: 'yes' };
  await place.patchClaim(name, { metadata: { annotations }, spec: { volumeName: name } });
}
