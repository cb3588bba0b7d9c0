import { describe, expect, test } from 'vitest';
import { RECYCLER_POD } from '../controller/annotations.ts';
import { AmbiguousError, ClusterError, ConflictError } from '../controller/errors.ts';
import { claim, orphan, refTo } from '../controller/testing/objects.ts';
import type { ClusterEvent, PersistentVolume, Pod } from '../controller/types.ts';
import { HostPathPlugin } from './host-path.ts';
import { NfsPlugin } from './nfs.ts';
import { RecyclerPods, recyclerPodName, recycleTimeoutSeconds, volumeOfRecyclerPod } from './recycler-pod.ts';
import { PodCluster } from './testing/pod-cluster.ts';

const settings = {
  namespace: 'recycling',
  image: 'scrub:1',
  minimumTimeoutSeconds: 60,
  incrementTimeoutSecondsPerGib: 30,
};

class Recycling {
  readonly cluster = new PodCluster();
  readonly plugin = new HostPathPlugin({ pods: new RecyclerPods(this.cluster), settings });

  constructor(pv: PersistentVolume = orphan('pv')) {
    this.cluster.put('PersistentVolume', pv);
  }

  get volume(): PersistentVolume {
    return this.cluster.all('PersistentVolume')[0] as PersistentVolume;
  }

  get pods(): Pod[] {
    return this.cluster.all('Pod');
  }

  async step(): Promise<string> {
    return await this.plugin.recycle(this.volume).catch((error: Error) => `failed: ${error.message}`);
  }

  /** What the operation does with a failed recycle. */
  volumeIs(phase: string): void {
    this.cluster.put('PersistentVolume', { ...this.volume, status: { phase } });
  }
}

describe('a recycler pod (BEHAVIOUR 7.4)', () => {
  test('is created, recorded on the volume, waited for, and is done when it has succeeded', async () => {
    const recycling = new Recycling();
    expect(await recycling.step()).toBe('waiting');
    expect(recycling.volume.metadata.annotations?.[RECYCLER_POD]).toContain('pod-1');
    expect(await recycling.step()).toBe('waiting');
    recycling.cluster.podIs('Running');
    expect(await recycling.step()).toBe('waiting');
    recycling.cluster.podIs('Succeeded');
    expect(await recycling.step()).toBe('done');
    expect(recycling.pods).toHaveLength(1);
    await recycling.plugin.cleanUpRecycle(recycling.volume);
    expect(recycling.pods).toEqual([]);
  });

  test('scrubs this volume’s path and nothing else, with a deadline by its size', async () => {
    const recycling = new Recycling(orphan('pv', { spec: { capacity: { storage: '5Gi' } } }));
    await recycling.step();
    const pod = recycling.pods[0] as Pod;
    expect(pod.metadata).toMatchObject({ namespace: 'recycling', name: 'recycler-for-pv' });
    expect(pod.metadata).not.toHaveProperty('generateName');
    expect(volumeOfRecyclerPod(pod)).toBe('pv');
    expect(pod.spec).toEqual({
      restartPolicy: 'Never',
      // It has no business with the API server.
      automountServiceAccountToken: false,
      activeDeadlineSeconds: 150,
      volumes: [{ name: 'vol', hostPath: { path: '/tmp/pv' } }],
      containers: [
        {
          name: 'pv-recycler',
          image: 'scrub:1',
          command: ['/bin/sh'],
          args: ['-c', 'test -e /scrub && find /scrub -mindepth 1 -delete && test -z "$(ls -A /scrub)" || exit 1'],
          volumeMounts: [{ name: 'vol', mountPath: '/scrub' }],
        },
      ],
    });
  });

  test('for NFS mounts server and path', async () => {
    const cluster = new PodCluster();
    const { hostPath: _none, ...spec } = orphan('pv').spec;
    const pv = { ...orphan('pv'), spec: { ...spec, nfs: { server: 'files', path: '/export', readOnly: true } } };
    cluster.put('PersistentVolume', pv);
    const nfs = new NfsPlugin(new RecyclerPods(cluster), settings);
    expect(nfs.supports(pv)).toBe(true);
    expect(nfs.supports(orphan('pv'))).toBe(false);
    expect(await nfs.recycle(pv)).toBe('waiting');
    expect(cluster.all('Pod')[0]?.spec?.volumes).toEqual([{ name: 'vol', nfs: { server: 'files', path: '/export' } }]);
    expect(nfs).not.toHaveProperty('newDeleter');
  });

  test.each([
    ['500Mi', 60],
    ['1Gi', 60],
    ['2Gi', 60],
    ['2.99Gi', 60],
    ['3Gi', 90],
    ['100G', 2_790],
  ])('of a volume of %s may take %d s', (storage, seconds) => {
    expect(recycleTimeoutSeconds(orphan('pv', { spec: { capacity: { storage } } }), settings)).toBe(seconds);
  });

  test('has a name that Kubernetes takes, and that is another for every volume', () => {
    expect(recyclerPodName('pv')).toBe('recycler-for-pv');
    const long = (end: string) => recyclerPodName(`${'a'.repeat(252)}${end}`);
    const dotted = recyclerPodName(`${'a.'.repeat(126)}a`);
    for (const name of [long('x'), long('y'), dotted]) {
      expect(name.length).toBeLessThanOrEqual(253);
      expect(name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
    }
    expect(long('x')).not.toBe(long('y'));
    expect(recyclerPodName('a'.repeat(240))).toBe(`recycler-for-${'a'.repeat(240)}`);
  });

  test('tells its events on the volume, and only its own', async () => {
    const recycling = new Recycling();
    await recycling.step();
    const event = (name: string, uid: string, type: string, message: string): ClusterEvent => ({
      metadata: { namespace: 'recycling', name },
      involvedObject: { uid },
      type,
      message,
    });
    recycling.cluster.put('Event', event('a', 'pod-1', 'Normal', 'pulled the image'));
    recycling.cluster.put('Event', event('b', 'pod-1', 'Warning', 'no such path'));
    recycling.cluster.put('Event', event('c', 'other', 'Warning', 'of another pod'));
    await recycling.step();
    expect(recycling.cluster.events.map(({ kind, type, reason, message }) => [kind, type, reason, message])).toEqual([
      ['PersistentVolume', 'Normal', 'RecyclerPod', 'Recycler pod: pulled the image'],
      ['PersistentVolume', 'Warning', 'RecyclerPod', 'Recycler pod: no such path'],
    ]);
  });
});

describe('a recycler pod that fails (BEHAVIOUR 7.4)', () => {
  test.each<[string | undefined, string]>([
    ['volume is on fire', 'failed to recycle volume: volume is on fire'],
    ['', 'failed to recycle volume: pod failed, pod.Status.Message unknown'],
    [undefined, 'failed to recycle volume: pod failed, pod.Status.Message unknown'],
  ])('with message %j is deleted, and the next try has a pod of its own', async (message, text) => {
    const recycling = new Recycling();
    await recycling.step();
    recycling.cluster.podIs('Failed', message);
    expect(await recycling.step()).toBe(`failed: ${text}`);
    expect(recycling.pods).toEqual([]);
    recycling.volumeIs('Failed');
    expect(await recycling.step()).toBe('waiting');
    expect(recycling.pods[0]?.metadata.uid).toBe('pod-2');
    recycling.cluster.podIs('Succeeded');
    expect(await recycling.step()).toBe('done');
  });

  test('and that cannot be deleted is not reported as failed yet', async () => {
    const recycling = new Recycling();
    await recycling.step();
    recycling.cluster.podIs('Failed', 'x');
    recycling.cluster.before = (verb) => {
      if (verb === 'delete') throw new ClusterError('forbidden', { code: 403 });
    };
    await expect(recycling.plugin.recycle(recycling.volume)).rejects.toThrow(ClusterError);
  });

  test('because someone deleted it', async () => {
    const recycling = new Recycling();
    await recycling.step();
    recycling.cluster.remove('Pod', { namespace: 'recycling', name: 'recycler-for-pv' });
    expect(await recycling.step()).toBe('failed: failed to recycle volume: recycler pod was deleted');
    recycling.volumeIs('Failed');
    expect(await recycling.step()).toBe('waiting');
  });
});

describe('only the volume’s own pod decides about it (DESIGN D12)', () => {
  const pod = (uid: string, phase: string): Pod => ({
    metadata: { namespace: 'recycling', name: 'recycler-for-pv', uid },
    status: { phase },
  });

  test('a pod of that name that nobody recorded is deleted, however well it went', async () => {
    const recycling = new Recycling();
    recycling.cluster.put('Pod', pod('forged', 'Succeeded'));
    expect(await recycling.step()).toBe('failed: old recycler pod found, will retry later');
    expect(recycling.pods).toEqual([]);
    expect(await recycling.step()).toBe('waiting');
  });

  test('a pod that took the place of the recorded one is deleted too', async () => {
    const recycling = new Recycling();
    await recycling.step();
    recycling.cluster.put('Pod', pod('forged', 'Succeeded'));
    expect(await recycling.step()).toBe('failed: old recycler pod found, will retry later');
    expect(recycling.pods).toEqual([]);
  });

  test('a crash between create and record: that pod is not trusted', async () => {
    const recycling = new Recycling();
    recycling.cluster.before = (verb, resource) => {
      if (recycling.pods.length === 0) return;
      if (verb === 'update' || (verb === 'delete' && resource === 'pods')) throw new AmbiguousError('crash');
    };
    expect(await recycling.step()).toBe('failed: crash');
    recycling.cluster.before = () => {};
    recycling.cluster.podIs('Succeeded');
    expect(await recycling.step()).toBe('failed: old recycler pod found, will retry later');
    recycling.volumeIs('Failed');
    expect(await recycling.step()).toBe('waiting');
    recycling.cluster.podIs('Succeeded');
    expect(await recycling.step()).toBe('done');
  });

  test('nor is one without a uid, while the record has none yet', async () => {
    const recycling = new Recycling();
    recycling.cluster.before = (verb) => {
      if (verb === 'create') throw new AmbiguousError('crash');
    };
    expect(await recycling.step()).toContain('crash');
    recycling.cluster.before = () => {};
    recycling.cluster.put('Pod', pod('', 'Succeeded'));
    expect(await recycling.step()).toBe('failed: old recycler pod found, will retry later');
  });

  test('a pod whose record could not be written is taken away again', async () => {
    const recycling = new Recycling();
    recycling.cluster.before = (verb) => {
      if (verb === 'update' && recycling.pods.length > 0) throw new ClusterError('forbidden', { code: 403 });
    };
    await expect(recycling.plugin.recycle(recycling.volume)).rejects.toThrow(ClusterError);
    expect(recycling.pods).toEqual([]);
  });

  test('no pod is made for a volume that has changed since it was read', async () => {
    const recycling = new Recycling();
    const seen = recycling.volume;
    await recycling.cluster.update('PersistentVolume', { ...seen, metadata: { ...seen.metadata, labels: { a: 'b' } } });
    await expect(recycling.plugin.recycle(seen)).rejects.toThrow(ConflictError);
    expect(recycling.pods).toEqual([]);
  });

  test('a record of an earlier claim is worth nothing: its pod scrubbed the data of that one', async () => {
    const recycling = new Recycling();
    await recycling.step();
    recycling.cluster.podIs('Succeeded');
    // Before the controller came back, an admin freed the volume, and another claim wrote to it and was deleted.
    const { volume } = recycling;
    const claimRef = refTo(claim('later'));
    recycling.cluster.put('PersistentVolume', { ...volume, spec: { ...volume.spec, claimRef } });
    expect(await recycling.step()).toBe('failed: old recycler pod found, will retry later');
    recycling.volumeIs('Failed');
    expect(await recycling.step()).toBe('waiting');
    expect(recycling.pods[0]?.metadata.uid).toBe('pod-2');
    await recycling.plugin.cleanUpRecycle(volume); // as it was then
    expect(recycling.pods).toHaveLength(1);
  });

  test('a foreign pod that cannot be deleted is an error of the cluster, in upstream’s words', async () => {
    const recycling = new Recycling();
    recycling.cluster.put('Pod', pod('forged', 'Running'));
    recycling.cluster.before = (verb) => {
      if (verb === 'delete') throw new ClusterError('forbidden', { code: 403 });
    };
    const text = 'failed to delete old recycler pod recycling/recycler-for-pv: forbidden';
    expect(await recycling.step()).toBe(`failed: ${text}`);
  });

  test('a create that loses a race, and one that fails', async () => {
    const recycling = new Recycling();
    recycling.cluster.before = (verb) => {
      if (verb === 'create') recycling.cluster.put('Pod', pod('rival', 'Running'));
    };
    expect(await recycling.step()).toBe('failed: old recycler pod found, will retry later');
    const refused = new Recycling();
    refused.cluster.before = (verb) => {
      if (verb === 'create') throw new ClusterError('over quota', { code: 403 });
    };
    expect(await refused.step()).toBe('failed: unexpected error creating recycler pod:  over quota');
  });

  test('cleaning up deletes no other pod', async () => {
    const recycling = new Recycling();
    recycling.cluster.put('Pod', pod('other', 'Running'));
    await recycling.plugin.cleanUpRecycle(recycling.volume);
    expect(recycling.pods).toHaveLength(1);
  });

  test('only pods with our label are recycler pods', () => {
    expect(volumeOfRecyclerPod(pod('x', 'Running'))).toBeUndefined();
  });
});
