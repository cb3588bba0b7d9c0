/** Users at work: their actions, chosen by a seed, done side by side at the pace of people and their tools. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../control-plane/harness.ts';
import { type Action, collectionOf, pathOf } from '../differential/action.ts';
import { actionsOf } from '../faults/writers/user-actions.ts';

const METHODS = { create: 'POST', patch: 'PATCH', 'patch status': 'PATCH', delete: 'DELETE' } as const;
const USERS = 10;

/**
 * So many actions, as equal lists: each user makes volumes and claims first, then edits and deletes anybody's.
 * @param run their namespace, and the beginning of all names.
 */
export function usersOf(seed: number, run: string, actions: number): Action[][] {
  const each = actions / USERS;
  const pairs = Math.floor(actions * 0.36);
  return actionsOf(seed, run, { pairs, users: USERS, edits: each }).map((own) => own.slice(0, each));
}

/** @returns how many the API server took; a refusal is no failure, since what a user wants to edit may be gone. */
export async function playAll(client: ApiClient, users: readonly Action[][], pauseMs: number): Promise<number> {
  const taken = await Promise.all(
    users.map(async (actions, user) => {
      // Not in step with each other.
      await sleep((pauseMs / users.length) * user);
      let count = 0;
      for (const action of actions) {
        if (await send(client, action)) count += 1;
        await sleep(pauseMs);
      }
      return count;
    }),
  );
  return taken.reduce((sum, count) => sum + count, 0);
}

async function send(client: ApiClient, { do: verb, body, ...object }: Action): Promise<boolean> {
  const metadata = { ...(body?.['metadata'] as object), name: object.name };
  const [path, sent] =
    verb === 'create'
      ? [collectionOf(object.kind, object.namespace), { ...body, metadata }]
      : [pathOf(object) + (verb === 'patch status' ? '/status' : ''), body];
  return (await client.request(METHODS[verb], path, sent)).status < 300;
}
