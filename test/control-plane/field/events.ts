/** Events about objects, through the events API as users see them. */
import type { ClusterEvent } from '../../../lib/controller/types.ts';
import type { ApiClient } from '../harness.ts';
import { eventually } from '../objects.ts';

/** As much of an event as a user reads. */
export interface Told {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** The object that events are about; those of one without a namespace live in `default`. */
export interface About {
  readonly metadata: { readonly namespace?: string; readonly uid?: string };
}

/** What the controller has said about an object; what it said twice once. */
export async function eventsOf(
  client: ApiClient,
  { metadata: { namespace = 'default', uid } }: About,
): Promise<Told[]> {
  const selector = encodeURIComponent(`involvedObject.uid=${uid}`);
  const path = `/api/v1/namespaces/${namespace}/events?fieldSelector=${selector}`;
  const { status, body } = await client.request<{ items: ClusterEvent[] }>('GET', path);
  if (status !== 200) throw new Error(`GET ${path}: ${status}`);
  return body.items
    .filter(({ source }) => source?.component === 'persistentvolume-controller')
    .map(({ type = '', reason = '', message = '' }) => ({ type, reason, message }));
}

/** Waits for that event about an object; where it does not come, tells which did. */
export async function untilTold(client: ApiClient, object: About, told: Told): Promise<void> {
  let seen: Told[] = [];
  const isTold = async () => {
    seen = await eventsOf(client, object);
    return seen.some(
      ({ type, reason, message }) => type === told.type && reason === told.reason && message === told.message,
    );
  };
  await eventually(`event ${told.reason}: ${told.message}`, isTold).catch((error: Error) => {
    throw new Error(`${error.message}; seen: ${JSON.stringify(seen)}`);
  });
}
