/** Failures of the API server or of a proxy in place of bound objects: nothing is released, lost or deleted by them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resourceOf } from '../../local/api-server/resources.ts';
import { FAULTS, type FaultyWorld, startFaultyWorld } from './faults.ts';
import { boundPair } from './objects.ts';
import { redrive } from './queue-tools.ts';
import { eventually } from './world.ts';

let world: FaultyWorld;
let count = 0;

beforeAll(async () => {
  world = await startFaultyWorld();
});
afterAll(() => world.stop());

/** A bound pair whose volume would be deleted as soon as it is released. */
async function createBoundPair(): Promise<string> {
  const name = `bound-${++count}`;
  await world.objects.createVolume(name, { storageClassName: name, persistentVolumeReclaimPolicy: 'Delete' });
  await world.objects.createClaim(name, { storageClassName: name });
  const pair = boundPair(name, name);
  await eventually(pair, async () => (await world.objects.pair(name, name)) === pair);
  return name;
}

const keysOf = (name: string) => [`PersistentVolume/${name}`, `PersistentVolumeClaim/default/${name}`];

async function redriveBoth(name: string): Promise<void> {
  await redrive(world.system, { kind: 'PersistentVolume', name });
  await redrive(world.system, { kind: 'PersistentVolumeClaim', namespace: 'default', name });
}

describe.concurrent.each(Object.entries(FAULTS))('%s', (_, fault) => {
  test.each(['persistentvolumeclaims', 'persistentvolumes'])(
    'as the answer about bound %s: both stay as they are, and their keys come back until it is over',
    async (plural) => {
      const name = await createBoundPair();
      const [volume, claim] = [await world.objects.volume(name), await world.objects.claim(name)];

      const failing = world.fail(fault, `get ${plural}`, name);
      await redriveBoth(name);
      const hasComeBack = (key: string) => world.failed.some((failed) => failed.key === key && failed.receiveCount > 1);
      await eventually('both keys come back', () => keysOf(name).every(hasComeBack)).finally(failing.heal);
      const done = world.done.length;
      for (const key of keysOf(name)) {
        await eventually(`${key} done`, () => world.done.slice(done).some((call) => call.key === key));
      }

      expect(await world.objects.volume(name)).toEqual(volume);
      expect(await world.objects.claim(name)).toEqual(claim);
    },
  );
});

describe('a claim whose volume cannot be read, and a volume whose claim cannot be read', () => {
  test('learn the truth as soon as the server tells it: that both are gone', async () => {
    const [claimName, volumeName] = [await createBoundPair(), await createBoundPair()];
    const page = FAULTS['a 404 page of a proxy'] ?? 'cut';
    const failing = [
      world.fail(page, 'get persistentvolumeclaims', claimName),
      world.fail(page, 'get persistentvolumes', volumeName),
    ];
    world.server.operations.delete(target('persistentvolumeclaims', claimName));
    world.server.operations.delete(target('persistentvolumes', volumeName));
    const hasFailed = () => failing.every(({ hits }) => hits.length >= 3);
    const phases = await eventually('failures of both', hasFailed)
      .then(async () => [world.phases.get(claimName)?.at(-1), (await world.objects.claim(volumeName)).status?.phase])
      .finally(() => failing.forEach(({ heal }) => void heal()));
    expect(phases).toEqual(['Bound', 'Bound']);
    await world.system.settled();

    expect(world.phases.get(claimName)?.slice(-2)).toEqual(['Released', 'deleted']);
    expect((await world.objects.claim(volumeName)).status?.phase).toBe('Lost');
  });
});

type Target = Parameters<FaultyWorld['server']['operations']['delete']>[0];

function target(plural: string, name: string): Target {
  const namespace = plural === 'persistentvolumeclaims' ? 'default' : undefined;
  return { resource: resourceOf(plural), namespace, name };
}
