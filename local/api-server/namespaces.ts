import type { Change } from './collection.ts';
import type { ApiObject } from './json.ts';
import type { Operations } from './operations.ts';
import { resources } from './resources.ts';
import type { ObjectStore } from './store.ts';

const namespaced = resources.filter((resource) => resource.namespaced);

/**
 * A stand-in for the namespace controller: deletes what is in a namespace that is to be deleted, and then the namespace.
 * Returns what ends it.
 */
export function startNamespaces(store: ObjectStore, operations: Operations): () => void {
  const finish = (name: string) => {
    const namespace = store.get('namespaces', { name });
    if (namespace?.metadata.deletionTimestamp === undefined) return;
    for (const resource of namespaced) {
      for (const object of store.list(resource.plural, name)) {
        if (object.metadata.deletionTimestamp === undefined) {
          operations.delete({ resource, namespace: name, name: object.metadata.name }, { gracePeriodSeconds: 0 });
        }
      }
    }
    const isEmpty = namespaced.every((resource) => store.list(resource.plural, name).length === 0);
    if (isEmpty && (namespace.metadata.finalizers ?? []).length === 0) store.commit('namespaces', name, undefined);
  };
  const isDying = (namespace: ApiObject | undefined) => namespace?.metadata.deletionTimestamp !== undefined;
  const onNamespace = ({ object }: Change) => {
    if (isDying(object)) setImmediate(finish, object.metadata.name);
  };
  const onContent = ({ type, object }: Change) => {
    const name = object.metadata.namespace ?? '';
    if (type === 'DELETED' && isDying(store.get('namespaces', { name }))) setImmediate(finish, name);
  };
  const ends = [
    store.subscribe('namespaces', onNamespace),
    ...namespaced.map(({ plural }) => store.subscribe(plural, onContent)),
  ];
  return () => {
    for (const end of ends) end();
  };
}
