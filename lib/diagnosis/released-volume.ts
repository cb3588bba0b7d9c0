/** A Released volume: what its policy makes of it, whom that takes, and how it is freed. */
import { hasAnnotation, RECYCLER_POD, reclaimPolicyOf } from '../controller/annotations.ts';
import type { PersistentVolume } from '../controller/types.ts';
import { destroyData, openRelease, softRelease } from './cures.ts';
import { deleterOf, diagnoseDeleter } from './deleter.ts';
import type { Cure } from './finding.ts';
import { deleteCommand } from './kubectl.ts';
import { eventOf, nextOf, type Rehearsal } from './rehearse.ts';
import { claimNamedBy, ended, keyText, type Scene, type Verdict } from './scene.ts';

export async function diagnoseReleasedVolume(
  scene: Scene,
  volume: PersistentVolume,
  rehearsal: Rehearsal,
): Promise<Verdict> {
  const { name } = volume.metadata;
  if (rehearsal.transitions.some(({ to }) => to !== 'deleted' && to !== 'Failed')) {
    return { cause: 'controller-behind', why: [`Its claim is back or it was freed: ${nextOf(rehearsal)}.`] };
  }
  switch (reclaimPolicyOf(volume)) {
    case 'Retain':
      return await retained(scene, volume);
    case 'Recycle':
      return recycled(volume, rehearsal);
    default: {
      const failed = eventOf(rehearsal, 'VolumeFailedDelete', 'VolumeUnknownReclaimPolicy');
      if (failed !== undefined || rehearsal.writes.length > 0) {
        return {
          cause: 'controller-behind',
          why: [`Volume ${name} has policy Delete: ${nextOf(rehearsal)}.`, ...said(failed?.message)],
        };
      }
      return await diagnoseDeleter(scene, volume);
    }
  }
}

async function retained(scene: Scene, volume: PersistentVolume): Promise<Verdict> {
  const { namespace = '', name = '', uid } = volume.spec.claimRef ?? {};
  const successor = await claimNamedBy(scene, volume);
  const key = keyText({ namespace, name });
  const why = [
    `Claim ${key} (uid ${uid}) is gone; policy Retain keeps the volume and its data until somebody decides.`,
  ];
  if (successor !== undefined) {
    const { status, spec } = successor;
    const has = spec.volumeName ? `bound to volume ${spec.volumeName}` : (status?.phase ?? 'Pending');
    why.push(`A claim of that name exists again, ${has}: it is another one, with another uid.`);
  }
  const end: Cure[] =
    deleterOf(volume) === undefined
      ? [
          {
            does: 'Take the volume out of the cluster and leave its storage alone',
            command: deleteCommand('pv', volume.metadata),
            danger: 'The storage stays, and nothing in the cluster knows of it any more.',
          },
        ]
      : [destroyData(volume)];
  return { cause: 'retained', why, cures: [softRelease(volume), openRelease(volume), ...end] };
}

/** This controller ends its pod, which it has on record; the built-in one lets its own go on. */
const SCRUBS_ON = 'A pod that scrubs already goes on, also over what the next claim writes: end it first.';

function recycled(volume: PersistentVolume, rehearsal: Rehearsal): Verdict {
  const event = eventOf(rehearsal, 'VolumeFailedRecycle');
  const keep = softRelease(volume, 'Keep the data instead, for the next claim of that name');
  if (event === undefined) {
    const stop = softRelease(volume, 'Keep what is not scrubbed yet, for the next claim of that name');
    return {
      cause: 'being-recycled',
      why: [`Policy Recycle: a pod scrubs volume ${volume.metadata.name}, then it is Available.`],
      cures: [hasAnnotation(volume, RECYCLER_POD) ? stop : { ...stop, danger: SCRUBS_ON }],
    };
  }
  if (event.type === 'Warning') {
    return { cause: 'recycle-failed', why: said(event.message), cures: [keep] };
  }
  const { namespace } = volume.spec.claimRef ?? {};
  const pods = event.message
    .replace(/^[^:]*: /, '')
    .split(',')
    .map((pod) => pod.split('/').at(-1) ?? '');
  const ends = pods.map(
    (name): Cure => ({
      does: `End pod ${name}`,
      command: deleteCommand('pod', { ...(namespace !== undefined && { namespace }), name }),
      danger: 'The pod goes, and then the volume is scrubbed.',
    }),
  );
  return {
    cause: 'recycle-in-use',
    why: [`${event.message}; their claim is gone, and the volume is scrubbed when they are too.`],
    cures: [...ends, keep],
  };
}

function said(message: string | undefined): string[] {
  return message === undefined ? [] : [ended(message)];
}
