/** One full resync: every volume and claim of the cluster is put into its queue, needed or not. The safety net. */
import type { ApiServerCluster } from '../cluster/api-server.ts';
import type { Kinds, SyncKey } from '../controller/types.ts';
import type { OutgoingMessage, QueueProducer } from '../queue/producer.ts';

/** Sees what is listed, object by object as the pages arrive: only the keys are kept. */
export interface ResyncCounter {
  volume(volume: Kinds['PersistentVolume']): void;
  claim(claim: Kinds['PersistentVolumeClaim']): void;
}

/** What a resync may be given besides its queue. */
export interface FullResyncOptions {
  readonly signal?: AbortSignal;
  readonly counter?: ResyncCounter;
  /** Told that a list had to begin anew (410): the counter has seen some objects twice, and is of no use. */
  readonly onListedTwice?: (kind: SyncKey['kind']) => void;
}

type Seen<K extends SyncKey['kind']> = (object: Kinds[K]) => void;

/**
 * @param epoch names this resync: two with the same epoch within five minutes are one.
 * @returns how many keys were sent; all of them are in the queue then.
 */
export async function fullResync(
  cluster: Pick<ApiServerCluster, 'listWithVersion'>,
  producer: Pick<QueueProducer, 'send'>,
  epoch: string,
  { signal, counter, onListedTwice }: FullResyncOptions = {},
): Promise<number> {
  const keysOf = async <K extends SyncKey['kind']>(kind: K, seen: Seen<K> | undefined): Promise<SyncKey[]> => {
    let count = 0;
    const { items } = await cluster.listWithVersion(kind, {}, (object): SyncKey => {
      count += 1;
      seen?.(object);
      return keyOf(kind, object);
    });
    if (count !== items.length) onListedTwice?.(kind);
    return items;
  };
  const [volumes, claims] = await Promise.all([
    keysOf('PersistentVolume', counter && ((volume) => counter.volume(volume))),
    keysOf('PersistentVolumeClaim', counter && ((claim) => counter.claim(claim))),
  ]);
  const outgoing = [...volumes, ...claims].map((key): OutgoingMessage => {
    return { message: { v: 1, ...key, reason: 'resync' }, occasion: { form: 'resync', epoch } };
  });
  await producer.send(outgoing, signal === undefined ? {} : { signal });
  return outgoing.length;
}

function keyOf(kind: SyncKey['kind'], { metadata: { namespace = '', name } }: Kinds[SyncKey['kind']]): SyncKey {
  return kind === 'PersistentVolume' ? { kind, name } : { kind, namespace, name };
}
