/** The differences that are meant, each with the page that says why. The comparison accepts these and no others. */
import {
  annotationOf,
  hasAnnotation,
  IN_TREE_FINALIZER,
  isInTreeName,
  PROVISIONED_BY,
} from '../../lib/controller/annotations.ts';
import { compareQuantities } from '../../lib/controller/quantity.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../lib/controller/types.ts';
import type { Difference } from './compare.ts';
import { keyOf, type Snapshot, type Told } from './snapshot.ts';

/** What a predicate may look at besides the difference. */
export interface Surroundings {
  /** The objects as the last action left them, before either controller had seen them. */
  readonly acted?: Snapshot;
  /** What the built-in has said. */
  readonly told?: ReadonlyMap<string, Told>;
  /** Volumes that were held by their protection finalizer alone and went when they lost their claim; and those claims. */
  readonly going?: ReadonlySet<string>;
}

export interface OnPurpose {
  readonly id: string;
  /** The page below docs/decisions. */
  readonly decision: string;
  applies(difference: Difference, around: Surroundings): boolean;
}

export interface Explained {
  readonly difference: Difference;
  readonly reason: OnPurpose;
}

/** As a quantity: what 64 bits hold. */
const LARGEST = String(2n ** 63n - 1n);
/** In the built-in's event sender: after so many events about one object it drops the rest. */
const EVENTS_PER_OBJECT = 25;

/** Reasons of events that a controller gives or not, by whether it or the protection controller comes first. */
const LAST_WORDS = ['VolumeRecycled', 'VolumeFailedRecycle', 'VolumeFailedDelete', 'ClaimLost', 'ClaimMisbound'];

export const ON_PURPOSE: readonly OnPurpose[] = [
  {
    id: 'a picked volume survives losing a race',
    decision: '013-losing-a-race-never-deletes.md',
    applies: ({ object, builtIn, ours }, { acted }) => {
      const volume = acted?.volumes.find(({ metadata }) => object === `PersistentVolume ${metadata.name}`);
      const claim = acted?.claims.find(({ metadata }) => metadata.uid === volume?.spec.claimRef?.uid);
      if (volume === undefined || claim === undefined || !isDynamicallyProvisioned(volume)) return false;
      const { volumeName } = claim.spec;
      const wasProvisionedForIt = volume.metadata.name === `pvc-${claim.metadata.uid}`;
      const isReleased = builtIn === undefined || ['Released', 'Failed'].includes(phaseOf(builtIn));
      const isUnbound = phaseOf(ours) === 'Available' && !(ours as PersistentVolume).spec.claimRef?.uid;
      const isBoundElsewhere = volumeName !== undefined && volumeName !== volume.metadata.name;
      return isBoundElsewhere && !wasProvisionedForIt && isReleased && isUnbound;
    },
  },
  {
    id: 'no new finalizer on what is being deleted',
    decision: '016-compared-with-the-built-in.md',
    applies: ({ object, builtIn }, { acted }) => {
      const volume = acted?.volumes.find(({ metadata }) => object === `PersistentVolume ${metadata.name}`);
      if (volume?.metadata.deletionTimestamp === undefined || !isDynamicallyProvisioned(volume)) return false;
      const wantsFinalizer = isInTreeName(annotationOf(volume, PROVISIONED_BY) ?? '');
      const lacksIt = !volume.metadata.finalizers?.includes(IN_TREE_FINALIZER);
      return wantsFinalizer && lacksIt && phaseOf(builtIn) === phaseOf(volume);
    },
  },
  {
    id: 'quantities above 2^63-1 are compared exactly',
    decision: '016-compared-with-the-built-in.md',
    applies: ({ object, builtIn, ours }, { acted }) => {
      const huge = acted?.claims.find((claim) => compareQuantities(requestOf(claim), LARGEST) > 0);
      if (huge?.spec.volumeName === undefined) return false;
      const isAbout = [`PersistentVolumeClaim ${keyOf(huge)}`, `PersistentVolume ${huge.spec.volumeName}`].includes(
        object,
      );
      return isAbout && phaseOf(builtIn) === 'Bound' && phaseOf(ours) !== 'Bound';
    },
  },
  {
    id: 'the built-in drops events',
    decision: '022-differences-on-purpose.md',
    applies: ({ about, object, builtIn, ours }, { told }) =>
      about === 'events' &&
      (told?.get(object)?.times ?? 0) >= EVENTS_PER_OBJECT &&
      (builtIn as string[]).every((said) => (ours as string[]).includes(said)),
  },
  {
    id: 'last words about a volume that goes',
    decision: '022-differences-on-purpose.md',
    applies: ({ about, object, builtIn, ours }, { going }) => {
      if (about !== 'events' || !going?.has(object)) return false;
      const [theirs, own] = [builtIn as string[], ours as string[]];
      const onlyOne = [
        ...theirs.filter((said) => !own.includes(said)),
        ...own.filter((said) => !theirs.includes(said)),
      ];
      return onlyOne.every((said) => LAST_WORDS.includes(said.split(/[ :]/)[1] ?? ''));
    },
  },
];

/** Those differences that are on purpose. */
export function explain(differences: readonly Difference[], around: Surroundings): Explained[] {
  return differences.flatMap((difference) => {
    const reason = ON_PURPOSE.find(({ applies }) => applies(difference, around));
    return reason === undefined ? [] : [{ difference, reason }];
  });
}

function isDynamicallyProvisioned(volume: PersistentVolume): boolean {
  return hasAnnotation(volume, PROVISIONED_BY) && volume.spec.persistentVolumeReclaimPolicy === 'Delete';
}

function requestOf({ spec }: PersistentVolumeClaim): string {
  return spec.resources?.requests?.['storage'] ?? '0';
}

function phaseOf(volume: unknown): string {
  return (volume as PersistentVolume | undefined)?.status?.phase ?? '';
}
