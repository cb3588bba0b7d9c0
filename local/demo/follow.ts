/** List, then watch, again and again: how the demo's observer and its external provisioner see the cluster. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiServerCluster } from '../../lib/cluster/api-server.ts';
import type { Kind, Kinds } from '../../lib/controller/types.ts';

export interface FollowOptions<K extends Kind> {
  readonly namespace?: string;
  readonly signal: AbortSignal;
  readonly onChange: (type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Kinds[K]) => void;
  /** Told of what broke; it goes on with a new list. */
  readonly onError: (error: unknown) => void;
}

const PAUSE_AFTER_ERROR_MS = 250;

/** @returns when the first list is there; nothing that happens later is missed. It goes on until the signal. */
export async function follow<K extends Kind>(
  cluster: ApiServerCluster,
  kind: K,
  options: FollowOptions<K>,
): Promise<void> {
  const { signal } = options;
  const listed = Promise.withResolvers<void>();
  const run = async () => {
    while (!signal.aborted) {
      try {
        await listAndWatch(cluster, kind, options, listed.resolve);
      } catch (error) {
        if (signal.aborted) return;
        options.onError(error);
        await sleep(PAUSE_AFTER_ERROR_MS, undefined, { signal }).catch(() => {});
      }
    }
  };
  void run();
  await listed.promise;
}

async function listAndWatch<K extends Kind>(
  cluster: ApiServerCluster,
  kind: K,
  { namespace, signal, onChange }: FollowOptions<K>,
  onListed: () => void,
): Promise<void> {
  const where = { signal, ...(namespace !== undefined && { namespace }) };
  const { items, resourceVersion } = await cluster.listWithVersion(kind, where);
  for (const item of items) onChange('ADDED', item);
  onListed();
  let version = resourceVersion;
  while (!signal.aborted) {
    for await (const event of cluster.watch(kind, { ...where, resourceVersion: version })) {
      version = event.object.metadata.resourceVersion ?? version;
      if (event.type !== 'BOOKMARK') onChange(event.type, event.object);
    }
  }
}
