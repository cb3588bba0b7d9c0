/**
 * What a user does to a cluster, as data: it can be played on both control planes, shortened and kept in a file.
 *
 * Names carry a mark that every play replaces by a prefix of its own (`~v1`), and `{~n1/~c1#1}` is the uid of the first
 * claim that was called so; see names.ts.
 */

export const KINDS = ['PersistentVolume', 'PersistentVolumeClaim', 'StorageClass', 'Pod', 'Namespace'] as const;
export type ActedKind = (typeof KINDS)[number];

export interface Action {
  /** A patch is a merge patch; the status of an object is patched by itself. */
  readonly do: 'create' | 'patch' | 'patch status' | 'delete';
  readonly kind: ActedKind;
  /** Of claims and pods. */
  readonly namespace?: string;
  readonly name: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

const COLLECTIONS: Readonly<Record<ActedKind, string>> = {
  PersistentVolume: 'persistentvolumes',
  PersistentVolumeClaim: 'persistentvolumeclaims',
  StorageClass: 'storageclasses',
  Pod: 'pods',
  Namespace: 'namespaces',
};

/** Where the objects of a kind are: those of one namespace, or all of them. */
export function collectionOf(kind: ActedKind, namespace?: string): string {
  const root = kind === 'StorageClass' ? '/apis/storage.k8s.io/v1' : '/api/v1';
  return `${root}/${namespace === undefined ? '' : `namespaces/${namespace}/`}${COLLECTIONS[kind]}`;
}

/** Where one object is. */
export function pathOf({ kind, namespace, name }: Pick<Action, 'kind' | 'namespace' | 'name'>): string {
  return `${collectionOf(kind, namespace)}/${name}`;
}

/** One line for people. */
export function describeAction(action: Action): string {
  const { kind, namespace, name, body } = action;
  const object = `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
  return `${action.do} ${object}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`;
}
