/** Volumes that somebody else deletes (DESIGN D12): Released is all that this controller says of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { simulatedPlugin } from '../../local/simulated-plugin.ts';
import { csi } from './objects.ts';
import { redrive } from './queue-tools.ts';
import { startWorld, type World } from './world.ts';

const LIFE = ['Pending', 'Available', 'Bound', 'Released'];
const by = (provisioner: string) => ({ annotations: { 'pv.kubernetes.io/provisioned-by': provisioner } });

const VOLUMES = {
  'a static CSI volume': csi('static'),
  'a CSI volume of its driver’s provisioner': { ...csi('dynamic'), ...by('ebs.csi.aws.com') },
  'a hostPath volume of an external provisioner': by('external.example.com/nfs'),
  'a migrated in-tree volume': { awsElasticBlockStore: { volumeID: 'vol-1' }, ...by('kubernetes.io/aws-ebs') },
};

describe.each([
  ['with an in-tree plugin that claims every volume', () => [simulatedPlugin]],
  ['without in-tree plugins', () => []],
] as const)('%s', (_, plugins) => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld({ system: { plugins } });
  });
  afterAll(() => world.stop());

  test.concurrent.each(Object.entries(VOLUMES))(
    '%s with policy Delete ends Released, and is never Failed',
    async (what, more) => {
      const name = what.replace(/[^a-z]+/gi, '-').toLowerCase();
      const storageClassName = name;
      await world.objects.createVolume(name, { ...more, storageClassName, persistentVolumeReclaimPolicy: 'Delete' });
      await world.objects.createClaim(name, { storageClassName });
      await world.system.settled();
      await world.objects.deleteClaim(name);
      await world.system.settled();
      expect(world.phases.get(name)).toEqual(LIFE);

      const released = await world.objects.volume(name);
      for (let round = 0; round < 3; round++) await redrive(world.system, { kind: 'PersistentVolume', name });
      await world.system.settled();

      expect(await world.objects.volume(name)).toEqual(released);
      expect(world.phases.get(name)).toEqual(LIFE);
      expect(world.failed).toEqual([]);
    },
  );
});
