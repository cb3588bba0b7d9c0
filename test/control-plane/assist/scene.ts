/** What the built-in controller is stopped in the middle of, and what a controller that did too much would fall for. */
import { PROVISIONED_BY } from '../../../lib/controller/annotations.ts';
import type { Draft } from '../field/drafts.ts';
import type { Place } from '../field/place.ts';
import { eventually } from '../objects.ts';
import { bindHalf, type HalfDone } from './half-done.ts';

const load = Array.from({ length: 24 }, (_, index) => `load-${index}`);

/** Pairs whose claims are deleted while the built-in controller is away; the second one's data would go with it. */
export const toRelease = ['kept', 'erased'] as const;
const policyDelete = { persistentVolumeReclaimPolicy: 'Delete' };
const released: Readonly<Record<(typeof toRelease)[number], object>> = { kept: csi('kept'), erased: {} };

/** Binds that are left at each of their steps. */
export const halfDone: readonly HalfDone[] = [
  { name: 'after-claim-ref', writes: 1 },
  { name: 'after-volume-phase', writes: 2 },
  { name: 'after-volume-name', writes: 3 },
  // Of this one the migration rules want an annotation on both halves, and the finalizer off.
  {
    name: 'migrated',
    writes: 1,
    volume: {
      annotations: { [PROVISIONED_BY]: 'kubernetes.io/gce-pd' },
      finalizers: ['kubernetes.io/pv-controller'],
      spec: { ...policyDelete, hostPath: undefined, gcePersistentDisk: { pdName: 'disk-1' } },
    },
  },
];

/** Volumes that are free, were provisioned, and would be deleted after their next claim: each with a claim of its name. */
export const doomed = ['doomed', 'doomed-and-named', 'doomed-and-reserved'] as const;

/**
 * Starts the load, and waits until the built-in controller is in the middle of it.
 * @param settled resolves when ours has nothing queued: a key that still waits out the grace time of its bind would not
 *   begin another one for the release (docs/decisions/026-modes.md).
 */
export async function startLoad(place: Place, settled: () => Promise<void>): Promise<void> {
  for (const name of toRelease) {
    const spec = { storageClassName: name, ...released[name], ...policyDelete };
    await place.createVolume(name, { spec });
    await place.createClaim(name, { spec: { storageClassName: name } });
  }
  await Promise.all(toRelease.map((name) => place.untilBound(name, name)));
  await settled();
  await Promise.all(load.flatMap((name) => [place.createVolume(name), place.createClaim(name)]));
  await eventually(
    'a third of the load bound',
    async () => (await boundOf(place)) >= toRelease.length + load.length / 3,
  );
}

/** How many volumes are bound. */
export async function boundOf(place: Place): Promise<number> {
  return (await place.phases()).filter((phase) => phase === 'Bound').length;
}

/** What nobody finishes while the built-in controller is away. @returns when each was begun, by its name. */
export async function leaveHalfDone(place: Place): Promise<ReadonlyMap<string, number>> {
  const leftAt = new Map<string, number>();
  for (const half of halfDone) {
    leftAt.set(half.name, Date.now());
    await bindHalf(place, half);
  }
  for (const name of toRelease) {
    leftAt.set(name, Date.now());
    await place.deleteClaim(name);
  }
  return leftAt;
}

/** Claims that a free volume would fit. */
export async function tempt(place: Place): Promise<void> {
  const classOf = (name: string) => ({ storageClassName: name });
  await place.createVolume('free', { spec: classOf('free') });
  await place.createClaim('free', { spec: classOf('free') });
  const more: Readonly<Record<(typeof doomed)[number], [Draft['spec'], Draft['spec']]>> = {
    doomed: [{}, {}],
    'doomed-and-named': [{}, { volumeName: 'doomed-and-named' }],
    'doomed-and-reserved': [{ claimRef: { namespace: place.namespace, name: 'doomed-and-reserved' } }, {}],
  };
  for (const name of doomed) {
    const [ofVolume, ofClaim] = more[name];
    const annotations = { [PROVISIONED_BY]: 'external.example.com' };
    await place.createVolume(name, {
      annotations,
      spec: { ...csi(name), ...policyDelete, ...classOf(name), ...ofVolume },
    });
    await place.createClaim(name, { spec: { ...classOf(name), ...ofClaim } });
  }
}

function csi(volumeHandle: string): object {
  return { hostPath: undefined, csi: { driver: 'external.example.com', volumeHandle } };
}
