/** What the volume worker needs its permissions for. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { BOUND_BY_CONTROLLER, RECYCLER_POD } from '../../../lib/controller/annotations.ts';
import { recyclerPodName } from '../../../lib/plugins/recycler-pod.ts';
import { MODE_ANNOTATION } from '../../../lib/worker/mode.ts';
import { recyclerNamespace } from '../permissions.ts';
import { ageEvents } from './events.ts';
import { namespace, type Stored } from './objects.ts';
import type { Scenario } from './scenario.ts';
import type { Stage } from './stage.ts';

const identity = 'volume-worker';
const volume = 'PersistentVolume';
const recycle = { persistentVolumeReclaimPolicy: 'Recycle' };
const goneClaim = () => ({ claimRef: { namespace, name: 'gone', uid: randomUUID() } });

export const volumeScenarios: readonly Scenario[] = [
  {
    title: 'a volume whose claim is gone is Released',
    identity,
    needs: ['get persistentvolumes', 'get persistentvolumeclaims', 'update persistentvolumes/status'],
    run: async (stage) => {
      const kept = await stage.volume('kept', goneClaim());
      expect(await stage.sync(volume, kept)).toEqual(['update persistentvolumes/status']);
    },
  },
  {
    title: 'a volume that lost its claim to another one is free again',
    identity,
    needs: ['update persistentvolumes'],
    run: async (stage) => {
      const { metadata } = await stage.claim('taken', { volumeName: 'another' });
      const claimRef = { namespace, name: metadata.name, uid: metadata.uid };
      const loser = await stage.volume('loser', { claimRef }, { [BOUND_BY_CONTROLLER]: 'yes' });
      expect(await stage.sync(volume, loser)).toEqual(['update persistentvolumes', 'update persistentvolumes/status']);
    },
  },
  {
    title: 'a volume that nothing can recycle is Failed, and an event says why',
    identity,
    needs: ['list pods', 'create events'],
    run: async (stage) => {
      const csi = { hostPath: undefined, csi: { driver: 'csi.example.com', volumeHandle: '1' } };
      const alien = await stage.volume('alien', { ...recycle, ...csi, ...goneClaim() });
      const [released, failed] = ['update persistentvolumes/status', 'update persistentvolumes/status'];
      expect(await stage.sync(volume, alien)).toEqual([released, failed, 'create events']);
    },
  },
  {
    title: 'a volume of a class that is only observed is left alone',
    identity,
    mode: 'enforce',
    needs: ['get storageclasses'],
    run: async (stage) => {
      await stage.storageClass('csi.example.com', {}, { [MODE_ANNOTATION]: 'observe' });
      const kept = await stage.volume('kept', goneClaim());
      expect(await stage.sync(volume, kept)).toEqual([]);
    },
  },
  {
    title: 'a worker that enforces looks whether another controller works here',
    identity,
    mode: 'enforce',
    needs: ['get leases'],
    run: (stage) => stage.askForOthers(identity),
  },
  {
    title: 'an event about a volume that is there already gets its count raised',
    identity,
    mode: 'enforce',
    needs: ['get events', 'update events'],
    run: async (stage) => {
      const { metadata } = await stage.claim('block', { volumeMode: 'Block' });
      const claimRef = { namespace, name: metadata.name, uid: metadata.uid };
      const files = await stage.volume('files', { claimRef });
      expect(await stage.sync(volume, files)).toEqual(['create events', 'create events']);
      await ageEvents(stage, 'default', files);
      await ageEvents(stage, namespace, { metadata });
      expect(await stage.sync(volume, files)).toEqual(['update events', 'update events']);
    },
  },
  {
    title: 'the recycling of a Released volume begins with a pod',
    identity,
    needs: ['get pods in pv-recycler', 'create pods in pv-recycler'],
    run: async (stage) => {
      const used = await stage.volume('used', { ...recycle, ...goneClaim() });
      await stage.setPhase(used, 'Released');
      // Before its pod is made, the volume says that there will be one; then which, unless it was only to be made.
      const recorded = 'update persistentvolumes';
      const [first, second, ...rest] = await stage.sync(volume, used);
      expect([first, second]).toEqual([recorded, 'create pods']);
      expect(rest).toEqual(stage.mode === 'enforce' ? [recorded] : []);
    },
  },
  {
    title: 'the recycling ends with its pod, and what happened to that is told on the volume',
    identity,
    needs: ['list events in pv-recycler', 'delete pods in pv-recycler'],
    run: async (stage) => {
      const scrubbed = await releasedWithPod(stage);
      const told = ['create events', 'create events'];
      const freed = ['update persistentvolumes', 'update persistentvolumes/status'];
      expect(await stage.sync(volume, scrubbed)).toEqual([...told, ...freed, 'delete pods']);
    },
  },
  {
    title: 'a Released volume of an in-tree plugin goes with its storage',
    identity,
    mode: 'enforce',
    needs: ['delete persistentvolumes'],
    run: async (stage) => {
      const doomed = await stage.volume('doomed', { persistentVolumeReclaimPolicy: 'Delete', ...goneClaim() });
      const writes = ['update persistentvolumes/status', 'delete persistentvolumes'];
      expect(await stage.sync(volume, doomed)).toEqual(writes);
    },
  },
];

/** A Released volume whose recycler pod has succeeded, after an event about it. */
export async function releasedWithPod(stage: Stage): Promise<Stored> {
  const { claimRef } = goneClaim();
  const name = `scrubbed-${stage.id}`;
  const pods = `/api/v1/namespaces/${recyclerNamespace}/pods`;
  const pod = await stage.make(pods, {
    metadata: {
      name: recyclerPodName(name),
      labels: { 'pv-controller.serverless/recycler': stage.id },
      annotations: { 'pv-controller.serverless/volume': name },
    },
    spec: { containers: [{ name: 'pv-recycler', image: 'example.com/none' }] },
  });
  const involvedObject = { apiVersion: 'v1', kind: 'Pod', namespace: recyclerNamespace, uid: pod.metadata.uid };
  await stage.request('POST', `/api/v1/namespaces/${recyclerNamespace}/events`, {
    metadata: { generateName: 'kubelet-' },
    involvedObject,
    type: 'Normal',
    reason: 'Pulling',
    message: 'Pulling image',
  });
  const scrubbed = await stage.volume('scrubbed', { ...recycle, claimRef });
  const record = { [RECYCLER_POD]: `${pod.metadata.uid}/${scrubbed.metadata.uid}/${claimRef.uid}` };
  await stage.request('PATCH', `/api/v1/persistentvolumes/${name}`, { metadata: { annotations: record } });
  await stage.setPhase(scrubbed, 'Released');
  await stage.request('PATCH', `${pods}/${pod.metadata.name}/status`, { status: { phase: 'Succeeded' } });
  return scrubbed;
}
