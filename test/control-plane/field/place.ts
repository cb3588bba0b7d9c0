/** Where a scenario happens: a namespace on a control plane, what it is made of, and a watch of all that becomes of it. */
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../../lib/controller/types.ts';
import type { ApiClient, ApiResponse, ControlPlane } from '../harness.ts';
import { classesPath, eventually, volumesPath } from '../objects.ts';
import { Watch } from '../watching.ts';
import { claimDraft, type Draft, volumeDraft } from './drafts.ts';
import { type About, eventsOf, type Told, untilTold } from './events.ts';
import { passed, type Stored, type StoredClaim, upToNow } from './history.ts';
import { type ClaimState, claimState, type VolumeState, volumeState } from './states.ts';

export class Place {
  readonly plane: ControlPlane;
  readonly client: ApiClient;
  readonly namespace: string;
  readonly #volumes: Watch<Stored>;
  readonly #claims: Watch<StoredClaim>;

  private constructor(plane: ControlPlane, namespace: string, volumes: Watch<Stored>, claims: Watch<StoredClaim>) {
    this.plane = plane;
    this.client = plane.client();
    this.namespace = namespace;
    this.#volumes = volumes;
    this.#claims = claims;
  }

  /** Makes the namespace and opens the watches: nothing of what follows is missed. */
  static async open(plane: ControlPlane, namespace: string): Promise<Place> {
    await plane.client().request('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    const [volumes, claims] = await Promise.all([
      Watch.start<Stored>(plane, volumesPath),
      Watch.start<StoredClaim>(plane, claimsPathOf(namespace)),
    ]);
    return new Place(plane, namespace, volumes, claims);
  }

  /** Asks for what must work: a refusal fails the test with the API server's own words. */
  async request<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.client.request<T>(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** A volume of 1Gi on a directory of its own: class empty, Retain, ReadWriteOnce unless the draft says otherwise. */
  createVolume(name: string, draft: Draft = {}): Promise<PersistentVolume> {
    return this.request('POST', volumesPath, volumeDraft(name, draft));
  }

  /** A claim of 1Gi: class empty, ReadWriteOnce unless the draft says otherwise. */
  createClaim(name: string, draft: Draft = {}, namespace = this.namespace): Promise<PersistentVolumeClaim> {
    return this.request('POST', claimsPathOf(namespace), claimDraft(name, draft));
  }

  /** `fields` on top of apiVersion, kind, name and provisioner. */
  createClass(
    name: string,
    provisioner: string,
    fields: object = {},
    annotations = {},
  ): Promise<{ metadata: unknown }> {
    const kind = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' };
    return this.request('POST', classesPath, { ...kind, metadata: { name, annotations }, provisioner, ...fields });
  }

  /** A pod that uses the claim; no kubelet runs it, and no node has it unless one is given. */
  createPod(name: string, claimName: string, spec: object = {}): Promise<Pod> {
    return this.request('POST', `/api/v1/namespaces/${this.namespace}/pods`, {
      metadata: { name },
      spec: {
        containers: [{ name: 'main', image: 'example.com/none' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
        ...spec,
      },
    });
  }

  volumePath = (name: string) => `${volumesPath}/${name}`;
  claimPath = (name: string, namespace = this.namespace) => `${claimsPathOf(namespace)}/${name}`;

  volume = (name: string) => this.request<Stored>('GET', this.volumePath(name));
  claim = (name: string, namespace?: string) => this.request<StoredClaim>('GET', this.claimPath(name, namespace));
  patchVolume = (name: string, patch: object) => this.request<Stored>('PATCH', this.volumePath(name), patch);
  patchClaim = (name: string, patch: object) => this.request<StoredClaim>('PATCH', this.claimPath(name), patch);
  deleteVolume = (name: string) => this.request('DELETE', this.volumePath(name));
  deleteClaim = (name: string) => this.request('DELETE', this.claimPath(name));

  async volumeState(name: string): Promise<VolumeState> {
    return volumeState(await this.volume(name));
  }

  async claimState(name: string, namespace?: string): Promise<ClaimState> {
    return claimState(await this.claim(name, namespace));
  }

  /** Of all volumes. */
  async phases(): Promise<(string | undefined)[]> {
    const { items } = await this.request<{ items: PersistentVolume[] }>('GET', volumesPath);
    return items.map(({ status }) => status?.phase);
  }

  /** Sets fields of the status, as an administrator (or a restore) can. */
  async patchStatus(path: string, status: object): Promise<void> {
    await this.request('PATCH', `${path}/status`, { status });
  }

  untilVolume(name: string, phase: string): Promise<Stored> {
    return this.#until(this.volumePath(name), phase);
  }

  untilClaim(name: string, phase: string, namespace?: string): Promise<StoredClaim> {
    return this.#until(this.claimPath(name, namespace), phase);
  }

  async untilBound(volumeName: string, claimName: string): Promise<void> {
    await Promise.all([this.untilVolume(volumeName, 'Bound'), this.untilClaim(claimName, 'Bound')]);
  }

  /** Deletes a claim and waits for what its volume must become. */
  async release(claimName: string, volumeName: string, phase = 'Released'): Promise<Stored> {
    await this.deleteClaim(claimName);
    return await this.untilVolume(volumeName, phase);
  }

  async untilGone(path: string): Promise<void> {
    await eventually(`${path} gone`, async () => (await this.client.request('GET', path)).status === 404);
  }

  /** As `kubectl delete` and `kubectl patch` in a hurry: nothing is asked, the finalizers go. */
  async forceDelete(path: string): Promise<void> {
    // In this order: the protection controller puts its finalizer back on an object that is not being deleted.
    await this.client.request('DELETE', path);
    await this.client.request('PATCH', path, { metadata: { finalizers: null } });
    await this.untilGone(path);
  }

  /** What the controller's events say about an object; repeated ones once. */
  eventsOf(object: About): Promise<Told[]> {
    return eventsOf(this.client, object);
  }

  /** Waits for that event about an object. */
  untilTold(object: About, told: Told): Promise<void> {
    return untilTold(this.client, object, told);
  }

  /** Phases that a volume has been in since the scenario began, up to this moment, without repeats in a row. */
  async phasesOf(name: string): Promise<string[]> {
    return passed(await upToNow(this.client, this.#volumes, this.volumePath(name), name));
  }

  async claimPhasesOf(name: string): Promise<string[]> {
    return passed(await upToNow(this.client, this.#claims, this.claimPath(name), name));
  }

  /** Every state of a volume that the watch has seen, up to this moment. */
  async historyOf(name: string): Promise<PersistentVolume[]> {
    return await upToNow(this.client, this.#volumes, this.volumePath(name), name);
  }

  /** Deletes all that is left, finalizers or not. */
  async close(): Promise<void> {
    const collections = ['/api/v1/persistentvolumeclaims', volumesPath, classesPath];
    await this.request('DELETE', `/api/v1/namespaces/${this.namespace}/pods?gracePeriodSeconds=0`);
    await eventually('nothing left', async () => {
      const lists = await Promise.all(collections.map((path) => this.#pathsIn(path)));
      const paths = lists.flat();
      await Promise.all(
        paths.map(async (path) => {
          await this.client.request('PATCH', path, { metadata: { finalizers: null } });
          await this.client.request('DELETE', path);
        }),
      );
      return paths.length === 0;
    });
    await Promise.all([this.#volumes.stop(), this.#claims.stop()]);
  }

  async #pathsIn(collection: string): Promise<string[]> {
    const { items } = await this.request<{ items: PersistentVolumeClaim[] }>('GET', collection);
    return items.map(({ metadata: { namespace, name } }) =>
      namespace === undefined ? `${collection}/${name}` : this.claimPath(name, namespace),
    );
  }

  #until<T extends { readonly status?: { readonly phase?: string } }>(path: string, phase: string): Promise<T> {
    let last: ApiResponse<T> | undefined;
    return eventually(`${path} ${phase}`, async () => {
      last = await this.client.request<T>('GET', path);
      return last.body.status?.phase === phase && last.body;
    }).catch((error: Error) => {
      throw new Error(`${error.message}; seen: ${JSON.stringify(last?.body)}`);
    });
  }
}

function claimsPathOf(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
}
