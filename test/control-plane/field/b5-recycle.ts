/** B5: policy Recycle, with the in-tree plugins and their recycler pods. */
import { expect } from 'vitest';
import type { ControllerUnderTest } from '../controller-under-test.ts';
import type { Scenario } from './describe-field.ts';
import type { Told } from './events.ts';
import type { Place } from './place.ts';
import { RecyclerNode } from './recycler.ts';
import { boundTo, refTo } from './states.ts';

const recycled: Told = { type: 'Normal', reason: 'VolumeRecycled', message: 'Volume recycled' };
const recycle = { persistentVolumeReclaimPolicy: 'Recycle' };

export function recycling(scenario: Scenario): void {
  scenario('B5/49 a volume that nothing can recycle is Failed', async ({ place, controller }) => {
    const spec = { ...recycle, hostPath: undefined, csi: { driver: 'd.example.com', volumeHandle: '1' } };
    const volume = await place.createVolume('alien', { spec });
    const user = await place.createClaim('x');
    await place.untilBound('alien', 'x');

    await place.release('x', 'alien', 'Failed');

    const message = 'No recycler plugin found for the volume!';
    await place.untilTold(volume, { type: 'Warning', reason: 'VolumeFailedRecycle', message });
    expect(await controller.fullResyncWrites()).toEqual([]);
    expect(await place.volumeState('alien')).toEqual({ phase: 'Failed', ref: refTo(user), message, bbc: true });
    expect((await place.phasesOf('alien')).slice(-2)).toEqual(['Released', 'Failed']);
    expect(await place.eventsOf(volume)).toHaveLength(1);
  });

  for (const reserved of [false, true]) {
    const end = reserved ? 'and keeps the name that it was reserved for' : 'for anybody';
    scenario(`B5/49 a recycled volume is Available again, ${end}`, async ({ place, controller }) => {
      const node = new RecyclerNode(place, controller.recyclerNamespace);
      const claimRef = reserved ? { namespace: place.namespace, name: 'x' } : undefined;
      const volume = await place.createVolume('again', { spec: { ...recycle, claimRef } });
      await place.createClaim('x');
      await place.untilBound('again', 'x');
      await place.release('x', 'again');
      await node.end(await node.untilPod('again'), { phase: 'Succeeded' });

      await place.untilVolume('again', 'Available');
      await place.untilTold(volume, recycled);
      await place.untilGone(node.path('again'));
      await controller.settled();
      const ref = reserved ? { ref: `${place.namespace}/x` } : {};
      expect(await place.volumeState('again')).toEqual({ phase: 'Available', ...ref });
      expect((await place.phasesOf('again')).slice(-3)).toEqual(['Bound', 'Released', 'Available']);
      expect((await place.volume('again')).metadata.annotations ?? {}).toEqual({});
    });
  }

  for (const [what, change] of [
    ['has ended', (place: Place) => endPod(place, 'user')],
    ['is gone', (place: Place) => place.request('DELETE', `${podPath(place, 'user')}?gracePeriodSeconds=0`)],
  ] as const) {
    scenario(
      `B5/50 a volume is not recycled while a pod uses its claim, and is when the pod ${what}`,
      async (stage) => {
        const { place, controller } = stage;
        const { volume, node } = await releasedUnderPod(place, controller);
        const message = `Volume is used by pods: ${place.namespace}/user`;
        await place.untilTold(volume, { type: 'Normal', reason: 'VolumeFailedRecycle', message });
        expect(await controller.fullResyncWrites()).toEqual([]);
        expect(await place.volumeState('used')).toMatchObject({ phase: 'Released' });
        expect((await place.client.request('GET', node.path('used'))).status).toBe(404);

        await change(place);

        await node.end(await node.untilPod('used'), { phase: 'Succeeded' });
        await place.untilVolume('used', 'Available');
        expect((await place.phasesOf('used')).slice(-3)).toEqual(['Bound', 'Released', 'Available']);
      },
    );
  }

  scenario('B5/50 a pod that uses a newer claim of that name does not keep the old volume', async (stage) => {
    const { place, controller } = stage;
    const { node } = await releasedUnderPod(place, controller);
    await place.createVolume('fresh', { spec: { storageClassName: 'fresh' } });

    await place.createClaim('x', { spec: { storageClassName: 'fresh' } });

    await place.untilBound('fresh', 'x');
    await node.end(await node.untilPod('used'), { phase: 'Succeeded' });
    await place.untilVolume('used', 'Available');
    await controller.settled();
    expect(await place.volumeState('used')).toEqual({ phase: 'Available' });
    expect(await place.claimState('x')).toEqual(boundTo('fresh', { bbc: true }));
  });

  scenario(
    'B5/52 what happens to a recycler pod is told on its volume, and a failed one is followed by another',
    async (s) => {
      const { place, controller } = s;
      const node = new RecyclerNode(place, controller.recyclerNamespace);
      const volume = await place.createVolume('scrubbed', { spec: recycle });
      const user = await place.createClaim('x');
      await place.untilBound('scrubbed', 'x');
      await place.release('x', 'scrubbed');
      const first = await node.untilPod('scrubbed');

      await node.tell(first, 'Normal', 'Pulling', 'Pulling image');
      await node.tell(first, 'Warning', 'Failed', 'no such image');
      await node.end(first, { phase: 'Failed', message: 'node is out of disk' });

      await place.untilTold(volume, { type: 'Normal', reason: 'RecyclerPod', message: 'Recycler pod: Pulling image' });
      await place.untilTold(volume, { type: 'Warning', reason: 'RecyclerPod', message: 'Recycler pod: no such image' });
      const message = 'Recycle failed: failed to recycle volume: node is out of disk';
      await place.untilTold(volume, { type: 'Warning', reason: 'VolumeFailedRecycle', message });
      const second = await node.untilPod('scrubbed', first);
      const failed = (await place.historyOf('scrubbed')).filter(({ status }) => status?.phase === 'Failed');
      expect(failed.at(-1)?.status?.message).toBe(message);
      expect(failed.at(-1)?.spec.claimRef?.uid).toBe(user.metadata.uid);

      await node.end(second, { phase: 'Succeeded' });
      await place.untilVolume('scrubbed', 'Available');
      await controller.settled();
      expect(await place.volumeState('scrubbed')).toEqual({ phase: 'Available' });
      const end = ['Bound', 'Released', 'Failed', 'Available'];
      expect((await place.phasesOf('scrubbed')).slice(-4)).toEqual(end);
    },
  );
}

/** A Released volume whose claim was deleted under a pod that nobody has scheduled yet, so that nothing protects it. */
async function releasedUnderPod(place: Place, controller: ControllerUnderTest) {
  const volume = await place.createVolume('used', { spec: recycle });
  await place.createClaim('x');
  await place.untilBound('used', 'x');
  await place.createPod('user', 'x');
  await place.release('x', 'used');
  return { volume, node: new RecyclerNode(place, controller.recyclerNamespace) };
}

async function endPod(place: Place, name: string): Promise<void> {
  await place.patchStatus(podPath(place, name), { phase: 'Succeeded' });
}

function podPath({ namespace }: Place, name: string): string {
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}
