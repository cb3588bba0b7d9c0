/** Another writer that keeps changing a field back: the pipeline stops after a few times, and says so (DESIGN D9). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiServerCluster } from '../../lib/cluster/api-server.ts';
import type { PersistentVolume } from '../../lib/controller/types.ts';
import { keyOf } from '../../lib/queue/message.ts';
import type { FlipError } from '../../lib/worker/flip-detector.ts';
import { eventually, startWorld, type World } from './world.ts';

/** More than enough for a fight without end. */
const ROUNDS = 12;

let world: World;
let other: ApiServerCluster;
const flips: { key: string; error: FlipError }[] = [];

beforeAll(async () => {
  world = await startWorld({
    system: { hooks: { onFlip: (key, error) => flips.push({ key: keyOf(key), error }) } },
  });
  other = new ApiServerCluster({ server: world.server.url, token: async () => 'another-controller' });
});
afterAll(async () => {
  other.close();
  await world.stop();
});

async function setPhase(name: string, phase: string): Promise<void> {
  const volume = await world.objects.volume(name);
  await other.updateStatus('PersistentVolume', { ...volume, status: { ...volume.status, phase } } as PersistentVolume);
}

test('a phase that another writer changes back each time is written four times, and then left to it', async () => {
  await world.objects.createVolume('fought-over');
  for (let round = 0; round < ROUNDS; round++) {
    await world.system.settled();
    if ((await world.objects.volume('fought-over')).status?.phase === 'Available') {
      await setPhase('fought-over', 'Pending');
    }
  }
  await eventually('it is told', () => flips.length > 0);
  await world.system.settled();

  const written = world.phases.get('fought-over')?.filter((phase) => phase === 'Available');
  expect(written).toHaveLength(4);
  expect(flips[0]).toMatchObject({ key: 'PersistentVolume/fought-over' });
  expect(flips[0]?.error.message).toContain('has undone status.phase 3 times');
  expect(world.failed).toEqual([]);
});

test('meanwhile other volumes are worked on', async () => {
  await world.objects.createVolume('left-alone');
  await world.system.settled();
  expect(world.phases.get('left-alone')?.at(-1)).toBe('Available');
});
