/** Lists of a real API server, page by page. */
import type { Connection } from '../cluster/connection.ts';
import type { Resource } from '../cluster/objects.ts';
import { ResourceClient } from '../cluster/resource-client.ts';
import { Transport } from '../cluster/transport.ts';
import { typeOfDiagnosed } from '../diagnosis/api-reader.ts';
import type { ListAll } from './snapshot.ts';

/** A page of a large cluster's pods may take the server longer than a sync may wait. */
const REQUEST_TIMEOUT_MS = 60_000;

/** The server picks them: those about pods are most of all events. */
const EVENT_LISTS = (['PersistentVolume', 'PersistentVolumeClaim'] as const).map((kind) => ({
  fieldSelector: `involvedObject.kind=${kind}`,
}));

/**
 * @param signal ends all requests.
 * @returns the lists, and what closes the connections.
 * @throws ConnectionError when the connection's fields are wrong. Nothing is sent yet.
 */
export function listsOf(connection: Connection, signal: AbortSignal): { listAll: ListAll; close: () => void } {
  const transport = new Transport(connection, { requestTimeoutMs: REQUEST_TIMEOUT_MS });
  const client = new ResourceClient(transport, signal);
  const listAll: ListAll = async (kind, keep) => {
    type Item = Parameters<typeof keep>[0];
    const type = typeOfDiagnosed(kind);
    const items: Item[] = [];
    for (const options of kind === 'Event' ? EVENT_LISTS : [{}]) {
      const page = await client.list<Item & Resource, Item | undefined>(type, options, keep);
      for (const item of page.items) if (item !== undefined) items.push(item);
    }
    return items;
  };
  return { listAll, close: () => transport.close() };
}
