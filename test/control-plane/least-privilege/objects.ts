/** The objects of one scenario, made by an administrator and gone with it. */
import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../harness.ts';

export const namespace = 'least-privilege';
const claimsPath = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;

/** An object to be made. */
interface Draft {
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** An object as the API server gives it back. */
export interface Stored {
  readonly metadata: { readonly name: string; readonly uid: string };
}

export class Objects {
  /** Part of every name, so that scenarios have nothing in common. */
  readonly id = randomUUID().slice(0, 8);
  readonly #admin: ApiClient;
  readonly #made: string[] = [];

  constructor(admin: ApiClient) {
    this.#admin = admin;
  }

  /** @throws Error with the API server's own words. */
  async request<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await this.#admin.request<T>(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Makes an object that goes when the scenario ends. */
  async make(collection: string, object: Draft): Promise<Stored> {
    const stored = await this.request<Stored>('POST', collection, object);
    this.goesAtTheEnd(`${collection}/${object.metadata.name}`);
    return stored;
  }

  /** An object of somebody else goes when the scenario ends. */
  goesAtTheEnd(path: string): void {
    this.#made.push(path);
  }

  /** A claim of 1Gi that only volumes of this scenario fit; fields of its spec on top of that. */
  claim(name: string, spec: object = {}, annotations: object = {}): Promise<Stored> {
    return this.make(claimsPath, {
      metadata: { name: `${name}-${this.id}`, annotations },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        storageClassName: this.id,
        ...spec,
      },
    });
  }

  /** A hostPath volume of 1Gi for claims of this scenario; fields of its spec on top of that. */
  volume(name: string, spec: object = {}, annotations: object = {}): Promise<Stored> {
    return this.make('/api/v1/persistentvolumes', {
      metadata: { name: `${name}-${this.id}`, annotations },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        persistentVolumeReclaimPolicy: 'Retain',
        hostPath: { path: `/tmp/least-privilege-${this.id}` },
        storageClassName: this.id,
        ...spec,
      },
    });
  }

  /** As `volume`, and Available. */
  async freeVolume(name: string): Promise<Stored> {
    const stored = await this.volume(name);
    await this.setPhase(stored, 'Available');
    return stored;
  }

  async setPhase({ metadata: { name } }: Stored, phase: string): Promise<void> {
    await this.request('PATCH', `/api/v1/persistentvolumes/${name}/status`, { status: { phase } });
  }

  storageClass(provisioner: string, fields: object = {}, annotations: object = {}): Promise<Stored> {
    const metadata = { name: this.id, annotations };
    return this.make('/apis/storage.k8s.io/v1/storageclasses', { metadata, provisioner, ...fields });
  }

  /** Takes away all that was made, the newest first. */
  async close(): Promise<void> {
    for (const path of this.#made.toReversed()) {
      await this.#admin.request('PATCH', path, { metadata: { finalizers: null } });
      await this.#admin.request('DELETE', `${path}?gracePeriodSeconds=0`);
    }
  }
}
