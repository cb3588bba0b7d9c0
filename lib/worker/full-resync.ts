/** One full resync: every volume and claim of the cluster is put into its queue, needed or not. The safety net. */
import type { ApiServerCluster } from '../cluster/api-server.ts';
import type { SyncKey } from '../controller/types.ts';
import type { OutgoingMessage, QueueProducer } from '../queue/producer.ts';

/**
 * @param epoch names this resync: two with the same epoch within five minutes are one.
 * @returns how many keys were sent; all of them are in the queue then.
 */
export async function fullResync(
  cluster: ApiServerCluster,
  producer: QueueProducer,
  epoch: string,
  signal?: AbortSignal,
): Promise<number> {
  const options = signal === undefined ? {} : { signal };
  const [volumes, claims] = await Promise.all([
    cluster.listWithVersion('PersistentVolume', {}, ({ metadata }): SyncKey => {
      return { kind: 'PersistentVolume', name: metadata.name };
    }),
    cluster.listWithVersion('PersistentVolumeClaim', {}, ({ metadata: { namespace, name } }): SyncKey => {
      return { kind: 'PersistentVolumeClaim', namespace, name };
    }),
  ]);
  const keys = [...volumes.items, ...claims.items];
  const outgoing = keys.map((key): OutgoingMessage => {
    return { message: { v: 1, ...key, reason: 'resync' }, occasion: { form: 'resync', epoch } };
  });
  await producer.send(outgoing, options);
  return keys.length;
}
