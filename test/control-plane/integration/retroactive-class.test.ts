/** Claims without any class, before and after there is a default one. */
import { expect } from 'vitest';
import { eventually, volumesPath } from '../objects.ts';
import { claim, storageClass, volume } from './objects.ts';
import { describeScenarios } from './scenario.ts';
import type { World } from './world.ts';

const modes = ['ReadWriteMany'] as const;
const noClass = { modes, storageClassName: undefined };

// Only the admission that gives new claims the default class is off: here that is the controller's task.
const plane = { disableAdmission: ['DefaultStorageClass'] };

describeScenarios('a default class that comes late', { plane }, (scenario) => {
  scenario(
    'RetroactiveStorageClassAssignment: a claim without a class gets the default one, unless a volume fits',
    'retro-pvc-sc',
    async ({ world, controller: { provisioner } }) => {
      await world.createClass(storageClass('silver', provisioner, false));

      // 1: there is no default class.
      await world.createVolume(volume('pv-1', '5G', { modes }));
      await world.createClaim(claim('pvc-1', '5G', noClass));
      await untilBoundTogether(world, 'pvc-1', 'pv-1');

      // 2: a default class appears.
      await world.createClaim(claim('pvc-provision-noclass', '5G', noClass));
      await world.createClass(storageClass('gold', provisioner, true));
      await eventually('class gold', async () => (await classOf(world, 'pvc-provision-noclass')) === 'gold');
      const provisioned = await untilBound(world, 'pvc-provision-noclass');
      expect((await world.volume(provisioned)).spec.storageClassName).toBe('gold');

      // 3: a volume without a class goes before the default class.
      await world.createVolume(volume('pv-3', '5G', { modes }));
      await world.volumes.until('pv-3 Available', (events) =>
        events.some(({ object }) => object.metadata.name === 'pv-3' && object.status.phase === 'Available'),
      );
      await world.createClaim(claim('pvc-3', '5G', noClass));
      await untilBoundTogether(world, 'pvc-3', 'pv-3');
      expect(await classOf(world, 'pvc-3')).toBeUndefined();
      await world.createVolume(volume('pv-unbound', '5G', { modes }));
      await world.untilPassed('pv-unbound', 'Available');
      expect((await world.volume('pv-unbound')).spec.claimRef).toBeUndefined();
      await world.client.request('DELETE', `${volumesPath}/pv-unbound`);
      await world.volumes.until('pv-unbound gone', (events) => events.some(({ type }) => type === 'DELETED'));

      // 4: an empty class is a class.
      await world.createClaim(claim('pvc-4', '5G', { modes }));
      await world.createVolume(volume('pv-4', '5G', { modes }));
      await untilBoundTogether(world, 'pvc-4', 'pv-4');

      const classes = (await world.listClaims()).map(({ spec }) => spec.storageClassName);
      expect(classes).not.toContain('silver');
    },
  );
});

async function classOf(world: World, claimName: string): Promise<string | undefined> {
  return (await world.claim(claimName)).spec.storageClassName;
}

/** Waits until the claim is Bound; gives its volume's name. */
async function untilBound(world: World, claimName: string): Promise<string> {
  return await world.claims.until(`${claimName} Bound`, (events) => {
    const bound = events.find(({ object }) => object.metadata.name === claimName && object.status.phase === 'Bound');
    return bound?.object.spec.volumeName;
  });
}

async function untilBoundTogether(world: World, claimName: string, volumeName: string): Promise<void> {
  expect(await untilBound(world, claimName)).toBe(volumeName);
  await world.untilPassed(volumeName, 'Bound');
  expect((await world.volume(volumeName)).spec.claimRef?.name).toBe(claimName);
}
