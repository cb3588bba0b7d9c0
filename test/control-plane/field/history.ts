/** What a watch has seen of one object: the proof of what it has never been. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../lib/controller/types.ts';
import type { ApiClient } from '../harness.ts';
import type { Watch } from '../watching.ts';

type Versioned = { metadata: { resourceVersion: string } };

export type Stored = PersistentVolume & Versioned;
export type StoredClaim = PersistentVolumeClaim & Versioned;

/** Its states so far, after the watch has seen it as it is now, or its end. */
export async function upToNow<T extends Stored | StoredClaim>(
  client: ApiClient,
  watch: Watch<T>,
  path: string,
  name: string,
): Promise<T[]> {
  const { status, body } = await client.request<T>('GET', path);
  const current = status === 404 ? undefined : body.metadata.resourceVersion;
  return await watch.until(`${path} as it is`, (events) => {
    const own = events.filter(({ object }) => object.metadata.name === name);
    const isThere = own.some(({ type, object }) =>
      current === undefined ? type === 'DELETED' : object.metadata.resourceVersion === current,
    );
    return isThere && own.map(({ object }) => object);
  });
}

/** The phases of these states, without repeats in a row. */
export function passed(states: readonly { readonly status?: { readonly phase?: string } }[]): string[] {
  const phases = states.map(({ status }) => status?.phase ?? '');
  return phases.filter((phase, index) => phase !== phases[index - 1]);
}
