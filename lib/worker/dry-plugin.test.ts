import { describe, expect, test, vi } from 'vitest';
import { RecordingCluster } from '../cluster/recording.ts';
import { orphan } from '../controller/testing/objects.ts';
import { NfsPlugin } from '../plugins/nfs.ts';
import { RecyclerPods } from '../plugins/recycler-pod.ts';
import { PodCluster } from '../plugins/testing/pod-cluster.ts';
import { dryPlugin } from './dry-plugin.ts';

const volume = orphan('pv', { spec: { persistentVolumeReclaimPolicy: 'Recycle', nfs: { server: 's', path: '/p' } } });

describe('a plugin in observe mode', () => {
  test('recycles by pods over the recording cluster: the pod is told of, and none is made', async () => {
    const cluster = new PodCluster();
    const recording = new RecordingCluster(cluster);
    const settings = { namespace: 'r', image: 'i', minimumTimeoutSeconds: 1, incrementTimeoutSecondsPerGib: 1 };
    const plugin = dryPlugin(new NfsPlugin(new RecyclerPods(recording), settings));

    expect(await plugin.recycle?.(volume)).toBe('waiting');

    const told = recording.recorded.map((write) => (write.verb === 'event' ? 'event' : `${write.verb} ${write.kind}`));
    expect(told).toEqual(['update PersistentVolume', 'create Pod']);
    expect(cluster.writes).toEqual([]);
  });

  test('touches no storage of a plugin that works on it directly', async () => {
    const touch = vi.fn();
    const plugin = dryPlugin({
      name: 'direct',
      supportsMountOptions: true,
      supports: () => true,
      recycle: async () => {
        touch();
        return 'done';
      },
      cleanUpRecycle: async () => touch(),
      forgetVolume: async () => touch(),
      newDeleter: () => async () => touch(),
    });

    expect(await plugin.recycle?.(volume)).toBe('waiting');
    await plugin.newDeleter?.(volume)();
    await plugin.cleanUpRecycle?.(volume);
    await plugin.forgetVolume?.('pv');

    expect(touch).not.toHaveBeenCalled();
  });
});
