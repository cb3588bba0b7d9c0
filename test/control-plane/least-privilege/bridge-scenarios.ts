/** What the bridge and the resync need their permissions for. Both do the same in either mode. */
import { expect } from 'vitest';
import { DEFAULT_CLASS } from '../../../lib/controller/annotations.ts';
import { recyclerPodName } from '../../../lib/plugins/recycler-pod.ts';
import { recyclerNamespace } from '../permissions.ts';
import type { Scenario } from './scenario.ts';
import { releasedWithPod } from './volume-scenarios.ts';

const identity = 'bridge';
const both = (resource: string) => [`list ${resource}`, `watch ${resource}`];

export const bridgeScenarios: readonly Scenario[] = [
  {
    title: 'a volume that is there and one that appears are sent',
    identity,
    needs: both('persistentvolumes'),
    run: async (stage) => {
      const there = await stage.volume('there');
      await stage.withBridge(async () => {
        expect(stage.timesSent(there)).toBe(1);
        const young = await stage.volume('young');
        await stage.until('its key', () => stage.timesSent(young) > 0);
      });
    },
  },
  {
    title: 'a claim that is there and one that appears are sent',
    identity,
    needs: both('persistentvolumeclaims'),
    run: async (stage) => {
      const { metadata } = await stage.volume('free');
      const there = await stage.claim('there', { volumeName: metadata.name });
      await stage.withBridge(async () => {
        expect(stage.timesSent(there)).toBe(1);
        const young = await stage.claim('young', { volumeName: metadata.name });
        await stage.until('its key', () => stage.timesSent(young) > 0);
      });
    },
  },
  {
    title: 'claims without a class are sent when there is a default one',
    identity,
    needs: both('storageclasses'),
    run: async (stage) => {
      const user = await stage.claim('user', {
        storageClassName: undefined,
        selector: { matchLabels: { id: stage.id } },
      });
      await stage.withBridge(async () => {
        expect(stage.timesSent(user)).toBe(0);
        await stage.storageClass('csi.example.com', {}, { [DEFAULT_CLASS]: 'true' });
        await stage.until('its key', () => stage.timesSent(user) > 0);
      });
    },
  },
  {
    title: 'a volume is sent when its recycler pod changes',
    identity,
    needs: both(`pods in ${recyclerNamespace}`),
    run: async (stage) => {
      const scrubbed = await releasedWithPod(stage);
      await stage.withBridge(async () => {
        const before = stage.timesSent(scrubbed);
        const pod = `/api/v1/namespaces/${recyclerNamespace}/pods/${recyclerPodName(scrubbed.metadata.name)}`;
        await stage.request('DELETE', `${pod}?gracePeriodSeconds=0`);
        await stage.until('its key', () => stage.timesSent(scrubbed) > before);
      });
    },
  },
  {
    title: 'a resync sends every volume and every claim',
    identity: 'resync',
    needs: ['list persistentvolumes', 'list persistentvolumeclaims'],
    run: async (stage) => {
      const objects = [await stage.volume('some'), await stage.claim('some')];
      expect(await stage.resync()).toBe(objects.length);
      expect(stage.sent.toSorted()).toEqual(objects.map(({ metadata }) => metadata.name).toSorted());
    },
  },
];
