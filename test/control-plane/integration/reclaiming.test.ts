/** What becomes of volumes whose claim is deleted. */
import { expect } from 'vitest';
import { startFakeKubelet } from '../fake-kubelet.ts';
import { eventually } from '../objects.ts';
import { claim, storageClass, volume } from './objects.ts';
import { describeScenarios, objectCount } from './scenario.ts';

describeScenarios('reclaiming', {}, (scenario) => {
  scenario(
    'Recycler: a volume with policy Recycle is Released, then Available',
    'pv-recycler',
    async ({ world, controller: { recyclerNamespace } }) => {
      const kubelet = recyclerNamespace && startFakeKubelet(world.client, recyclerNamespace);
      try {
        await world.createVolume(volume('fake-pv-recycler', '10G', { policy: 'Recycle' }));
        await world.createClaim(claim('fake-pvc-recycler', '5G'));
        await Promise.all([world.untilVolumes('Bound'), world.untilClaims('Bound')]);

        await world.deleteClaim('fake-pvc-recycler');

        await world.untilPassed('fake-pv-recycler', 'Bound', 'Released', 'Available');
        if (kubelet) expect(kubelet.ran).toEqual(['recycler-for-fake-pv-recycler']);
      } finally {
        if (kubelet) await kubelet.stop();
      }
    },
  );

  scenario('Deleter: a volume with policy Delete is Released, then gone', 'pv-deleter', async ({ world }) => {
    await world.createVolume(volume('fake-pv-deleter', '10G', { policy: 'Delete' }));
    await world.createClaim(claim('fake-pvc-deleter', '5G'));
    await Promise.all([world.untilVolumes('Bound'), world.untilClaims('Bound')]);

    await world.deleteClaim('fake-pvc-deleter');

    await world.untilPassed('fake-pv-deleter', 'Bound', 'Released');
    await world.volumes.until('a deleted volume', (events) => events.at(-1)?.type === 'DELETED');
  });

  scenario(
    'ProvisionMultiPVCs: 100 claims are provisioned, and their volumes go with them',
    'provision-multi-pvs',
    async ({ world, controller: { provisioner } }) => {
      await world.createClass(storageClass('gold', provisioner));
      for (let i = 0; i < objectCount; i++) {
        await world.createClaim(claim(`pvc-provision-${i}`, '1G', { storageClassName: 'gold' }));
      }
      await world.untilClaims('Bound', objectCount);
      // A claim is Bound a moment after its volume.
      const phases = (await world.listVolumes()).map(({ status }) => status.phase);
      expect(phases).toEqual(Array(objectCount).fill('Bound'));

      const claims = await world.listClaims();
      await Promise.all(claims.map(({ metadata }) => world.deleteClaim(metadata.name)));

      await eventually('no volumes', async () => (await world.listVolumes()).length === 0);
    },
  );
});
