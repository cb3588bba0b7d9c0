/** What becomes of a volume when its claim is deleted: that is its reclaim policy's to say. */
import type { Chapter, Situation } from '../chapter.ts';
import { claimIs, that, volumeIs } from '../checks.ts';
import { CLASS } from '../provisioner.ts';
import { pathOf, type VolumeOptions } from '../user.ts';
import type { World } from '../world.ts';

export const retain: Chapter<World> = {
  name: 'retain',
  title: 'A claim is deleted: Retain',
  story: 'The data stays where it is. The volume is Released: nobody gets it until somebody has looked at it.',
  given: pairWithData('books', 'Retain'),
  acts: [
    {
      does: 'You delete claim shop/books.',
      cause: 'claim shop/books was deleted',
      run: ({ user }) => user.deleteClaim('shop/books'),
      checks: [
        claimIs('shop/books', 'gone'),
        volumeIs('disk-books', 'Released, claim shop/books that is gone'),
        filesAre('disk-books', 'data.txt'),
      ],
    },
  ],
};

export const deletePolicy: Chapter<World> = deletion();

function deletion(): Chapter<World> {
  let volumeName = '';
  let deletedBefore = 0;
  return {
    name: 'delete',
    title: 'A claim is deleted: Delete',
    story:
      'The controller only marks the volume Released. Its provisioner, who made the disk, deletes it, and then the volume; a finalizer holds the volume until then.',
    given: {
      says: `claim shop/cache of class ${CLASS}, bound to the volume that was made for it.`,
      run: ({ user }) => user.createClaim('shop/cache', '1Gi', CLASS),
    },
    acts: [
      {
        does: 'You delete claim shop/cache.',
        cause: 'claim shop/cache was deleted',
        run: async ({ user, meter }) => {
          volumeName = (await user.claim('shop/cache'))?.spec.volumeName ?? '';
          if (volumeName === '') throw new Error('claim shop/cache was not bound');
          deletedBefore = meter.deletedVolumes;
          await user.deleteClaim('shop/cache');
        },
        checks: [
          claimIs('shop/cache', 'gone'),
          that('its volume is gone, and the disk too', async ({ user, provisioner }) => {
            const volume = await user.volume(volumeName);
            if (volume !== undefined) return `volume ${volumeName}: ${volume.status?.phase}`;
            return provisioner.hasDisk(volumeName) ? 'the disk is left' : undefined;
          }),
          that('the controller itself deleted nothing', async ({ meter }) => {
            const count = meter.deletedVolumes - deletedBefore;
            return count === 0 ? undefined : `it deleted ${count} volumes`;
          }),
        ],
      },
    ],
  };
}

export const recycle: Chapter<World> = {
  name: 'recycle',
  title: 'A claim is deleted: Recycle',
  story:
    'A pod empties the volume, and it is free again. No worker waits for the pod: its end is an event like any other.',
  given: pairWithData('drafts', 'Recycle'),
  acts: [
    {
      does: 'You delete claim shop/drafts.',
      cause: 'claim shop/drafts was deleted',
      run: ({ user }) => user.deleteClaim('shop/drafts'),
      checks: [claimIs('shop/drafts', 'gone'), volumeIs('disk-drafts', 'Available, free'), filesAre('disk-drafts', '')],
    },
  ],
};

/** A claim `shop/<name>` bound to volume `disk-<name>`, with a file on it. */
function pairWithData(name: string, policy: NonNullable<VolumeOptions['policy']>): Situation<World> {
  return {
    says: `claim shop/${name}, bound to volume disk-${name} (${policy}), with a file on it.`,
    run: async ({ user, node }) => {
      await user.createVolume(`disk-${name}`, '1Gi', { policy });
      await user.createClaim(`shop/${name}`, '1Gi');
      await node.write(pathOf(`disk-${name}`), 'data.txt', 'not to be lost');
    },
  };
}

function filesAre(volumeName: string, wanted: string) {
  return that<World>(`files on ${volumeName}: ${wanted || 'none'}`, async ({ node }) => {
    const files = (await node.files(pathOf(volumeName))).join(', ');
    return files === wanted ? undefined : files || 'none';
  });
}
