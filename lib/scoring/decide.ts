/** The controller's verdict on one key: the very sync, over a cluster that takes its writes down. */
import { type RecordedWrite, RecordingCluster } from '../cluster/recording.ts';
import type { Cluster, Note, SyncContext } from '../controller/ports.ts';
import { reconcile } from '../controller/reconcile.ts';
import type { SyncKey } from '../controller/types.ts';

/** What a sync would write, and what it observed on its way there. */
export interface Decision {
  readonly writes: readonly RecordedWrite[];
  readonly notes: readonly string[];
}

/** Notes of one sync that are kept: the last ones, which led to the writes. */
const MAX_NOTES = 20;

/**
 * @param reader where the objects are; nothing is written there.
 * @param contextFor the surroundings of a sync over this cluster. Its pool and its queue must not be told anything, and
 *   its plugins must not touch storage (`dryPlugin`).
 * @throws Error when the sync fails: there is no verdict then.
 */
export async function decide(
  key: SyncKey,
  reader: Pick<Cluster, 'get' | 'list'>,
  contextFor: (cluster: Cluster, note: Note) => SyncContext,
): Promise<Decision> {
  const cluster = new RecordingCluster(reader);
  const notes: string[] = [];
  const note: Note = (observation) => {
    notes.push(observation);
    if (notes.length > MAX_NOTES) notes.shift();
  };
  await reconcile(contextFor(cluster, note), { key, deleted: [] });
  return { writes: cluster.recorded, notes };
}
