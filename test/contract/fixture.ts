import { expect } from 'vitest';
import type { Answer, Body, Client } from './client.ts';

export const volumesPath = '/api/v1/persistentvolumes';
export const classesPath = '/apis/storage.k8s.io/v1/storageclasses';
export const hold = 'example.com/hold';

/** The server under test, with the paths and the objects that the contract needs. */
export class Fixture {
  client!: Client;
  #count = 0;
  readonly #created = new Set<string>();

  get namespace(): string {
    return this.client.server.namespace;
  }

  path(plural: string): string {
    return `/api/v1/namespaces/${this.namespace}/${plural}`;
  }

  get claimsPath(): string {
    return this.path('persistentvolumeclaims');
  }

  /** A name that nobody else has: the server may be shared. */
  name(stem: string): string {
    this.#count += 1;
    return `${this.namespace}-${stem}-${this.#count}`;
  }

  /** Creates an object without protection finalizers, which tests that are not about them would trip over. */
  async create(collection: string, object: Body): Promise<Body> {
    const { status, body } = await this.client.post(collection, object);
    expect(status, JSON.stringify(body)).toBe(201);
    const path = `${collection}/${body.metadata.name}`;
    this.#created.add(path);
    const finalizers: string[] = body.metadata.finalizers ?? [];
    const own = finalizers.filter((finalizer) => !/^kubernetes\.io\/pvc?-protection$/.test(finalizer));
    if (own.length === finalizers.length) return body;
    return (await this.client.put(path, { ...body, metadata: { ...body.metadata, finalizers: own } })).body;
  }

  createVolume(spec: Body = {}, metadata: Body = {}): Promise<Body> {
    return this.create(volumesPath, volume(this.name('pv'), spec, metadata));
  }

  createClaim(spec: Body = {}, metadata: Body = {}): Promise<Body> {
    return this.create(this.claimsPath, claim(this.name('claim'), spec, metadata));
  }

  createClass(fields: Body = {}, annotations: Body = {}): Promise<Body> {
    return this.create(classesPath, storageClass(this.name('class'), fields, annotations));
  }

  createPod(spec: Body = {}): Promise<Body> {
    return this.create(this.path('pods'), pod(this.name('pod'), spec));
  }

  /** The path of an object that was created here. */
  pathOf({ kind, metadata }: Body): string {
    if (kind === 'PersistentVolume') return `${volumesPath}/${metadata.name}`;
    if (kind === 'StorageClass') return `${classesPath}/${metadata.name}`;
    const plurals: Record<string, string> = {
      PersistentVolumeClaim: 'persistentvolumeclaims',
      Pod: 'pods',
      Event: 'events',
    };
    return `/api/v1/namespaces/${metadata.namespace}/${plurals[kind]}/${metadata.name}`;
  }

  /** Writes an object back. */
  put(object: Body, subresource = ''): Promise<Answer> {
    return this.client.put(`${this.pathOf(object)}${subresource}`, object);
  }

  read = async (object: Body): Promise<Body> => (await this.client.get(this.pathOf(object))).body;

  /** Removes what tests have left. */
  async cleanUp(): Promise<void> {
    this.client.closeWatches();
    for (const path of this.#created) {
      await this.client.patch(path, { metadata: { finalizers: null } });
      await this.client.delete(path, { gracePeriodSeconds: 0 });
    }
  }
}

export function volume(name: string, spec: Body = {}, metadata: Body = {}): Body {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, ...metadata },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/tmp/contract' },
      ...spec,
    },
  };
}

export function claim(name: string, spec: Body = {}, metadata: Body = {}): Body {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  };
}

export function storageClass(name: string, fields: Body = {}, annotations: Body = {}): Body {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, annotations },
    provisioner: 'example.com/contract',
    ...fields,
  };
}

export function pod(name: string, spec: Body = {}): Body {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'main', image: 'example.com/none' }], ...spec },
  };
}

/** Expects a `Status` of failure; returns it. */
export function expectFailure(answer: Answer, code: number, reason: string): Body {
  expect(answer.body, JSON.stringify(answer.body)).toMatchObject({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    reason,
    code,
  });
  expect(answer.status).toBe(code);
  return answer.body;
}
