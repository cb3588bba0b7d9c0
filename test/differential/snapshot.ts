/** What a play sees of one control plane, in words that are the same on both: no uids, versions or times. */
import type {
  ClusterEvent,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
} from '../../lib/controller/types.ts';
import type { ApiClient } from '../control-plane/harness.ts';
import { type ActedKind, collectionOf } from './action.ts';
import type { Names } from './names.ts';

export interface Snapshot {
  readonly volumes: readonly PersistentVolume[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly classes: readonly StorageClass[];
  readonly pods: readonly Pod[];
}

interface Item {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string };
}

const COMPONENT = 'persistentvolume-controller';

/** All objects of the play; claims that are seen for the first time get their mark. */
export async function snapshotOf(client: ApiClient, names: Names): Promise<Snapshot> {
  const list = (kind: ActedKind) => listOf(client, collectionOf(kind));
  const [claims, volumes, classes, pods] = await Promise.all([
    list('PersistentVolumeClaim'),
    list('PersistentVolume'),
    list('StorageClass'),
    list('Pod'),
  ]);
  const isOurs = ({ metadata: { namespace, name } }: Item) => names.owns(namespace ?? name);
  const own = claims.filter(isOurs);
  for (const { metadata } of own)
    names.claimAppeared(names.fromPlane(`${metadata.namespace}/${metadata.name}`), metadata.uid);
  const normalised = <T>(items: readonly Item[]) =>
    items
      .filter(isOurs)
      .map((item) => JSON.parse(names.fromPlane(JSON.stringify(item, timeless))) as T & Item)
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return {
    volumes: normalised<PersistentVolume>(volumes),
    claims: normalised<PersistentVolumeClaim>(own),
    classes: normalised<StorageClass>(classes),
    pods: normalised<Pod>(pods),
  };
}

/** The events of the controller about the play's objects: object to `type reason: message`, each once. */
export async function eventsOf(client: ApiClient, names: Names): Promise<Map<string, Told>> {
  const events = (await listOf(client, '/api/v1/events')) as unknown as readonly ClusterEvent[];
  const told = new Map<string, Told>();
  for (const { source, involvedObject, type, reason, message, count = 1 } of events) {
    const { kind = '', namespace, name = '' } = involvedObject;
    if (source?.component !== COMPONENT || !names.owns(namespace ?? name)) continue;
    const object = names.fromPlane(`${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`);
    const about = told.get(object) ?? { said: new Set<string>(), times: 0 };
    about.said.add(names.fromPlane(`${type} ${reason}: ${message}`));
    told.set(object, { said: about.said, times: about.times + count });
  }
  return told;
}

/** What was said about an object, and how many times anything was. */
export interface Told {
  readonly said: Set<string>;
  readonly times: number;
}

interface Keyed {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
}

/** `namespace/name` or the name. */
export function keyOf({ metadata: { namespace, name } }: Keyed): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

async function listOf(client: ApiClient, path: string): Promise<readonly Item[]> {
  const { status, body } = await client.request<{ items: readonly Item[] }>('GET', path);
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
  return body.items;
}

const LEFT_OUT = new Set(['resourceVersion', 'managedFields', 'creationTimestamp', 'lastPhaseTransitionTime']);

function timeless(key: string, value: unknown): unknown {
  if (LEFT_OUT.has(key)) return undefined;
  // Each controller adds its own, and their order means nothing.
  if (key === 'finalizers' && Array.isArray(value)) return [...value].sort();
  return key === 'deletionTimestamp' ? '(set)' : value;
}
