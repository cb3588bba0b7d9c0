/** Claims that lost their volume: what became of it, and how the two come together again. */
import {
  annotationOf,
  BIND_COMPLETED,
  isInTreeName,
  MIGRATED_TO,
  STORAGE_PROVISIONER,
  storageClassOf,
} from '../controller/annotations.ts';
import { isBoundTo, isReservedFor } from '../controller/claim-ref.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import { pointAt, testOfClaim } from './cures.ts';
import type { Cure } from './finding.ts';
import { createCommand, deleteCommand, patchCommand, pointer } from './kubectl.ts';
import { eventsAbout, timeOf } from './provisioning.ts';
import { claimNamedBy, keyText, type Scene, type Verdict } from './scene.ts';

/** The claim's volume was deleted under it (field reports 10 and 32). */
export async function volumeGone(scene: Scene, claim: PersistentVolumeClaim): Promise<Verdict> {
  const name = claim.spec.volumeName ?? '';
  return {
    cause: 'volume-gone',
    why: [
      `Volume ${name} does not exist any more: it was deleted although the claim was bound to it.`,
      'Where its policy was Retain, or its driver did not delete it, the storage itself may still be there.',
      'The claim is Bound again as soon as a volume of that name exists for it.',
    ],
    cures: [
      restoreVolume(claim, name),
      giveUp(claim, 'The claim goes, and with it the only record of which volume it had.'),
    ],
    since: await lostSince(scene, claim),
  };
}

/** The claim was bound, and somebody took `spec.volumeName` away. */
export async function lostName(scene: Scene, claim: PersistentVolumeClaim): Promise<Verdict> {
  const reserved = scene.volumes.reservedFor(claim.metadata).filter((volume) => isReservedFor(volume, claim));
  // One that is reserved by name only never was the claim's: named, it would have the claim's own volume released.
  const own = reserved.find((volume) => isBoundTo(volume, claim)) ?? reserved[0];
  const cures: Cure[] = [];
  if (own !== undefined) {
    cures.push({
      does: `Name volume ${own.metadata.name} again, which is for this claim`,
      command: patchCommand(claim, [{ op: 'add', path: '/spec/volumeName', value: own.metadata.name }]),
    });
  } else {
    const mark = { op: 'remove', path: pointer('metadata', 'annotations', BIND_COMPLETED) } as const;
    cures.push({
      does: 'Let the claim be bound anew, to any volume that fits',
      command: patchCommand(claim, [mark]),
      danger: 'The claim gets another volume; what it had is not on it.',
    });
  }
  return {
    cause: 'volume-name-lost',
    why: [
      `The claim was bound (${BIND_COMPLETED}) and names no volume any more.`,
      own === undefined ? 'No volume names this claim.' : `Volume ${own.metadata.name} is for this claim.`,
    ],
    cures,
    since: await lostSince(scene, claim),
  };
}

/** The volume is there and names another claim, or this one without its uid (field reports 12 and 14). */
export async function misbound(scene: Scene, claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<Verdict> {
  const { name } = volume.metadata;
  const { namespace = '', name: ownerName = '', uid } = volume.spec.claimRef ?? {};
  const since = await lostSince(scene, claim);
  if (isReservedFor(volume, claim)) {
    return {
      cause: 'uid-wiped',
      why: [
        `Volume ${name} names this claim without its uid, as a manifest does that is applied again over a bound volume.`,
        'While that is so, the volume counts as reserved and not as bound.',
        `Keep spec.claimRef out of what is applied to volume ${name}, or it happens again.`,
      ],
      cures: [restoreUid(volume, claim)],
      since,
    };
  }
  const owner = { namespace, name: ownerName };
  const living = await claimNamedBy(scene, volume);
  const isLiving = living !== undefined && isReservedFor(volume, living);
  const isSameName = namespace === claim.metadata.namespace && ownerName === claim.metadata.name;
  const whose = isSameName ? `an earlier claim of this name (uid ${uid})` : `claim ${keyText(owner)}`;
  const state = isLiving ? `which is ${living.status?.phase}` : 'which does not exist';
  const back = pointAt(volume, claim, `Give volume ${name} back to this claim`);
  const strange = { danger: `This claim gets the data that ${keyText(owner)} left on the volume.` };
  return {
    cause: 'misbound',
    why: [`The claim names volume ${name}; the volume names ${whose}, ${state}. A volume serves one claim.`],
    cures: isLiving
      ? [
          giveUp(claim, 'The claim goes; its data is on a volume that another claim has now.'),
          { ...back, danger: `Claim ${keyText(owner)} loses the volume, and its pods with it.` },
        ]
      : [{ ...back, ...(!isSameName && strange) }],
    since,
  };
}

/** Puts the uid back that makes a reservation a binding. */
export function restoreUid(volume: PersistentVolume, claim: PersistentVolumeClaim): Cure {
  const { namespace, name, uid } = claim.metadata;
  return {
    does: `Bind volume ${volume.metadata.name} to claim ${namespace}/${name} again`,
    command: patchCommand(volume, [...testOfClaim(volume), { op: 'add', path: '/spec/claimRef/uid', value: uid }]),
  };
}

function giveUp(claim: PersistentVolumeClaim, danger: string): Cure {
  return { does: 'Give the claim up', command: deleteCommand('pvc', claim.metadata), danger };
}

/** The volume as far as the claim remembers it; where the storage is, only its owner knows. */
function restoreVolume(claim: PersistentVolumeClaim, name: string): Cure {
  const { namespace, name: claimName, uid } = claim.metadata;
  const provisioner = annotationOf(claim, MIGRATED_TO) || annotationOf(claim, STORAGE_PROVISIONER);
  // A plugin's name is none that a CSI source may have.
  const driver = provisioner && isInTreeName(provisioner) ? undefined : provisioner;
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: claim.spec.resources?.requests?.['storage'] },
      accessModes: claim.spec.accessModes,
      volumeMode: claim.spec.volumeMode,
      storageClassName: storageClassOf(claim),
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name: claimName, uid },
      csi: { driver: driver ?? 'DRIVER', volumeHandle: 'VOLUME_HANDLE' },
    },
  };
  const unknown = [...(driver === undefined ? ['DRIVER'] : []), 'VOLUME_HANDLE'];
  return {
    does: `Make the volume again for the storage that is still there; put ${unknown.join(' and ')} in`,
    command: createCommand(volume),
  };
}

async function lostSince(scene: Scene, claim: PersistentVolumeClaim): Promise<string | undefined> {
  const lost = (await eventsAbout(scene, claim)).find(
    ({ reason }) => reason === 'ClaimLost' || reason === 'ClaimMisbound',
  );
  return lost && timeOf(lost);
}
