import { forbiddenObject, notFound } from './errors.ts';
import { type ApiObject, stringsAt } from './json.ts';
import { type Resource, resourceOf } from './resources.ts';
import { betaClassAnnotation, requestedStorage } from './rules-claim.ts';
import type { ObjectStore } from './store.ts';

const protectionFinalizers: Readonly<Record<string, string>> = {
  PersistentVolume: 'kubernetes.io/pv-protection',
  PersistentVolumeClaim: 'kubernetes.io/pvc-protection',
};

/** The finalizer that keeps an object of this kind while it is in use. */
export function protectionFinalizer(kind: string): string | undefined {
  return protectionFinalizers[kind];
}

const defaultClassAnnotations = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** Refuses objects in namespaces that do not exist or are going away. */
export function admitNamespace(store: ObjectStore, resource: Resource, namespace: string, name: string): void {
  const found = store.get('namespaces', { name: namespace });
  if (found === undefined) throw notFound(resourceOf('namespaces'), namespace);
  if (found.metadata.deletionTimestamp !== undefined) {
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    const cause = {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    };
    throw forbiddenObject(resource, name, why, [cause]);
  }
}

/** Gives a new claim that says nothing about its class the default one. */
export function admitDefaultClass(store: ObjectStore, draft: ApiObject): void {
  if (draft.kind !== 'PersistentVolumeClaim' || draft.spec === undefined) return;
  if (draft.spec['storageClassName'] !== undefined) return;
  if (draft.metadata.annotations?.[betaClassAnnotation] !== undefined) return;
  const [newest] = store.list('storageclasses').filter(isDefault).toSorted(newestFirst);
  if (newest !== undefined) draft.spec['storageClassName'] = newest.metadata.name;
}

function isDefault(storageClass: ApiObject): boolean {
  return defaultClassAnnotations.some((key) => storageClass.metadata.annotations?.[key] === 'true');
}

function newestFirst(left: ApiObject, right: ApiObject): number {
  const [leftTime, rightTime] = [left.metadata.creationTimestamp, right.metadata.creationTimestamp];
  if (leftTime !== rightTime) return leftTime > rightTime ? -1 : 1;
  return left.metadata.name < right.metadata.name ? -1 : 1;
}

/** Lets a bound claim grow only where its class says that volumes may. */
export function admitExpansion(store: ObjectStore, resource: Resource, draft: ApiObject, old: ApiObject): void {
  if (draft.kind !== 'PersistentVolumeClaim' || requestedStorage(draft) <= requestedStorage(old)) return;
  const name = classOf(draft);
  const storageClass = name === classOf(old) ? store.get('storageclasses', { name }) : undefined;
  if (storageClass?.['allowVolumeExpansion'] === true) return;
  const why =
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
  throw forbiddenObject(resource, draft.metadata.name, why);
}

function classOf(claim: ApiObject): string {
  return claim.metadata.annotations?.[betaClassAnnotation] ?? String(claim.spec?.['storageClassName'] ?? '');
}

/** Adds the finalizer that a new volume or claim is protected by. */
export function admitProtection(draft: ApiObject): void {
  const finalizer = protectionFinalizer(draft.kind);
  const finalizers = stringsAt(draft.metadata.finalizers);
  if (finalizer === undefined || finalizers.includes(finalizer)) return;
  draft.metadata.finalizers = [...finalizers, finalizer];
}
