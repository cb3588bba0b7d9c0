/** Which volume a claim gets. */
import { randomInt } from 'node:crypto';
import { expect } from 'vitest';
import { volumesPath } from '../objects.ts';
import { claim, volume } from './objects.ts';
import { describeScenarios, objectCount } from './scenario.ts';
import type { World } from './world.ts';

describeScenarios('binding', {}, (scenario) => {
  scenario(
    'BindRace: of 101 claims, a volume that names one without its uid is bound to that one',
    'pv-bind-race',
    async ({ world }) => {
      for (let i = 1; i <= objectCount + 1; i++) await world.createClaim(claim(`fake-pvc-race-${i}`, '5G'));
      const picked = await world.claim(`fake-pvc-race-${randomInt(1, objectCount)}`);
      const { name, namespace } = picked.metadata;
      const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace };
      await world.createVolume(volume('fake-pv-race', '10G', { spec: { claimRef } }));

      await Promise.all([world.untilVolumes('Bound'), world.untilClaims('Bound')]);

      expect((await world.volume('fake-pv-race')).spec.claimRef).toMatchObject({
        ...claimRef,
        uid: picked.metadata.uid,
      });
      expect(await boundClaims(world)).toEqual([name]);
    },
  );

  scenario('ClaimLabelSelector: a claim gets the volume with its labels', 'pvc-label-selector', async ({ world }) => {
    await world.createVolume(volume('pv-true', '1G', { labels: { foo: 'true' } }));
    await world.createVolume(volume('pv-false', '1G', { labels: { foo: 'false' } }));

    await world.createClaim(claim('pvc-ls-1', '1G', { selector: { matchLabels: { foo: 'true' } } }));

    await untilBoundTo(world, 'pvc-ls-1', 'pv-true', ['pv-false']);
  });

  scenario(
    'ClaimLabelSelectorMatchExpressions: a claim gets the volume that all expressions match',
    'pvc-match-expressions',
    async ({ world }) => {
      await world.createVolume(volume('pv-true', '1G', { labels: { foo: 'valA', bar: '' } }));
      await world.createVolume(volume('pv-false', '1G', { labels: { foo: 'valB', baz: '' } }));

      const matchExpressions = [
        { key: 'foo', operator: 'In', values: ['valA'] },
        { key: 'foo', operator: 'NotIn', values: ['valB'] },
        { key: 'bar', operator: 'Exists' },
        { key: 'baz', operator: 'DoesNotExist' },
      ];
      await world.createClaim(claim('pvc-ls-1', '1G', { selector: { matchExpressions } }));

      await untilBoundTo(world, 'pvc-ls-1', 'pv-true', ['pv-false']);
    },
  );

  scenario(
    'MultiPVs: of 100 volumes, a claim gets the smallest that is large enough',
    'multi-pvs',
    async ({ world }) => {
      for (let i = 0; i < objectCount; i++) await world.createVolume(volume(`pv-${i}`, `${i + 1}G`));
      await world.untilVolumes('Available', objectCount);

      await world.createClaim(claim('pvc-2', '50G'));
      await Promise.all([world.untilVolumes('Bound'), world.untilClaims('Bound')]);

      const bound = (await world.listVolumes()).filter(({ spec }) => spec.claimRef !== undefined);
      expect(bound).toMatchObject([
        { spec: { capacity: { storage: '50G' }, claimRef: { namespace: 'multi-pvs', name: 'pvc-2' } } },
      ]);
      await world.deleteClaim('pvc-2');
      await world.untilVolumes('Released');
    },
  );

  scenario(
    'MultiPVsDiffAccessModes: a claim gets the volume that has its access mode',
    'multi-pvs-diff-access',
    async ({ world }) => {
      await world.createVolume(volume('pv-rwm', '10G', { modes: ['ReadWriteMany'] }));
      await world.createVolume(volume('pv-rwo', '10G', { modes: ['ReadWriteOnce'] }));

      await world.createClaim(claim('pvc-rwm', '5G', { modes: ['ReadWriteMany'] }));

      await untilBoundTo(world, 'pvc-rwm', 'pv-rwm', ['pv-rwo']);
      await world.deleteClaim('pvc-rwm');
      await world.untilVolumes('Released');
    },
  );
});

/** Waits until both are Bound, to each other, and looks whether the other volumes are free. */
async function untilBoundTo(world: World, claimName: string, volumeName: string, free: readonly string[]) {
  await Promise.all([world.untilVolumes('Bound'), world.untilClaims('Bound')]);
  const { metadata, spec } = await world.claim(claimName);
  const { name, namespace, uid } = metadata;
  expect(spec.volumeName).toBe(volumeName);
  expect((await world.volume(volumeName)).spec.claimRef).toMatchObject({ name, namespace, uid });
  for (const other of free) {
    const { body } = await world.client.request('GET', `${volumesPath}/${other}`);
    expect(body).not.toHaveProperty('spec.claimRef');
  }
}

async function boundClaims(world: World): Promise<string[]> {
  return (await world.listClaims())
    .filter(({ status }) => status.phase === 'Bound')
    .map(({ metadata }) => metadata.name);
}
