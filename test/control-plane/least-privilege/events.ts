import type { Stored } from './objects.ts';
import type { Stage } from './stage.ts';

/** Makes the events about an object an hour old, so that a repeat counts. @throws Error where there are none. */
export async function ageEvents(stage: Stage, namespace: string, { metadata: { uid } }: Stored): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/events`;
  const { items } = await stage.request<{ items: Stored[] }>(
    'GET',
    `${path}?fieldSelector=involvedObject.uid%3D${uid}`,
  );
  if (items.length === 0) throw new Error(`no event in ${namespace} is about ${uid}`);
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
  for (const { metadata } of items) {
    await stage.request('PATCH', `${path}/${metadata.name}`, { lastTimestamp: hourAgo });
  }
}
