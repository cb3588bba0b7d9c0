/** B5 and DESIGN D12: a recycler pod that somebody else made says nothing about the volume. */
import { expect } from 'vitest';
import type { Scenario } from './describe-field.ts';
import { RecyclerNode } from './recycler.ts';

const recycle = { persistentVolumeReclaimPolicy: 'Recycle' };

export function forgedPods(scenario: Scenario): void {
  scenario('B5/D12 a pod that was there under that name before is not believed', async ({ place, controller }) => {
    const node = new RecyclerNode(place, controller.recyclerNamespace);
    await place.createVolume('early', { spec: recycle });
    await place.createClaim('x');
    await place.untilBound('early', 'x');
    const forged = await node.forge('early');

    await place.release('x', 'early', 'Failed');

    expect((await place.volume('early')).status?.message).toBe(
      'Recycle failed: old recycler pod found, will retry later',
    );
    const genuine = await node.untilPod('early', forged);
    await controller.settled();
    expect(await place.phasesOf('early')).toEqual(['Pending', 'Available', 'Bound', 'Released', 'Failed']);
    await node.end(genuine, { phase: 'Succeeded' });
    await place.untilVolume('early', 'Available');
  });

  scenario('B5/D12 a pod that takes the place of the real one is not believed', async ({ place, controller }) => {
    const node = new RecyclerNode(place, controller.recyclerNamespace);
    await place.createVolume('swapped', { spec: recycle });
    await place.createClaim('x');
    await place.untilBound('swapped', 'x');
    await place.release('x', 'swapped');
    const genuine = await node.untilPod('swapped');

    const forged = await node.replace('swapped');

    const second = await node.untilPod('swapped', genuine, forged);
    await controller.settled();
    expect((await place.phasesOf('swapped')).slice(3)).not.toContain('Available');
    await node.end(second, { phase: 'Succeeded' });
    await place.untilVolume('swapped', 'Available');
  });

  scenario('B5/D12 a forged pod that nobody can delete keeps the volume from being used', async (stage) => {
    const { place, controller } = stage;
    const node = new RecyclerNode(place, controller.recyclerNamespace);
    await place.createVolume('blocked', { spec: recycle });
    await place.createClaim('x');
    await place.untilBound('blocked', 'x');
    const forged = await node.forge('blocked', ['example.com/hold']);

    await place.release('x', 'blocked', 'Failed');
    expect(await controller.fullResyncWrites()).toEqual([]);
    expect((await place.phasesOf('blocked')).slice(-2)).toEqual(['Released', 'Failed']);

    await place.request('PATCH', node.path('blocked'), { metadata: { finalizers: null } });
    await node.end(await node.untilPod('blocked', forged), { phase: 'Succeeded' });
    await place.untilVolume('blocked', 'Available');
  });
}
