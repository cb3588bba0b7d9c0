/**
 * Recycling through a pod (BEHAVIOUR 7.4), as steps that events continue: create the pod, wait, finish. A volume's own
 * pod is known by its uid, which is recorded on the volume with that of the claim whose data it scrubs (DESIGN D12): a
 * pod of that name with another uid has scrubbed something else, is deleted, and the recycle starts again.
 */
import { createHash } from 'node:crypto';
import { annotationOf, RECYCLER_POD, withAnnotations } from '../controller/annotations.ts';
import { AlreadyExistsError, messageOf } from '../controller/errors.ts';
import type { RecycleResult } from '../controller/plugins.ts';
import type { Cluster, ObjectEvent } from '../controller/ports.ts';
import { wholeUnits } from '../controller/quantity.ts';
import type { PersistentVolume, Pod } from '../controller/types.ts';

/** What the pod mounts at `/scrub`. */
export type ScrubSource = { hostPath: { path: string } } | { nfs: { server: string; path: string } };

export interface RecyclerPodSettings {
  /** Namespace of the recycler pods: one of ours, with tight rights. */
  readonly namespace: string;
  readonly image: string;
  readonly minimumTimeoutSeconds: number;
  readonly incrementTimeoutSecondsPerGib: number;
}

/** The image that upstream's default template names. */
export const RECYCLER_IMAGE = 'registry.k8s.io/build-image/debian-base:bookworm-v1.0.6';
/** Label by which the bridge finds the volume of a pod; the value is a hash, since a volume's name may be too long. */
export const RECYCLER_LABEL = 'pv-controller.serverless/recycler';
/** Annotation of the pod: the name of its volume. */
export const RECYCLED_VOLUME = 'pv-controller.serverless/volume';

const SCRIPT = 'test -e /scrub && find /scrub -mindepth 1 -delete && test -z "$(ls -A /scrub)" || exit 1';
const MAX_NAME_LENGTH = 253;
const GIB = 1n << 30n;

/** `recycler-for-<volume>`, with a hash instead of the end where that is too long for a name. */
export function recyclerPodName(volumeName: string): string {
  const name = `recycler-for-${volumeName}`;
  if (name.length <= MAX_NAME_LENGTH) return name;
  const hash = createHash('sha256').update(volumeName).digest('hex').slice(0, 16);
  return `${name.slice(0, MAX_NAME_LENGTH - hash.length - 1).replace(/[^a-z0-9]+$/, '')}-${hash}`;
}

/** The volume that a recycler pod works for, undefined for any other pod. */
export function volumeOfRecyclerPod(pod: Pod): string | undefined {
  return pod.metadata.labels?.[RECYCLER_LABEL] === undefined ? undefined : annotationOf(pod, RECYCLED_VOLUME);
}

/** max(minimum, whole GiB of capacity × increment), in seconds. */
export function recycleTimeoutSeconds(volume: PersistentVolume, settings: RecyclerPodSettings): number {
  const gib = Number(wholeUnits(volume.spec.capacity?.['storage'] ?? '0') / GIB);
  return Math.max(settings.minimumTimeoutSeconds, gib * settings.incrementTimeoutSecondsPerGib);
}

/**
 * What is recorded on the volume: the pod, the volume itself (a copy of its record proves nothing), and the claim. While
 * the pod is being made its uid is empty.
 */
function recordOf(volume: PersistentVolume, podUid: string): string {
  return `${podUid}/${volume.metadata.uid ?? ''}/${volume.spec.claimRef?.uid ?? ''}`;
}

/** Whether this pod was started for this volume since its present claim released it. A later claim's data is unscrubbed. */
function isOwnPod(volume: PersistentVolume, pod: Pod): boolean {
  const { uid } = pod.metadata;
  return Boolean(uid) && annotationOf(volume, RECYCLER_POD) === recordOf(volume, uid ?? '');
}

export class RecyclerPods {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /**
   * One step.
   * @returns `done` only when this volume's own pod has succeeded.
   * @throws Error with upstream's text when this attempt failed, ClusterError when the API server did not answer.
   */
  async step(volume: PersistentVolume, source: ScrubSource, settings: RecyclerPodSettings): Promise<RecycleResult> {
    const key = { namespace: settings.namespace, name: recyclerPodName(volume.metadata.name) };
    const pod = await this.#cluster.get('Pod', key);
    if (pod === undefined) {
      const record = annotationOf(volume, RECYCLER_POD);
      const intended = recordOf(volume, '');
      const started = record !== undefined && record !== intended && record.endsWith(intended);
      // Failed means that the attempt the record speaks of was reported: this is a new one.
      if (started && volume.status?.phase !== 'Failed') throw failure('recycler pod was deleted');
      await this.#start(volume, source, settings);
      return 'waiting';
    }
    if (!isOwnPod(volume, pod)) {
      await this.#deleteOld(pod);
      throw new Error('old recycler pod found, will retry later');
    }
    await this.#forwardEvents(volume, pod);
    if (pod.status?.phase === 'Succeeded') return 'done';
    if (pod.status?.phase === 'Failed') {
      await this.#cluster.delete('Pod', pod);
      throw failure(pod.status.message || 'pod failed, pod.Status.Message unknown');
    }
    return 'waiting';
  }

  /** Deletes the pod that the volume's record speaks of, for whatever claim it was started, and no other. */
  async cleanUp(volume: PersistentVolume, settings: RecyclerPodSettings): Promise<void> {
    const { name } = volume.metadata;
    const pod = await this.#cluster.get('Pod', { namespace: settings.namespace, name: recyclerPodName(name) });
    if (pod === undefined) return;
    const recorded = annotationOf(volume, RECYCLER_POD)?.split('/')[0];
    const isMeant = recorded === '' ? volumeOfRecyclerPod(pod) === name : recorded === pod.metadata.uid;
    if (isMeant) await this.#cluster.delete('Pod', pod);
  }

  /** Deletes the pod of a volume that is gone, if it is one of ours. */
  async forget(volumeName: string, settings: RecyclerPodSettings): Promise<void> {
    const key = { namespace: settings.namespace, name: recyclerPodName(volumeName) };
    const pod = await this.#cluster.get('Pod', key);
    if (pod !== undefined && volumeOfRecyclerPod(pod) === volumeName) await this.#cluster.delete('Pod', pod);
  }

  /**
   * Records that a pod will be there, creates it and records its uid; a pod whose record could not be written is taken
   * away again. Without the first record nobody would look for the pod of a worker that died after creating it, when
   * somebody else has freed and bound the volume meanwhile.
   */
  async #start(seen: PersistentVolume, source: ScrubSource, settings: RecyclerPodSettings): Promise<void> {
    const volume = await this.#record(seen, '');
    let pod: Pod;
    try {
      pod = await this.#cluster.create('Pod', recyclerPod(volume, source, settings));
    } catch (error) {
      if (error instanceof AlreadyExistsError) throw new Error('old recycler pod found, will retry later');
      throw new Error(`unexpected error creating recycler pod:  ${messageOf(error)}`, { cause: error });
    }
    try {
      await this.#record(volume, pod.metadata.uid ?? '');
    } catch (error) {
      await this.#cluster.delete('Pod', pod).catch(() => {}); // found as an old pod otherwise
      throw error;
    }
  }

  /** @returns the volume as stored. */
  async #record(volume: PersistentVolume, podUid: string): Promise<PersistentVolume> {
    const record = recordOf(volume, podUid);
    if (annotationOf(volume, RECYCLER_POD) === record) return volume;
    return await this.#cluster.update('PersistentVolume', withAnnotations(volume, { [RECYCLER_POD]: record }));
  }

  async #deleteOld(pod: Pod): Promise<void> {
    try {
      await this.#cluster.delete('Pod', pod);
    } catch (error) {
      const { namespace, name } = pod.metadata;
      throw new Error(`failed to delete old recycler pod ${namespace}/${name}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** What happened to the pod is told on the volume; an event told twice is counted, not repeated (DESIGN D6). */
  async #forwardEvents(volume: PersistentVolume, pod: Pod): Promise<void> {
    const { namespace = '', uid } = pod.metadata;
    const fieldSelector = `involvedObject.uid=${uid}`;
    // News only: a server that does not give them must not hold up the recycling.
    const events = await this.#cluster.list('Event', { namespace, fieldSelector }).catch(() => []);
    for (const event of events) {
      if (event.involvedObject.uid !== uid) continue;
      const type: ObjectEvent['type'] = event.type === 'Warning' ? 'Warning' : 'Normal';
      const message = `Recycler pod: ${event.message ?? ''}`;
      await this.#cluster.event({ kind: 'PersistentVolume', object: volume, type, reason: 'RecyclerPod', message });
    }
  }
}

function failure(why: string): Error {
  return new Error(`failed to recycle volume: ${why}`);
}

/** Each volume's pod is built from scratch: upstream's shared template can scrub the wrong export. */
function recyclerPod(volume: PersistentVolume, source: ScrubSource, settings: RecyclerPodSettings): Pod {
  const { name } = volume.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: settings.namespace,
      name: recyclerPodName(name),
      labels: { [RECYCLER_LABEL]: createHash('sha256').update(name).digest('hex').slice(0, 16) },
      annotations: { [RECYCLED_VOLUME]: name },
    },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      activeDeadlineSeconds: recycleTimeoutSeconds(volume, settings),
      volumes: [{ name: 'vol', ...source }],
      containers: [
        {
          name: 'pv-recycler',
          image: settings.image,
          command: ['/bin/sh'],
          args: ['-c', SCRIPT],
          volumeMounts: [{ name: 'vol', mountPath: '/scrub' }],
        },
      ],
    },
  };
}
