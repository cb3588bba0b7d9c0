/** Field reports on a real control plane: what heals them is run by the real kubectl. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { connectionFromKubeconfig } from '../../../lib/cluster/kubeconfig.ts';
import { featuresOf } from '../../../lib/controller/features.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../lib/controller/types.ts';
import { ApiReader } from '../../../lib/diagnosis/api-reader.ts';
import { diagnose } from '../../../lib/diagnosis/diagnose.ts';
import type { Finding, Subject } from '../../../lib/diagnosis/finding.ts';
import { type Key, Place, type Plural } from '../../diagnosis/place.ts';
import { type ControllerUnderTest, controllerKind, startControllerUnderTest } from '../controller-under-test.ts';
import { type ApiResponse, type ControlPlane, startControlPlane } from '../harness.ts';
import { eventually } from '../objects.ts';

/** Longer than a cure ever waits for an object to be gone. */
const kubectlTimeoutMs = 30_000;
/** Each wait for the built-in controller to come to rest takes some of these. */
const builtInSyncPeriodMs = 200;
/** Ours has none here, as in the local place. */
const withoutPlugins = controllerKind === 'ours' ? { plugins: () => [] } : {};
const storage = '/apis/storage.k8s.io/v1';
const collections: Readonly<Record<string, string>> = {
  CSIDriver: `${storage}/csidrivers`,
  VolumeAttachment: `${storage}/volumeattachments`,
  storageclasses: `${storage}/storageclasses`,
  persistentvolumes: '/api/v1/persistentvolumes',
};

/** See the head of this file. */
export class RealPlace extends Place {
  readonly #plane: ControlPlane;
  readonly #controller: ControllerUnderTest;
  readonly #reader: ApiReader;

  private constructor(plane: ControlPlane, controller: ControllerUnderTest) {
    super();
    this.#plane = plane;
    this.#controller = controller;
    this.#reader = new ApiReader(connectionFromKubeconfig({ file: plane.kubeconfig() }));
  }

  /** With the admission that protects volumes and claims in use, as clusters have it. */
  static async open(): Promise<Place> {
    const plane = await startControlPlane({ disableAdmission: ['ServiceAccount'] });
    try {
      const controller = await startControllerUnderTest(plane, {
        // Nothing is healed by looking again: what a cure changes must be enough.
        syncPeriodMs: controllerKind === 'ours' ? 3_600_000 : builtInSyncPeriodMs,
        settings: { PV_BRIDGE_SWEEP_PERIOD_MS: '0' },
        system: { plugins: () => [] },
      });
      return new RealPlace(plane, controller);
    } catch (error) {
      await plane.stop();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#reader.close();
    try {
      await this.#controller.stop();
    } finally {
      await this.#plane.stop();
    }
  }

  async clear(): Promise<void> {
    const all = ['persistentvolumeclaims', 'pods', 'events', ...Object.keys(collections)].map((plural) =>
      pathOf(plural),
    );
    await eventually('nothing left', async () => {
      const lists = await Promise.all(all.map((path) => this.#namesIn(path)));
      const paths = lists.flat();
      await Promise.all(paths.map((path) => this.#force(path)));
      return paths.length === 0;
    });
    await this.settled();
  }

  settled(): Promise<void> {
    return this.#controller.settled();
  }

  async create(plural: Plural, body: object, namespace = 'default'): Promise<void> {
    await this.#request('POST', pathOf(plural, namespace), body);
  }

  async delete(plural: Plural, name: string): Promise<void> {
    await this.#request('DELETE', `${pathOf(plural)}/${name}`);
  }

  async remove(plural: Plural, { namespace, name }: Key): Promise<void> {
    const path = `${pathOf(plural, namespace)}/${name}`;
    await this.#force(path);
    await eventually(`${path} gone`, async () => (await this.#plane.client().request('GET', path)).status === 404);
  }

  async edit(name: string, change: (volume: PersistentVolume) => object): Promise<void> {
    const path = `${pathOf('persistentvolumes')}/${name}`;
    await eventually(`${path} edited`, async () => {
      const stored = await this.#request<PersistentVolume>('GET', path);
      const edited = { ...stored, ...change(stored) } as PersistentVolume;
      const target = edited.status === stored.status ? path : `${path}/status`;
      const answer = await this.#plane.client().request('PUT', target, edited);
      // Somebody else has changed it meanwhile.
      if (answer.status !== 409) assertDone('PUT', target, answer);
      return answer.status !== 409;
    });
  }

  async serve(kind: 'CSIDriver' | 'VolumeAttachment', object: object): Promise<void> {
    const { status, metadata, ...rest } = { spec: {}, status: undefined, ...object } as unknown as Served;
    const made = await this.#request<Served>('POST', pathOf(kind), { metadata, ...rest });
    if (status === undefined) return;
    await this.#request('PUT', `${pathOf(kind)}/${metadata.name}/status`, { ...made, status });
  }

  getVolume(name: string): Promise<PersistentVolume | undefined> {
    return this.#found(`${pathOf('persistentvolumes')}/${name}`);
  }

  getClaim(name: string): Promise<PersistentVolumeClaim | undefined> {
    return this.#found(`${pathOf('persistentvolumeclaims')}/${name}`);
  }

  async explain(subject: Subject): Promise<Finding> {
    const features = featuresOf(await this.#reader.serverVersion());
    return await diagnose(this.#reader, subject, { now: Date.now(), rules: { features, ...withoutPlugins } });
  }

  async run(command: string): Promise<void> {
    const env = { ...process.env, KUBECONFIG: this.#plane.kubeconfig() };
    await promisify(execFile)('/bin/sh', ['-ec', command], { env, timeout: kubectlTimeoutMs });
  }

  /** As an administrator in a hurry does it. */
  async #force(path: string): Promise<void> {
    const client = this.#plane.client();
    await client.request('DELETE', `${path}?gracePeriodSeconds=0`);
    await client.request('PATCH', path, { metadata: { finalizers: null } });
  }

  async #namesIn(path: string): Promise<string[]> {
    const { items } = await this.#request<{ items: PersistentVolume[] }>('GET', path);
    return items.map(({ metadata }) => `${path}/${metadata.name}`);
  }

  async #found<T>(path: string): Promise<T | undefined> {
    const answer = await this.#plane.client().request<T>('GET', path);
    if (answer.status === 404) return undefined;
    return assertDone('GET', path, answer);
  }

  async #request<T>(method: string, path: string, body?: object): Promise<T> {
    return assertDone(method, path, await this.#plane.client().request<T>(method, path, body));
  }
}

type Served = { readonly metadata: { readonly name: string }; readonly status?: object };

function assertDone<T>(method: string, path: string, { status, body }: ApiResponse<T>): T {
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
  return body;
}

function pathOf(plural: string, namespace = 'default'): string {
  return collections[plural] ?? `/api/v1/namespaces/${namespace}/${plural}`;
}
