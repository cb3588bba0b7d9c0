/** Kinds and where they live in the API. Names are checked before they become part of a path. */
import { isNamespaceName, isObjectName } from '../controller/names.ts';
import type { Kind, ObjectKey } from '../controller/types.ts';
import { InvalidNameError } from './errors.ts';

/** One kind of object, as the API server knows it. */
export interface ResourceType {
  readonly kind: string;
  readonly apiVersion: string;
  /** API group, empty for core. */
  readonly group: string;
  /** Such as `persistentvolumes`; also the `kind` in a Status' details. */
  readonly plural: string;
  readonly namespaced: boolean;
}

/** What a request is about: its path, and the parts of it for errors, metrics and checks of the answer. */
export interface Target {
  readonly type: ResourceType;
  readonly path: string;
  /** The path with `{namespace}` and `{name}` in place of values: a metric's dimension. */
  readonly template: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

function core(kind: string, plural: string, namespaced: boolean): ResourceType {
  return { kind, apiVersion: 'v1', group: '', plural, namespaced };
}

const TYPES: Record<Kind, ResourceType> = {
  PersistentVolume: core('PersistentVolume', 'persistentvolumes', false),
  PersistentVolumeClaim: core('PersistentVolumeClaim', 'persistentvolumeclaims', true),
  Pod: core('Pod', 'pods', true),
  Node: core('Node', 'nodes', false),
  Event: core('Event', 'events', true),
  StorageClass: {
    kind: 'StorageClass',
    apiVersion: 'storage.k8s.io/v1',
    group: 'storage.k8s.io',
    plural: 'storageclasses',
    namespaced: false,
  },
};

/** Where objects of this kind live in the API. */
export function typeOf(kind: Kind): ResourceType {
  return TYPES[kind];
}

/**
 * One object, or its subresource.
 * @throws InvalidNameError for a name that is no DNS-1123 subdomain (253) or a namespace that is no DNS-1123 label (63).
 */
export function objectTarget(type: ResourceType, key: ObjectKey, subresource?: 'status'): Target {
  if (!isObjectName(key.name)) throw new InvalidNameError(`name of ${type.plural}`, key.name);
  const collection = collectionTarget(type, type.namespaced ? (key.namespace ?? '') : undefined);
  const tail = subresource === undefined ? '' : `/${subresource}`;
  return {
    ...collection,
    path: `${collection.path}/${encodeURIComponent(key.name)}${tail}`,
    template: `${collection.template}/{name}${tail}`,
    name: key.name,
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/**
 * All objects of a type, or those of one namespace.
 * @throws InvalidNameError for a namespace that is no DNS-1123 label.
 */
export function collectionTarget(type: ResourceType, namespace?: string): Target {
  const root = type.group === '' ? `/api/${type.apiVersion}` : `/apis/${type.apiVersion}`;
  if (!type.namespaced || namespace === undefined) {
    return { type, path: `${root}/${type.plural}`, template: `${root}/${type.plural}` };
  }
  if (!isNamespaceName(namespace)) throw new InvalidNameError(`namespace of ${type.plural}`, namespace);
  return {
    type,
    path: `${root}/namespaces/${encodeURIComponent(namespace)}/${type.plural}`,
    template: `${root}/namespaces/{namespace}/${type.plural}`,
    namespace,
  };
}
