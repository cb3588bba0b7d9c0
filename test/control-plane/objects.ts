/** The few objects that the smoke test creates, and a way to wait for what becomes of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from './harness.ts';

/** As much of a volume or a claim as the smoke test looks at. */
export interface StorageObject {
  readonly metadata: { readonly name: string; readonly uid: string; readonly finalizers?: readonly string[] };
  readonly spec: {
    readonly volumeName?: string;
    readonly volumeAttributesClassName?: string;
    readonly claimRef?: { readonly name: string };
  };
  readonly status: { readonly phase: string };
}

export const volumesPath = '/api/v1/persistentvolumes';
export const claimsPath = '/api/v1/namespaces/default/persistentvolumeclaims';
export const classesPath = '/apis/storage.k8s.io/v1/storageclasses';

const pollMilliseconds = 50;
const timeoutMilliseconds = 20_000;

/** A hostPath volume of 1Gi without a class. */
export function volume(name: string, spec: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: `/tmp/${name}` },
      ...spec,
    },
  };
}

/** A claim for 1Gi; the class is empty unless given. */
export function claim(name: string, spec: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: '',
      ...spec,
    },
  };
}

/** A class of an external provisioner, with policy Delete. */
export function storageClass(name: string, provisioner: string): object {
  return { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name }, provisioner };
}

/** Creates an object, or fails with the API server's own words. */
export async function create(client: ApiClient, path: string, object: object): Promise<StorageObject> {
  const { status, body } = await client.request<StorageObject>('POST', path, object);
  if (status !== 201) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Polls until `look` has something to show. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = Date.now() + timeoutMilliseconds;
  while (Date.now() < deadline) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    await sleep(pollMilliseconds);
  }
  throw new Error(`not seen in ${timeoutMilliseconds} ms: ${what}`);
}

/** Waits until the object is in this phase. */
export function untilPhase(client: ApiClient, path: string, phase: string): Promise<StorageObject> {
  return eventually(`${path} ${phase}`, async () => {
    const { body } = await client.request<StorageObject>('GET', path);
    return body.status.phase === phase && body;
  });
}

/** Waits until the object is gone. */
export function untilGone(client: ApiClient, path: string): Promise<true> {
  return eventually(`${path} gone`, async () => (await client.request('GET', path)).status === 404 || undefined);
}
