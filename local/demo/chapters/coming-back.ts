/** What a volume remembers of its claim is a uid: a name alone gives no right to somebody's data. */
import type { PersistentVolume } from '../../../lib/controller/types.ts';
import type { Chapter, Situation } from '../chapter.ts';
import { claimHasEvent, claimIs, volumeIs } from '../checks.ts';
import type { World } from '../world.ts';

export const sameName: Chapter<World> = {
  name: 'same-name',
  title: 'The same name, another claim',
  story:
    'The new claim has the name of the old one, but is another claim. It must not get the old data by its name alone.',
  given: pair('orders', 'disk-orders'),
  acts: [
    {
      does: 'You delete claim shop/orders, and create it again at once.',
      cause: 'claim shop/orders was replaced',
      run: async ({ user }) => {
        await user.deleteClaim('shop/orders');
        await user.createClaim('shop/orders', '1Gi');
      },
      checks: [
        claimIs('shop/orders', 'Pending, no volume'),
        volumeIs('disk-orders', 'Released, claim shop/orders that is gone'),
      ],
    },
  ],
};

export const freed: Chapter<World> = {
  name: 'freed',
  title: 'Freed by clearing claimRef.uid',
  story:
    'Somebody decides that the new claim may have the old data, and clears claimRef.uid: the volume is then reserved for that name, and the waiting claim gets it.',
  given: {
    says: 'volume disk-mail, Released by a claim that is gone; a new claim shop/mail, Pending.',
    run: async (world) => {
      const { user, system } = world;
      await user.createVolume('disk-mail', '1Gi');
      await user.createClaim('shop/mail', '1Gi');
      await system.settled();
      await user.deleteClaim('shop/mail');
      await user.createClaim('shop/mail', '1Gi');
    },
  },
  acts: [
    {
      does: 'You clear spec.claimRef.uid of volume disk-mail.',
      cause: 'claimRef.uid of disk-mail was cleared',
      run: ({ user }) => user.editVolume('disk-mail', (volume) => withClaimUid(volume, undefined)),
      checks: [claimIs('shop/mail', 'Bound, volume disk-mail'), volumeIs('disk-mail', 'Bound, claim shop/mail')],
    },
  ],
};

export const brokenEdit: Chapter<World> = {
  name: 'broken-edit',
  title: 'An edit gone wrong',
  story:
    'A GitOps tool applies the manifest of a bound volume again, and wipes claimRef.uid. The controller does not guess whose data it is: it says so, and waits. Once the uid is back, so is the pair.',
  given: pair('wiki', 'disk-wiki'),
  acts: [
    {
      does: 'The tool wipes spec.claimRef.uid of volume disk-wiki.',
      cause: 'claimRef.uid of disk-wiki was wiped',
      run: ({ user }) => user.editVolume('disk-wiki', (volume) => withClaimUid(volume, undefined)),
      checks: [
        claimIs('shop/wiki', 'Lost, volume disk-wiki'),
        claimHasEvent('shop/wiki', 'ClaimMisbound'),
        volumeIs('disk-wiki', 'Available, reserved for shop/wiki'),
      ],
    },
    {
      does: 'You put the uid of claim shop/wiki back.',
      cause: 'claimRef.uid of disk-wiki was put back',
      run: async ({ user }) => {
        const uid = (await user.claim('shop/wiki'))?.metadata.uid;
        await user.editVolume('disk-wiki', (volume) => withClaimUid(volume, uid));
      },
      checks: [claimIs('shop/wiki', 'Bound, volume disk-wiki'), volumeIs('disk-wiki', 'Bound, claim shop/wiki')],
    },
  ],
};

function pair(claim: string, volume: string): Situation<World> {
  return {
    says: `claim shop/${claim}, bound to volume ${volume} (Retain).`,
    run: async ({ user }) => {
      await user.createVolume(volume, '1Gi');
      await user.createClaim(`shop/${claim}`, '1Gi');
    },
  };
}

function withClaimUid(volume: PersistentVolume, uid: string | undefined): PersistentVolume {
  const { uid: _old, ...claimRef } = volume.spec.claimRef ?? {};
  return { ...volume, spec: { ...volume.spec, claimRef: uid === undefined ? claimRef : { ...claimRef, uid } } };
}
