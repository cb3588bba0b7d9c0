/** What happens to claims and volumes in both tests, and what must have become of them. */
import { expect } from 'vitest';
import type { ApiClient } from '../../control-plane/harness.ts';
import {
  claim,
  claimsPath,
  create,
  type StorageObject,
  untilGone,
  untilPhase,
  volume,
  volumesPath,
} from '../../control-plane/objects.ts';

type Policy = 'Retain' | 'Recycle';

/** Makes a volume and a claim that only fit each other, and waits until they are bound. */
export async function bind(client: ApiClient, name: string, policy: Policy): Promise<void> {
  const spec = { storageClassName: name, persistentVolumeReclaimPolicy: policy };
  await create(client, volumesPath, volume(name, spec));
  await bindAgain(client, name);
}

/** Makes a claim for a volume that is there, and waits until they are bound. */
export async function bindAgain(client: ApiClient, name: string): Promise<void> {
  const { metadata } = await create(client, claimsPath, claim(name, { storageClassName: name }));
  const [bound, user] = await Promise.all([
    untilPhase(client, `${volumesPath}/${name}`, 'Bound'),
    untilPhase(client, `${claimsPath}/${name}`, 'Bound'),
  ]);
  expect(bound.spec.claimRef).toMatchObject({ name, uid: metadata.uid });
  expect(user.spec.volumeName).toBe(name);
}

/** Deletes a claim and waits until its volume is Released; one of policy Recycle is on its way to be Available then. */
export async function release(client: ApiClient, name: string): Promise<void> {
  await client.request('DELETE', `${claimsPath}/${name}`);
  await untilGone(client, `${claimsPath}/${name}`);
  await untilPhase(client, `${volumesPath}/${name}`, 'Released');
}

/** Deletes the claim of a volume of policy Recycle, and waits until the volume was scrubbed and is for anybody again. */
export async function reclaim(client: ApiClient, name: string): Promise<void> {
  await client.request('DELETE', `${claimsPath}/${name}`);
  const free = await untilPhase(client, `${volumesPath}/${name}`, 'Available');
  expect(free.spec.claimRef).toBeUndefined();
}

/** How many volumes and claims there are. */
export async function countObjects(client: ApiClient): Promise<number> {
  const lists = await Promise.all(
    [volumesPath, claimsPath].map((path) => client.request<{ items: readonly StorageObject[] }>('GET', path)),
  );
  return lists.reduce((sum, { body }) => sum + body.items.length, 0);
}
