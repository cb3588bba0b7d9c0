/** What the claim worker needs its permissions for. */
import { expect } from 'vitest';
import { BIND_COMPLETED, DEFAULT_CLASS, SELECTED_NODE } from '../../../lib/controller/annotations.ts';
import { ageEvents } from './events.ts';
import { namespace } from './objects.ts';
import type { Scenario } from './scenario.ts';

const identity = 'claim-worker';
const claim = 'PersistentVolumeClaim';
const bind = [
  'update persistentvolumes',
  'update persistentvolumes/status',
  'update persistentvolumeclaims',
  'update persistentvolumeclaims/status',
];

export const claimScenarios: readonly Scenario[] = [
  {
    title: 'a claim is bound to a volume that fits',
    identity,
    needs: ['get persistentvolumeclaims', 'list persistentvolumes', ...bind],
    run: async (stage) => {
      await stage.freeVolume('free');
      const user = await stage.claim('user');
      expect(await stage.sync(claim, user)).toEqual(bind);
    },
  },
  {
    title: 'a claim is bound to a volume that appeared after the list',
    identity,
    needs: ['watch persistentvolumes'],
    run: async (stage) => {
      const runtime = stage.runtime(identity);
      const user = await stage.claim('early');
      expect(await stage.sync(claim, user, runtime)).toEqual(['create events']);
      await stage.freeVolume('late');
      await stage.until('a bind', async () => (await stage.sync(claim, user, runtime)).length === bind.length);
    },
  },
  {
    title: 'a claim is bound to the volume that it names',
    identity,
    needs: ['get persistentvolumes'],
    run: async (stage) => {
      const { metadata } = await stage.volume('named');
      const user = await stage.claim('user', { volumeName: metadata.name });
      expect(await stage.sync(claim, user)).toEqual(bind);
    },
  },
  {
    title: 'a claim whose volume is gone is Lost',
    identity,
    needs: ['create events'],
    run: async (stage) => {
      const user = await stage.claim('heir', { volumeName: `gone-${stage.id}` }, { [BIND_COMPLETED]: 'yes' });
      expect(await stage.sync(claim, user)).toEqual(['update persistentvolumeclaims/status', 'create events']);
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
    title: 'an event about a claim that is there already gets its count raised',
    identity,
    mode: 'enforce',
    needs: ['get events', 'update events'],
    run: async (stage) => {
      const user = await stage.claim('waiting', { storageClassName: '', selector: { matchLabels: { id: stage.id } } });
      expect(await stage.sync(claim, user)).toEqual(['create events']);
      await ageEvents(stage, namespace, user);
      expect(await stage.sync(claim, user)).toEqual(['update events']);
    },
  },
  {
    title: 'a claim of a class that waits for its first consumer says for which pod',
    identity,
    needs: ['get storageclasses', 'list pods'],
    run: async (stage) => {
      await stage.storageClass('kubernetes.io/no-provisioner', { volumeBindingMode: 'WaitForFirstConsumer' });
      const user = await stage.claim('user');
      await stage.make(`/api/v1/namespaces/${namespace}/pods`, {
        metadata: { name: `web-${stage.id}` },
        spec: {
          containers: [{ name: 'main', image: 'example.com/none' }],
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: user.metadata.name } }],
        },
      });
      expect(await stage.sync(claim, user)).toEqual(['create events']);
    },
  },
  {
    title: 'a claim without a class gets the class that became the default',
    identity,
    needs: ['list storageclasses'],
    run: async (stage) => {
      const user = await stage.claim('user', {
        storageClassName: undefined,
        selector: { matchLabels: { id: stage.id } },
      });
      await stage.storageClass('csi.example.com', {}, { [DEFAULT_CLASS]: 'true' });
      expect(await stage.sync(claim, user)).toEqual(['update persistentvolumeclaims']);
    },
  },
  {
    title: 'an external provisioner is asked for a volume',
    identity,
    needs: ['get storageclasses', 'update persistentvolumeclaims', 'create events'],
    run: async (stage) => {
      await stage.storageClass('csi.example.com');
      const user = await stage.claim('user');
      expect(await stage.sync(claim, user)).toEqual(['update persistentvolumeclaims', 'create events']);
    },
  },
  {
    title: 'an in-tree plugin provisions a volume for the node that was selected',
    identity,
    mode: 'enforce',
    needs: ['create persistentvolumes', 'get nodes'],
    run: async (stage) => {
      await stage.make('/api/v1/nodes', { metadata: { name: `node-${stage.id}` } });
      await stage.storageClass('kubernetes.io/host-path');
      const user = await stage.claim('user', {}, { [SELECTED_NODE]: `node-${stage.id}` });
      stage.goesAtTheEnd(`/api/v1/persistentvolumes/pvc-${user.metadata.uid}`);
      const writes = ['update persistentvolumeclaims', 'create persistentvolumes', 'create events'];
      expect(await stage.sync(claim, user)).toEqual(writes);
    },
  },
];
