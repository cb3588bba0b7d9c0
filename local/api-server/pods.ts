import type { Change } from './collection.ts';
import { type ApiObject, objectAt } from './json.ts';
import type { Operations } from './operations.ts';
import { resourceOf, storageKey } from './resources.ts';
import type { ObjectStore } from './store.ts';

export interface KubeletOptions {
  /** Which pods to run, by the beginning of their names; all of them unless given. */
  readonly namePrefix?: string;
  /** How long a pod runs before it has succeeded; 100 unless given. */
  readonly runMs?: number;
  /** What a pod does when it runs, and whether it succeeds by that. */
  readonly run?: (pod: ApiObject) => boolean | Promise<boolean>;
}

const node = 'local';

/**
 * A stand-in for scheduler and kubelet: binds pods to a node, runs them to their end, confirms the end of deleted ones.
 * Returns what ends it.
 */
export function startKubelet(store: ObjectStore, operations: Operations, options: KubeletOptions): () => void {
  const { namePrefix = '', runMs = 100, run = () => true } = options;
  const timers = new Set<NodeJS.Timeout>();
  const after = (milliseconds: number, job: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      job();
    }, milliseconds);
    timers.add(timer);
  };

  const setState = ({ metadata }: ApiObject, phase: string) => {
    const pod = store.get('pods', metadata);
    if (pod === undefined || pod.metadata.uid !== metadata.uid) return;
    // Past the rules: they would refuse to change the node of a pod.
    store.commit('pods', storageKey(metadata.namespace, metadata.name), {
      ...pod,
      spec: { ...pod.spec, nodeName: objectAt(pod.spec)['nodeName'] ?? node },
      status: { ...pod.status, phase },
    });
  };
  const finish = async (pod: ApiObject) => {
    const succeeded = await Promise.resolve(pod)
      .then(run)
      .catch(() => false);
    setState(pod, succeeded ? 'Succeeded' : 'Failed');
  };
  const confirmEnd = ({ metadata }: ApiObject) => {
    const { name, namespace, uid } = metadata;
    if (store.get('pods', metadata)?.metadata.uid !== uid) return;
    operations.delete({ resource: resourceOf('pods'), namespace, name }, { gracePeriodSeconds: 0 });
  };

  const unsubscribe = store.subscribe('pods', ({ type, object }: Change) => {
    if (!object.metadata.name.startsWith(namePrefix)) return;
    if (type === 'ADDED') {
      after(0, () => setState(object, 'Running'));
      after(runMs, () => void finish(object));
    } else if (type === 'MODIFIED' && object.metadata.deletionTimestamp !== undefined) {
      after(0, () => confirmEnd(object));
    }
  });
  return () => {
    unsubscribe();
    timers.forEach(clearTimeout);
  };
}
