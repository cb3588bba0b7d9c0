/**
 * A Failed volume: what failed, and how it is tried again. Of a volume that is Failed already the sync says nothing more,
 * so it is asked what it would say of a Released one.
 */
import { reclaimPolicyOf } from '../controller/annotations.ts';
import type { PersistentVolume } from '../controller/types.ts';
import { keepData, openRelease, softRelease } from './cures.ts';
import { deleterOf } from './deleter.ts';
import type { Cure } from './finding.ts';
import { patchCommand } from './kubectl.ts';
import { eventOf, instead, nextOf, type Rehearsal, rehearse } from './rehearse.ts';
import { ended, type Scene, type Verdict } from './scene.ts';

export async function diagnoseFailedVolume(
  scene: Scene,
  volume: PersistentVolume,
  rehearsal: Rehearsal,
): Promise<Verdict> {
  const { name } = volume.metadata;
  if (rehearsal.transitions.some(({ to }) => to !== 'deleted')) {
    return { cause: 'controller-behind', why: [`Its claim is back or it was freed: ${nextOf(rehearsal)}.`] };
  }
  const asReleased = { ...volume, status: { phase: 'Released' } };
  const asked = await rehearse(instead(scene, 'PersistentVolume', asReleased), { kind: 'PersistentVolume', name });
  const event = eventOf(asked, 'VolumeUnknownReclaimPolicy', 'VolumeFailedDelete', 'VolumeFailedRecycle');
  const message = volume.status?.message || event?.message || 'The volume does not say why';
  const free = [softRelease(volume), openRelease(volume)];
  if (event?.reason === 'VolumeUnknownReclaimPolicy') {
    const why = [`${message}: ${reclaimPolicyOf(volume)}.`];
    return { cause: 'policy-unknown', why, cures: [keepData(volume), ...free] };
  }
  switch (reclaimPolicyOf(volume)) {
    case 'Retain':
      return {
        cause: 'retained',
        why: [
          ended(`An earlier reclaim failed: ${message}`),
          'Its policy is Retain now: the data is kept until somebody decides.',
        ],
        cures: free,
      };
    case 'Recycle':
      return { cause: 'recycle-failed', why: [ended(message), 'It is tried again at each sync.'], cures: free };
    default:
      return deleteFailed(volume, message, free);
  }
}

function deleteFailed(volume: PersistentVolume, message: string, free: readonly Cure[]): Verdict {
  const deleter = deleterOf(volume);
  if (deleter === undefined) {
    return { cause: 'delete-failed', why: [ended(message), 'It is tried again at each sync.'], cures: free };
  }
  const release: Cure = {
    does: `Have ${deleter} delete the storage`,
    command: patchCommand(
      volume,
      [
        { op: 'test', path: '/status/phase', value: 'Failed' },
        { op: 'replace', path: '/status/phase', value: 'Released' },
      ],
      'status',
    ),
    danger: 'The data on the volume is destroyed, as its policy Delete says.',
  };
  return {
    cause: 'deleter-locked-out',
    why: [
      `The volume is Failed (${message}), and ${deleter} deletes the storage of Released volumes only.`,
      'A controller that does not know external provisioners put it there; this one leaves such volumes Released.',
    ],
    cures: [...free, release],
  };
}
