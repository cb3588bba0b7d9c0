/** A hostPath volume from Released to Available, through the recycler pod, as the pod's and its own events bring it back. */
import { describe, expect, test } from 'vitest';
import { BOUND_BY_CONTROLLER, RECYCLER_POD } from '../../lib/controller/annotations.ts';
import { AmbiguousError, ClusterError } from '../../lib/controller/errors.ts';
import { hasStrayRecycling } from '../../lib/controller/stop-recycling.ts';
import { boundPair, orphan } from '../../lib/controller/testing/objects.ts';
import type { PersistentVolume } from '../../lib/controller/types.ts';
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

describe('a volume that is taken back while its pod is under way (DESIGN D12)', () => {
  /** Released, its pod created. */
  async function underWay() {
    const { scene, cluster } = recycling();
    await scene.syncVolume('pv');
    expect(cluster.all('Pod')).toHaveLength(1);
    return { scene, cluster };
  }

  function change(scene: Scene, edit: (volume: PersistentVolume) => void): void {
    const changed = structuredClone(scene.volume('pv'));
    edit(changed);
    scene.cluster.put('PersistentVolume', changed);
  }

  test.each<[string, (volume: PersistentVolume) => void]>([
    ['by another policy', ({ spec }) => Object.assign(spec, { persistentVolumeReclaimPolicy: 'Retain' })],
    ['by clearing the uid', ({ spec }) => delete spec.claimRef?.uid],
    ['by removing the claimRef', ({ spec }) => delete spec.claimRef],
    ['for another claim', ({ spec }) => Object.assign(spec.claimRef ?? {}, { uid: 'uid-of-another' })],
  ])('%s: the pod is deleted before it scrubs, and the record goes', async (_, edit) => {
    const { scene, cluster } = await underWay();
    const [pod] = cluster.all('Pod');
    change(scene, edit);
    await scene.syncVolume('pv');
    expect(cluster.all('Pod').map(({ metadata }) => metadata.uid)).not.toContain(pod?.metadata.uid);
    expect(scene.volume('pv').metadata.annotations?.[RECYCLER_POD] ?? '').not.toContain(`${pod?.metadata.uid}/`);
    expect(scene.volume('pv').status?.phase).not.toBe('Failed');
  });

  test('a pod of that name that is not on record is left to the recycling that owns it', async () => {
    const { scene, cluster } = await underWay();
    const [pod] = cluster.all('Pod');
    if (pod === undefined) throw new Error('no pod');
    cluster.put('Pod', { ...pod, metadata: { ...pod.metadata, uid: 'somebody-elses' } });
    change(scene, ({ spec }) => delete spec.claimRef);
    await scene.syncVolume('pv');
    expect(cluster.all('Pod')).toHaveLength(1);
    expect(scene.volume('pv').metadata.annotations?.[RECYCLER_POD]).toBeUndefined();
  });

  test('a worker dies after it made the pod, and somebody else frees and binds the volume: the pod goes', async () => {
    const { scene, cluster } = recycling();
    cluster.before = (verb) => {
      if (cluster.all('Pod').length > 0 && verb !== 'get') throw new AmbiguousError('the worker is dead');
    };
    await expect(scene.syncVolume('pv')).rejects.toThrow('dead');
    cluster.before = () => {};
    expect(cluster.all('Pod')).toHaveLength(1);
    const { claim, volume } = boundPair();
    cluster.put('PersistentVolumeClaim', { ...claim, spec: { ...claim.spec, volumeName: 'pv' } });
    change(scene, ({ spec, status }) => {
      Object.assign(spec, { claimRef: volume.spec.claimRef });
      Object.assign(status ?? {}, { phase: 'Bound' });
    });
    await scene.syncVolume('pv');
    expect(cluster.all('Pod')).toEqual([]);
    expect(scene.volume('pv').status?.phase).toBe('Bound');
    expect(scene.volume('pv').metadata.annotations?.[RECYCLER_POD]).toBeUndefined();
  });

  test('a volume that is gone takes its pod with it', async () => {
    const { scene, cluster } = await underWay();
    cluster.remove('PersistentVolume', { name: 'pv' });
    await scene.syncVolume('pv');
    expect(cluster.all('Pod')).toEqual([]);
  });

  test('the bridge knows that such a volume needs a sync, and that one under way may', async () => {
    const { scene } = await underWay();
    expect(hasStrayRecycling(scene.volume('pv'))).toBe(false);
    change(scene, ({ spec }) => Object.assign(spec, { persistentVolumeReclaimPolicy: 'Retain' }));
    expect(hasStrayRecycling(scene.volume('pv'))).toBe(true);
  });
});
