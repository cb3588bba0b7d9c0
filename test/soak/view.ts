/** What a user sees of the cluster. */
import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../../lib/controller/types.ts';
import type { ApiClient } from '../control-plane/harness.ts';
import { type ActedKind, collectionOf } from '../differential/action.ts';
import type { Snapshot } from '../differential/snapshot.ts';
import { NAMESPACES } from './names.ts';

/** All volumes and classes, and the claims and pods of the users. */
export async function viewOf(client: ApiClient): Promise<Snapshot> {
  const list = async <T>(kind: ActedKind): Promise<T[]> => {
    const { status, body } = await client.request<{ items: T[] }>('GET', collectionOf(kind));
    if (status !== 200) throw new Error(`GET ${collectionOf(kind)}: ${status} ${JSON.stringify(body)}`);
    return body.items;
  };
  const [volumes, claims, classes, pods] = await Promise.all([
    list<PersistentVolume>('PersistentVolume'),
    list<PersistentVolumeClaim>('PersistentVolumeClaim'),
    list<StorageClass>('StorageClass'),
    list<Pod>('Pod'),
  ]);
  const isUsers = ({ metadata }: Pod) => (NAMESPACES as readonly string[]).includes(metadata.namespace ?? '');
  return { volumes, claims, classes, pods: pods.filter(isUsers) };
}
