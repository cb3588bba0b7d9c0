/** How a claim gets its volume. */
import type { Chapter } from '../chapter.ts';
import { claimHasEvent, claimIs, that, volumeIs } from '../checks.ts';
import { CLASS } from '../provisioner.ts';
import type { World } from '../world.ts';

export const staticBind: Chapter<World> = {
  name: 'static',
  title: 'A claim and a volume pair up',
  story: 'An administrator has written a disk down as a volume. A claim asks for storage; the two are bound.',
  acts: [
    {
      does: 'You create volume disk-1 of 1Gi.',
      cause: 'volume disk-1 was created',
      run: ({ user }) => user.createVolume('disk-1', '1Gi'),
      checks: [volumeIs('disk-1', 'Available, free')],
    },
    {
      does: 'You create claim shop/data, which asks for 1Gi.',
      cause: 'claim shop/data was created',
      run: ({ user }) => user.createClaim('shop/data', '1Gi'),
      checks: [claimIs('shop/data', 'Bound, volume disk-1'), volumeIs('disk-1', 'Bound, claim shop/data')],
    },
  ],
};

export const smallestFit: Chapter<World> = {
  name: 'smallest-fit',
  title: 'The smallest volume that fits',
  story: 'Three volumes are free. A claim gets the one that wastes least; the others stay free.',
  given: {
    says: 'volumes of 2Gi, 5Gi and 10Gi, all free.',
    run: async ({ user }) => {
      await user.createVolume('fit-10', '10Gi');
      await user.createVolume('fit-5', '5Gi');
      await user.createVolume('fit-2', '2Gi');
    },
  },
  acts: [
    {
      does: 'You create claim shop/photos, which asks for 3Gi.',
      cause: 'claim shop/photos was created',
      run: ({ user }) => user.createClaim('shop/photos', '3Gi'),
      checks: [
        claimIs('shop/photos', 'Bound, volume fit-5'),
        volumeIs('fit-5', 'Bound, claim shop/photos'),
        volumeIs('fit-2', 'Available, free'),
        volumeIs('fit-10', 'Available, free'),
      ],
    },
  ],
};

export const preBound: Chapter<World> = {
  name: 'pre-bound',
  title: 'A volume that was reserved',
  story:
    'A volume can be reserved by name for a claim that does not exist yet. Nobody else gets it, and that claim takes it though a smaller one is free.',
  given: {
    says: 'volume vault of 10Gi, reserved for claim shop/ledger; volume small of 1Gi, free.',
    run: async ({ user }) => {
      await user.createVolume('vault', '10Gi', { reservedFor: 'shop/ledger' });
      await user.createVolume('small', '1Gi');
    },
  },
  acts: [
    {
      does: 'You create claim shop/greedy, which asks for 8Gi: only vault would be large enough.',
      cause: 'claim shop/greedy was created',
      run: ({ user }) => user.createClaim('shop/greedy', '8Gi'),
      checks: [claimIs('shop/greedy', 'Pending, no volume'), volumeIs('vault', 'Available, reserved for shop/ledger')],
    },
    {
      does: 'You create claim shop/ledger, which asks for 1Gi.',
      cause: 'claim shop/ledger was created',
      run: ({ user }) => user.createClaim('shop/ledger', '1Gi'),
      checks: [
        claimIs('shop/ledger', 'Bound, volume vault'),
        volumeIs('vault', 'Bound, claim shop/ledger'),
        volumeIs('small', 'Available, free'),
      ],
    },
  ],
};

export const race: Chapter<World> = {
  name: 'race',
  title: 'Two claims race for one volume',
  story:
    'Both are created in the same moment, and two workers may look at them in parallel. Exactly one gets it; the other waits, and is woken as soon as there is another volume.',
  given: { says: 'volume solo of 1Gi, free.', run: ({ user }) => user.createVolume('solo', '1Gi') },
  acts: [
    {
      does: 'You create claims shop/left and shop/right, each asking for 1Gi.',
      cause: 'both claims were created',
      run: ({ user }) => Promise.all([user.createClaim('shop/left', '1Gi'), user.createClaim('shop/right', '1Gi')]),
      checks: [
        that('one claim Bound to solo, the other Pending; solo names the one that won', async ({ user }) => {
          const { winner, loser, text } = await outcome(user);
          if (winner === undefined || loser === undefined) return text;
          const holder = (await user.volume('solo'))?.spec.claimRef?.uid;
          return holder === winner.metadata.uid ? undefined : `${text}; solo names uid ${holder}`;
        }),
      ],
    },
    {
      does: 'You create volume second of 1Gi.',
      cause: 'volume second was created',
      run: ({ user }) => user.createVolume('second', '1Gi'),
      checks: [
        that('both claims are Bound, one to each volume', async ({ user }) => {
          const claims = [await user.claim('shop/left'), await user.claim('shop/right')];
          const volumes = claims.map((claim) => (claim?.status?.phase === 'Bound' ? claim.spec.volumeName : 'none'));
          return volumes.toSorted().join() === 'second,solo' ? undefined : `bound to ${volumes.join(' and ')}`;
        }),
      ],
    },
  ],
};

export const dynamic: Chapter<World> = {
  name: 'dynamic',
  title: 'A provisioner makes a volume',
  story: `A claim of class "${CLASS}" finds no volume. The controller writes the provisioner's name on it; the provisioner, another program, makes a disk and a volume reserved for this claim; the controller binds them.`,
  acts: [
    {
      does: `You create claim shop/web of class ${CLASS}, which asks for 1Gi.`,
      cause: 'claim shop/web was created',
      run: ({ user }) => user.createClaim('shop/web', '1Gi', CLASS),
      checks: [
        that('claim shop/web: Bound to the volume that was made for it', async ({ user }) => {
          const claim = await user.claim('shop/web');
          const isOwn = claim?.spec.volumeName === `pvc-${claim?.metadata.uid}`;
          return isOwn && claim?.status?.phase === 'Bound' ? undefined : `${claim?.status?.phase}`;
        }),
        that('one disk was made', async ({ user, provisioner }) => {
          const claim = await user.claim('shop/web');
          return provisioner.hasDisk(claim?.spec.volumeName ?? '') ? undefined : 'no disk for it';
        }),
        claimHasEvent('shop/web', 'ExternalProvisioning'),
      ],
    },
  ],
};

async function outcome(user: World['user']) {
  const claims = [await user.claim('shop/left'), await user.claim('shop/right')];
  const text = `left ${claims[0]?.status?.phase}, right ${claims[1]?.status?.phase}`;
  const winner = claims.find((claim) => claim?.status?.phase === 'Bound' && claim.spec.volumeName === 'solo');
  const loser = claims.find((claim) => claim?.status?.phase === 'Pending' && !claim.spec.volumeName);
  return { winner, loser, text };
}
