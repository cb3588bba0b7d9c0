/** Whether a controller has come to rest: which versions the objects have that it may write, and what became of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from './harness.ts';

/** `kind namespace/name` of an object to its uid and resourceVersion. */
export type Versions = ReadonlyMap<string, string>;

interface List {
  readonly items?: readonly {
    readonly metadata: {
      readonly namespace?: string;
      readonly name: string;
      readonly uid: string;
      readonly resourceVersion: string;
    };
  }[];
}

/** Of all volumes and claims, and of the pods of one namespace. */
export async function versionsOf(client: ApiClient, podNamespace?: string): Promise<Versions> {
  const lists = await Promise.all([
    versionsAt(client, 'volume', '/api/v1/persistentvolumes'),
    versionsAt(client, 'claim', '/api/v1/persistentvolumeclaims'),
    podNamespace === undefined ? [] : versionsAt(client, 'pod', `/api/v1/namespaces/${podNamespace}/pods`),
  ]);
  return new Map(lists.flat());
}

async function versionsAt(client: ApiClient, kind: string, path: string): Promise<[string, string][]> {
  const { status, body } = await client.request<List>('GET', path);
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
  return (body.items ?? []).map(({ metadata: { namespace, name, uid, resourceVersion } }) => [
    `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`,
    `${uid}:${resourceVersion}`,
  ]);
}

/** What is not as it was, in words. */
export function changesBetween(before: Versions, after: Versions): string[] {
  const written = [...after].flatMap(([object, version]) => {
    const old = before.get(object);
    if (old === version) return [];
    return [old === undefined ? `${object} created` : `${object} written`];
  });
  const gone = [...before.keys()].filter((object) => !after.has(object)).map((object) => `${object} gone`);
  return [...written, ...gone].sort();
}

const quietTimeoutMilliseconds = 60_000;

/**
 * Waits until nothing has been written during a whole `rest`, which is a wait that proves something: a controller's own
 * word that it is idle, or longer than it ever pauses.
 */
export async function untilQuiet(look: () => Promise<Versions>, rest: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + quietTimeoutMilliseconds;
  let before = await look();
  for (;;) {
    await rest();
    const after = await look();
    const changes = changesBetween(before, after);
    if (changes.length === 0) return;
    if (Date.now() > deadline)
      throw new Error(`no rest in ${quietTimeoutMilliseconds} ms; last: ${changes.join(', ')}`);
    before = after;
  }
}

/** A rest of this long. */
export function restOf(milliseconds: number): () => Promise<void> {
  return () => sleep(milliseconds);
}
