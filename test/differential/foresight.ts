/** The objects as an action leaves them, before any controller has seen it. */
import type { Action } from './action.ts';
import type { Snapshot } from './snapshot.ts';

type Fields = { readonly [field: string]: unknown };
interface Named extends Fields {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const LIST_OF: Readonly<Record<string, keyof Snapshot>> = {
  PersistentVolume: 'volumes',
  PersistentVolumeClaim: 'claims',
  StorageClass: 'classes',
  Pod: 'pods',
};

/** It takes the action for accepted, and what is deleted for gone. */
export function after(state: Snapshot, action: Action): Snapshot {
  if (action.kind === 'Namespace') {
    const stays = ({ metadata }: { metadata: { namespace?: string } }) => metadata.namespace !== action.name;
    return { ...state, claims: state.claims.filter(stays), pods: state.pods.filter(stays) };
  }
  const list = LIST_OF[action.kind] as keyof Snapshot;
  const objects = state[list] as unknown as readonly Named[];
  const isIt = ({ metadata }: Named) => metadata.name === action.name && metadata.namespace === action.namespace;
  return { ...state, [list]: changed(objects, action, isIt) };
}

function changed(objects: readonly Named[], action: Action, isIt: (object: Named) => boolean): readonly Fields[] {
  const { do: verb, name, namespace, body = {} } = action;
  if (verb === 'delete') return objects.filter((object) => !isIt(object));
  if (verb !== 'create') return objects.map((object) => (isIt(object) ? merged(object, body) : object));
  if (objects.some(isIt)) return objects;
  const metadata = {
    ...(body['metadata'] as object),
    name,
    ...(namespace !== undefined && { namespace }),
    uid: '{new}',
  };
  return [...objects, { ...body, metadata }];
}

/** A JSON merge patch (RFC 7396). */
function merged(target: unknown, patch: Fields): Fields {
  const result: Record<string, unknown> = { ...(target as Fields) };
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete result[field];
    else result[field] = isRecord(value) ? merged(isRecord(result[field]) ? result[field] : {}, value) : value;
  }
  return result;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
