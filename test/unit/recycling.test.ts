/** A hostPath volume from Released to Available, through the recycler pod, as the pod's and its own events bring it back. */
import { describe, expect, test } from 'vitest';
import { BOUND_BY_CONTROLLER } from '../../lib/controller/annotations.ts';
import { ClusterError } from '../../lib/controller/errors.ts';
import { orphan } from '../../lib/controller/testing/objects.ts';
import { HostPathPlugin } from '../../lib/plugins/host-path.ts';
import { RecyclerPods } from '../../lib/plugins/recycler-pod.ts';
import { PodCluster } from '../../lib/plugins/testing/pod-cluster.ts';
import { failing, Scene } from './scene.ts';

const settings = { namespace: 'recycling', image: 'i', minimumTimeoutSeconds: 60, incrementTimeoutSecondsPerGib: 30 };

function recycling(): { scene: Scene; cluster: PodCluster } {
  const pv = orphan('pv', {
    annotations: { [BOUND_BY_CONTROLLER]: 'yes' },
    spec: { persistentVolumeReclaimPolicy: 'Recycle' },
  });
  const cluster = new PodCluster();
  const plugin = new HostPathPlugin({ pods: new RecyclerPods(cluster), settings });
  return { scene: new Scene({ PersistentVolume: [pv] }, [plugin], { cluster }), cluster };
}

describe('recycling through a pod (BEHAVIOUR 7.3, 7.4, DESIGN D12)', () => {
  test('ends Available, without claimRef, mark and record, and without the pod', async () => {
    const { scene, cluster } = recycling();
    await scene.syncVolume('pv');
    cluster.podIs('Succeeded');
    await scene.syncVolume('pv');
    expect(scene.volume('pv').status).toEqual({ phase: 'Available' });
    expect(scene.volume('pv').spec.claimRef).toBeUndefined();
    expect(scene.volume('pv').metadata.annotations).toBeUndefined();
    expect(cluster.all('Pod')).toEqual([]);
    expect(scene.events).toEqual(['Normal VolumeRecycled: Volume recycled']);
  });

  test('a failed pod: Failed with its reason; the next sync starts another', async () => {
    const { scene, cluster } = recycling();
    await scene.syncVolume('pv');
    cluster.podIs('Failed');
    await scene.syncVolume('pv');
    const message = 'Recycle failed: failed to recycle volume: pod failed, pod.Status.Message unknown';
    expect(scene.volume('pv').status).toEqual({ phase: 'Failed', message });
    expect(scene.events).toEqual([`Warning VolumeFailedRecycle: ${message}`]);
    await scene.syncVolume('pv');
    expect(scene.cluster.all('Pod')).toHaveLength(1);
    expect(scene.volume('pv').status?.phase).toBe('Failed');
  });

  test('an API server that refuses the pod is no failure of the volume', async () => {
    const { scene } = recycling();
    failing(scene, 'create', 'pods', new ClusterError('forbidden', { code: 403 }));
    await expect(scene.syncVolume('pv')).rejects.toThrow('unexpected error creating recycler pod:  forbidden');
    expect(scene.volume('pv').status?.phase).toBe('Released');
    expect(scene.events).toEqual([]);
  });
});
