/**
 * Forged recycler pods (DESIGN D12), in every way that somebody with rights in the recyclers' namespace could think of, and
 * volumes whose history was tampered with: a volume counts as scrubbed only when a pod that was started for this volume,
 * since its present claim released it, has succeeded.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RECYCLER_POD } from '../../lib/controller/annotations.ts';
import { AmbiguousError } from '../../lib/controller/errors.ts';
import { claim, orphan, refTo } from '../../lib/controller/testing/objects.ts';
import type { Kind, Kinds, PersistentVolume, Pod } from '../../lib/controller/types.ts';
import { HostPathPlugin } from '../../lib/plugins/host-path.ts';
import { RECYCLED_VOLUME, RecyclerPods } from '../../lib/plugins/recycler-pod.ts';
import { PodCluster } from '../../lib/plugins/testing/pod-cluster.ts';
import { runs } from './runs.ts';

const settings = { namespace: 'recycling', image: 'i', minimumTimeoutSeconds: 1, incrementTimeoutSecondsPerGib: 1 };

/** Knows which pods the plugin itself created, and what each of them scrubbed. */
class WatchedCluster extends PodCluster {
  readonly started = new Map<string, string>();
  scrubs = '';

  override async create<K extends Kind>(kind: K, object: Kinds[K]): Promise<Kinds[K]> {
    const created = await super.create(kind, object);
    if (kind === 'Pod') this.started.set(created.metadata.uid ?? '', this.scrubs);
    return created;
  }
}

/** One volume, its recycler, and whoever tampers with them. */
class Scene {
  readonly cluster = new WatchedCluster();
  readonly plugin = new HostPathPlugin({ pods: new RecyclerPods(this.cluster), settings });
  /** Pods of the plugin's own that ran to their end. */
  readonly succeeded = new Set<string>();
  #uids = 0;
  #crashAt: string | undefined;

  constructor() {
    this.cluster.put('PersistentVolume', orphan('pv'));
    this.cluster.before = (verb, resource) => {
      if (this.#crashAt === `${verb} ${resource}`) throw new AmbiguousError('crash');
    };
  }

  get volume(): PersistentVolume {
    return this.cluster.all('PersistentVolume')[0] as PersistentVolume;
  }

  get pod(): Pod | undefined {
    return this.cluster.all('Pod')[0];
  }

  /** The data that is on the volume now: whose it is, and where. */
  get data(): string {
    const { metadata, spec } = this.volume;
    return JSON.stringify([metadata.uid, spec.hostPath?.path, spec.claimRef?.uid]);
  }

  async step(): Promise<string> {
    this.cluster.scrubs = this.data;
    return await this.plugin.recycle(this.volume).catch((error: Error) => error.message);
  }

  readonly acts: Readonly<Record<string, () => void>> = {
    'its pod succeeds': () => {
      const uid = this.pod?.metadata.uid ?? '';
      if (!this.cluster.started.has(uid)) return;
      this.cluster.podIs('Succeeded');
      this.succeeded.add(uid);
    },
    'its pod fails': () => void (this.pod && this.cluster.podIs('Failed')),
    'somebody deletes the pod': () => this.cluster.remove('Pod', { namespace: 'recycling', name: 'recycler-for-pv' }),
    'a bare pod is forged': () => this.#forge({}),
    'a pod with the right labels is forged': () => this.#forge({ annotations: { [RECYCLED_VOLUME]: 'pv' } }),
    'a pod that is a copy of the real one is forged': () => this.#forge(this.pod?.metadata ?? {}),
    'a pod that quotes the record is forged': () =>
      this.#forge({ annotations: this.volume.metadata.annotations ?? {} }),
    'a pod without a uid is forged': () => this.#forge({ uid: '' }),
    'a pod whose uid is the claim’s is forged': () => this.#forge({ uid: this.volume.spec.claimRef?.uid ?? '' }),
    'a pod whose uid holds slashes is forged': () =>
      this.#forge({ uid: this.volume.metadata.annotations?.[RECYCLER_POD] ?? '/' }),
    'another claim used the volume meanwhile': () => {
      this.#replace({ claimRef: refTo(claim(`later-${this.#uids++}`)) });
    },
    'the volume is made anew from a copy of itself, for another folder': () => {
      const uid = `uid-of-copy-${this.#uids++}`;
      this.#replace({ hostPath: { path: `/tmp/${uid}` } }, { uid });
    },
    'the failure was reported': () => {
      this.cluster.put('PersistentVolume', { ...this.volume, status: { phase: 'Failed' } });
    },
    'creating is cut off': () => this.#crash('create pods'),
    'recording is cut off': () => this.#crash('update persistentvolumes'),
    'deleting is cut off': () => this.#crash('delete pods'),
    'all is well again': () => this.#crash(undefined),
  };

  #forge(metadata: Partial<Pod['metadata']>): void {
    const uid =
      metadata.uid !== undefined && metadata.uid !== this.pod?.metadata.uid ? metadata.uid : `forged-${this.#uids++}`;
    const named = { ...metadata, namespace: 'recycling', name: 'recycler-for-pv', uid };
    this.cluster.put('Pod', { metadata: named, status: { phase: 'Succeeded' } });
  }

  #replace(spec: Partial<PersistentVolume['spec']>, metadata: Partial<PersistentVolume['metadata']> = {}): void {
    const { volume } = this;
    this.cluster.put('PersistentVolume', {
      ...volume,
      metadata: { ...volume.metadata, ...metadata },
      spec: { ...volume.spec, ...spec },
      status: { phase: 'Released' },
    });
  }

  #crash(call: string | undefined): void {
    this.#crashAt = call;
  }
}

const NAMES = Object.keys(new Scene().acts);
type Play = readonly string[];

/** Does the acts, with a step of the recycler after each. */
async function play(acts: Play): Promise<void> {
  const scene = new Scene();
  for (const act of ['all is well again', ...acts]) {
    scene.acts[act]?.();
    const uid = scene.pod?.metadata.uid ?? '';
    if ((await scene.step()) !== 'done') continue;
    expect(scene.succeeded).toContain(uid);
    expect(scene.cluster.started.get(uid)).toBe(scene.data);
    return;
  }
}

test('no play of forgers, users and crashes makes an unscrubbed volume count as scrubbed', async () => {
  const plays = fc.array(fc.constantFrom(...NAMES), { maxLength: 12 });
  await fc.assert(fc.asyncProperty(plays, play), {
    ...runs(),
    examples: [[['its pod succeeds', 'the volume is made anew from a copy of itself, for another folder']]] as never,
  });
});

describe('each act alone, before and after the real pod has succeeded', () => {
  test.each(NAMES)('%s', async (name) => {
    await play([name]);
    await play([name, name, 'all is well again', 'its pod succeeds']);
    await play(['its pod succeeds', name]);
    const scene = new Scene();
    await scene.step();
    scene.acts['its pod succeeds']?.();
    scene.acts[name]?.();
    const uid = scene.pod?.metadata.uid ?? '';
    if ((await scene.step()) === 'done') expect(scene.cluster.started.get(uid)).toBe(scene.data);
  });
});

test('undisturbed, and after every disturbance has ended, the volume is scrubbed', async () => {
  const scene = new Scene();
  for (const name of NAMES) {
    scene.acts[name]?.();
    await scene.step();
  }
  scene.acts['the failure was reported']?.();
  const ends: string[] = [];
  for (let step = 0; step < 5 && !ends.includes('done'); step++) {
    scene.acts['its pod succeeds']?.();
    ends.push(await scene.step());
  }
  expect(ends).toContain('done');
});
