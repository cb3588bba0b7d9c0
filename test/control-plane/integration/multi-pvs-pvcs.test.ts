/** Many pairs at once, while somebody else writes to the same objects. */
import { randomInt } from 'node:crypto';
import { expect } from 'vitest';
import type { ApiClient } from '../harness.ts';
import { eventually, volumesPath } from '../objects.ts';
import { costOf } from './cost.ts';
import { claim, volume } from './objects.ts';
import { describeScenarios, objectCount } from './scenario.ts';

describeScenarios('many pairs', {}, (scenario) => {
  scenario(
    'MultiPVsPVCs: 100 claims and 100 volumes are bound while their annotations change',
    'multi-pvs-pvcs',
    async ({ world, controller }) => {
      const names = Array.from({ length: objectCount }, (_, i) => i);
      await Promise.all(names.map((i) => world.createVolume(volume(`pv-${i}`, '1G'))));
      await world.untilVolumes('Available', objectCount);

      await controller.settled();
      const cost = costOf(controller);
      const disturber = startDisturber(world.client);
      for (const i of names) await world.createClaim(claim(`pvc-${i}`, '1G'));
      await world.untilClaims('Bound', objectCount);
      await eventually('every volume Bound', async () =>
        (await world.listVolumes()).every(({ status }) => status.phase === 'Bound'),
      );
      await disturber.stop();

      const [volumes, claims] = [await world.listVolumes(), await world.listClaims()];
      const pairs = claims.map(({ metadata, spec }) => [metadata.name, spec.volumeName]).sort();
      expect(pairs).toHaveLength(objectCount);
      expect(volumes.map(({ metadata, spec }) => [spec.claimRef?.name, metadata.name]).sort()).toEqual(pairs);
      expect(disturber.written).toBeGreaterThan(0);
      await controller.settled();
      cost.say(objectCount);
    },
  );

  scenario(
    'MultiPVsPVCs, undisturbed: four writes make a pair',
    'multi-pvs-pvcs-calm',
    async ({ world, controller }) => {
      const names = Array.from({ length: objectCount }, (_, i) => i);
      await Promise.all(names.map((i) => world.createVolume(volume(`pv-${i}`, '1G'))));
      await world.untilVolumes('Available', objectCount);
      await controller.settled();
      const cost = costOf(controller);

      for (const i of names) await world.createClaim(claim(`pvc-${i}`, '1G'));
      await world.untilClaims('Bound', objectCount);
      await world.untilVolumes('Bound', objectCount);
      await controller.settled();

      cost.say(objectCount);
      if (controller.kind !== 'ours') return;
      expect(cost.writes()).toBe(4 * objectCount);
      // One for the claim; one more where the protection finalizer comes while the claim waits in the queue.
      expect(cost.messages()).toBeLessThanOrEqual(4 * objectCount);
    },
  );
});

/** Changes an annotation of a random volume or claim, over and over. Errors do not matter: the objects may be missing. */
function startDisturber(client: ApiClient) {
  let isStopping = false;
  let written = 0;
  const disturb = async () => {
    while (!isStopping) {
      const i = randomInt(objectCount);
      // The claims of this scenario are in another namespace: as upstream, only volumes are really hit.
      const path =
        randomInt(2) === 0 ? `${volumesPath}/pv-${i}` : `/api/v1/namespaces/default/persistentvolumeclaims/pvc-${i}`;
      const { status, body } = await client.request<{ metadata: { annotations?: object } }>('GET', path);
      if (status !== 200) continue;
      const annotations = { ...body.metadata.annotations, TestAnnotation: String(randomInt(1_000_000)) };
      const answer = await client.request('PUT', path, { ...body, metadata: { ...body.metadata, annotations } });
      if (answer.status === 200) written += 1;
    }
  };
  const disturbing = disturb();
  return {
    get written() {
      return written;
    },
    stop: async () => {
      isStopping = true;
      await disturbing;
    },
  };
}
