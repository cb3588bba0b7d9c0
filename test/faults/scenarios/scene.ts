/** What a user does in one scenario of one run, and what it waits for: straight at the API server, where nothing fails. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../control-plane/harness.ts';
import { claim, volume, volumesPath } from '../../control-plane/objects.ts';
import type { Observer } from '../observer/observer.ts';
import type { Claim, Volume } from '../observer/state.ts';

/** Fields of the spec on top of the usual ones, and metadata. */
interface Draft {
  readonly spec?: object;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 45_000;
const POLL_MS = 15;

export class Scene {
  /** Of all names: `r12-`. */
  readonly prefix: string;
  readonly namespace: string;
  /** A class of its own keeps the volumes of a scenario to its claims. */
  readonly storageClass: string;
  readonly #client: ApiClient;
  readonly #observer: Observer;

  constructor(client: ApiClient, observer: Observer, run: string, scenario: string) {
    this.#client = client;
    this.#observer = observer;
    this.prefix = `${run}-${scenario}-`;
    this.namespace = run;
    this.storageClass = `${run}-${scenario}`;
  }

  createVolume(name: string, { spec, ...metadata }: Draft = {}): Promise<Volume> {
    const full = this.prefix + name;
    const draft = volume(full, {
      // Only what lies below /tmp may be deleted with its volume.
      hostPath: { path: `/tmp/pv-faults/${full}` },
      storageClassName: this.storageClass,
      ...spec,
    }) as object;
    return this.#request('POST', volumesPath, { ...draft, metadata: { name: full, ...metadata } });
  }

  createClaim(name: string, { spec, ...metadata }: Draft = {}): Promise<Claim> {
    const full = this.prefix + name;
    const draft = claim(full, { storageClassName: this.storageClass, ...spec }) as object;
    return this.#request('POST', this.#claimsPath, { ...draft, metadata: { name: full, ...metadata } });
  }

  patchVolume(name: string, patch: object): Promise<Volume> {
    return this.#request('PATCH', `${volumesPath}/${this.prefix}${name}`, patch);
  }

  patchClaim(name: string, patch: object): Promise<Claim> {
    return this.#request('PATCH', `${this.#claimsPath}/${this.prefix}${name}`, patch);
  }

  deleteClaim(name: string): Promise<unknown> {
    return this.#request('DELETE', `${this.#claimsPath}/${this.prefix}${name}`);
  }

  /** A class that provisions; its name is that of the scenario's class. */
  createClass(provisioner: string): Promise<unknown> {
    const kind = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: this.storageClass } };
    return this.#request('POST', '/apis/storage.k8s.io/v1/storageclasses', { ...kind, provisioner });
  }

  volume = (name: string): Volume | undefined => this.volumeNamed(this.prefix + name);
  /** One whose name somebody else has given. */
  volumeNamed = (name: string): Volume | undefined => this.#observer.volume(name);
  claim = (name: string): Claim | undefined => this.#observer.claim(this.namespace, this.prefix + name);

  /** Waits until the volume is in this phase. */
  untilVolume(name: string, phase: string): Promise<unknown> {
    return this.until(`volume ${name} ${phase}`, () => this.volume(name)?.status?.phase === phase);
  }

  /** Waits until the claim is Bound, and so is the volume that it names. */
  untilBound(name: string): Promise<unknown> {
    return this.until(`claim ${name} bound`, () => {
      const bound = this.claim(name);
      if (bound?.status?.phase !== 'Bound') return false;
      return this.#observer.volume(bound.spec.volumeName ?? '')?.status?.phase === 'Bound';
    });
  }

  /** Waits until `look` says true. @throws Error that names what has not come. */
  async until(what: string, look: () => boolean): Promise<void> {
    const deadline = performance.now() + TIMEOUT_MS;
    while (!look()) {
      if (performance.now() > deadline) throw new Error(`${this.prefix}: not in ${TIMEOUT_MS} ms: ${what}`);
      await sleep(POLL_MS);
    }
  }

  get #claimsPath(): string {
    return `/api/v1/namespaces/${this.namespace}/persistentvolumeclaims`;
  }

  async #request<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.#client.request<T>(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}
