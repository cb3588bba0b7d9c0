/** Who wrote what, in the API server's own words, and what became of an object by each write. */
import { isDeepStrictEqual } from 'node:util';
import type { AuditEntry, AuditFiles } from '../field/audit.ts';
import type { Stored, StoredClaim } from '../field/history.ts';
import { claimState, volumeState } from '../field/states.ts';
import type { Watch } from '../watching.ts';

/** Of all volumes, and of the claims of one namespace, since before the first of them. */
export interface Watches {
  readonly persistentvolumes: Watch<Stored>;
  readonly persistentvolumeclaims: Watch<StoredClaim>;
}

/** A write that was asked for, done or not. */
export interface Write {
  readonly user: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly verb: string;
  readonly resource: keyof Watches;
  readonly name: string;
  /** The version that it replaces, where it says so. */
  readonly replaces: string | undefined;
  readonly isDone: boolean;
}

interface Entry extends AuditEntry {
  readonly requestReceivedTimestamp: string;
  readonly objectRef: { readonly resource: keyof Watches; readonly name: string };
  readonly requestObject?: AuditEntry['requestObject'] & { readonly metadata?: { readonly resourceVersion?: string } };
  readonly responseStatus?: { readonly code?: number };
}

const reads = ['get', 'list', 'watch'];

/** All writes to volumes and claims so far. */
export async function writesOf(audit: AuditFiles): Promise<Write[]> {
  const entries = (await audit.entries()) as Entry[];
  return entries
    .filter(({ verb }) => !reads.includes(verb))
    .map(({ user, requestReceivedTimestamp, verb, objectRef, requestObject, responseStatus }) => ({
      user: user.username,
      at: Date.parse(requestReceivedTimestamp),
      verb,
      resource: objectRef.resource,
      name: objectRef.name,
      replaces: requestObject?.metadata?.resourceVersion,
      isDone: (responseStatus?.code ?? 0) < 300,
    }));
}

/** How many writes were done to each object: `persistentvolumes pv-1`. */
export function countsOf(writes: readonly Write[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { resource, name, isDone } of writes) {
    const object = `${resource} ${name}`;
    if (isDone) counts.set(object, (counts.get(object) ?? 0) + 1);
  }
  return counts;
}

/** The fields that a write has changed, such as `spec.claimRef`, `status` and `annotation pv.kubernetes.io/bind-completed`. */
export function changedBy({ resource, name, replaces }: Write, watches: Watches): string[] {
  const states = statesOf(watches[resource], name);
  const at = states.findIndex(({ metadata }) => metadata.resourceVersion === replaces);
  const [before, after] = [states[at], states[at + 1]];
  if (before === undefined || after === undefined) throw new Error(`${name}: version ${replaces} was not watched`);
  const fields = [fieldsOf(before), fieldsOf(after)] as const;
  const names = new Set(fields.flatMap((all) => Object.keys(all)));
  return [...names].filter((field) => !isDeepStrictEqual(fields[0][field], fields[1][field])).sort();
}

/** A state that an object had left, and was brought back to. */
export interface Return {
  readonly user: string;
  readonly object: string;
  readonly state: string;
}

/** All of them, each with who did it: two controllers that undo each other would make many. */
export function returnsIn(writes: readonly Write[], watches: Watches): Return[] {
  return [
    ...returns('persistentvolumes', watches.persistentvolumes, volumeState, writes),
    ...returns('persistentvolumeclaims', watches.persistentvolumeclaims, claimState, writes),
  ];
}

function returns<T extends Stored | StoredClaim>(
  resource: keyof Watches,
  watch: Watch<T>,
  stateOf: (object: T) => object,
  writes: readonly Write[],
): Return[] {
  const pasts = new Map<string, { version: string; states: string[] }>();
  return watch.events.flatMap(({ object }) => {
    const { name, uid = name, resourceVersion } = object.metadata;
    const state = JSON.stringify(stateOf(object));
    const past = pasts.get(uid);
    pasts.set(uid, { version: resourceVersion, states: [...(past?.states ?? []), state] });
    if (past === undefined || past.states.at(-1) === state || !past.states.includes(state)) return [];
    const write = writes.find((one) => one.isDone && one.name === name && one.replaces === past.version);
    return [{ user: write?.user ?? 'somebody', object: `${resource} ${name}`, state }];
  });
}

function statesOf(watch: Watch<Stored> | Watch<StoredClaim>, name: string): readonly (Stored | StoredClaim)[] {
  return watch.events.map(({ object }) => object).filter(({ metadata }) => metadata.name === name);
}

/** Without what every write changes. */
function fieldsOf({ metadata, spec, status }: Stored | StoredClaim): Record<string, unknown> {
  const { resourceVersion, managedFields, annotations, ...others } = metadata as unknown as Record<string, unknown>;
  return {
    ...prefixed('metadata.', others),
    ...prefixed('annotation ', (annotations ?? {}) as object),
    ...prefixed('spec.', spec),
    status,
  };
}

function prefixed(prefix: string, object: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [prefix + key, value]));
}
