/** The actions of a seed, one by one: each is chosen by chance among those whose outcome the rules determine. */
import { DEFAULT_CLASS } from '../../lib/controller/annotations.ts';
import type { StorageClass } from '../../lib/controller/types.ts';
import type { ActedKind, Action } from './action.ts';
import { contestOf } from './contests.ts';
import { CLAIM_NAMES, CLASS_NAMES, claimDraft, classDraft, podDraft, VOLUME_NAMES, volumeDraft } from './drafts.ts';
import { editClaim, editClass, editVolume } from './edits.ts';
import { NAMESPACES } from './names.ts';
import type { Script } from './play.ts';
import { Random } from './random.ts';
import type { Snapshot } from './snapshot.ts';

type Object = { readonly metadata: { readonly name: string; readonly namespace?: string } };

const TRIES = 50;

/** @param length of the list; it can be shorter where nothing is left whose outcome is determined. */
export function scriptOf(seed: number, length: number): Script {
  const random = new Random(seed);
  const gone = new Set<string>();
  let done = 0;
  return (state) => {
    if (done === length) return undefined;
    done += 1;
    for (let tries = 0; tries < TRIES; tries++) {
      const action = propose(random, state, done, gone);
      if (action === undefined || contestOf(state, action) !== undefined) continue;
      if (action.kind === 'Namespace') gone.add(action.name);
      return action;
    }
    return undefined;
  };
}

/** Undefined where there is nothing for what chance has chosen. */
function propose(random: Random, state: Snapshot, turn: number, gone: ReadonlySet<string>): Action | undefined {
  const namespaces = NAMESPACES.filter((name) => !gone.has(name));
  // At first there is little to edit.
  const early = turn <= 5;
  const kind = random.weighted<() => Action | undefined>([
    [
      early ? 8 : 3,
      () => create('PersistentVolume', missing(random, VOLUME_NAMES, state.volumes), volumeDraft(random, state)),
    ],
    [early ? 8 : 3, () => createClaim(random, state, namespaces)],
    [early ? 4 : 1.5, () => createClass(random, state)],
    [1.5, () => createPod(random, state)],
    [6, () => edit(random, state.volumes, (volume) => editVolume(random, state, volume))],
    [4, () => edit(random, state.claims, (claim) => editClaim(random, state, claim))],
    [1, () => edit(random, state.classes, (object) => determinedDefault(state, editClass(random, object)))],
    [1.5, () => remove(random, 'PersistentVolume', state.volumes)],
    [3, () => remove(random, 'PersistentVolumeClaim', state.claims)],
    [1, () => remove(random, 'StorageClass', state.classes)],
    [1, () => remove(random, 'Pod', state.pods)],
    [early ? 0 : 0.6, () => ({ do: 'delete', kind: 'Namespace', name: random.of(namespaces) })],
  ]);
  return kind();
}

function create(
  kind: ActedKind,
  name: string | undefined,
  body: Record<string, unknown>,
  namespace?: string,
): Action | undefined {
  return name === undefined
    ? undefined
    : { do: 'create', kind, ...(namespace !== undefined && { namespace }), name, body };
}

function createClaim(random: Random, state: Snapshot, namespaces: readonly string[]): Action | undefined {
  const namespace = random.weighted(namespaces.map((name, i) => [i === 0 ? 3 : 1, name] as const));
  const neighbours = state.claims.filter(({ metadata }) => metadata.namespace === namespace);
  return create(
    'PersistentVolumeClaim',
    missing(random, CLAIM_NAMES, neighbours),
    claimDraft(random, state),
    namespace,
  );
}

function createClass(random: Random, state: Snapshot): Action | undefined {
  const name = CLASS_NAMES.find((free) => !state.classes.some(({ metadata }) => metadata.name === free));
  const action = create('StorageClass', name, classDraft(random));
  return action && determinedDefault(state, action);
}

/**
 * Two defaults are told apart by their age in whole seconds, then by name. Only where both say the same is it
 * determined which of them counts: where all others have later names.
 */
function determinedDefault(state: Snapshot, action: Action): Action | undefined {
  const { annotations = {} } = (action.body?.['metadata'] ?? {}) as { annotations?: Record<string, string | null> };
  if (annotations[DEFAULT_CLASS] !== 'true') return action;
  const others = state.classes.filter((other) => isDefault(other) && other.metadata.name !== action.name);
  const isNewest = state.classes.every(({ metadata }) => action.do === 'create' && metadata.name > action.name);
  return others.length === 0 || isNewest ? action : undefined;
}

function isDefault({ metadata }: StorageClass): boolean {
  return metadata.annotations?.[DEFAULT_CLASS] === 'true';
}

function createPod(random: Random, state: Snapshot): Action | undefined {
  if (state.claims.length === 0) return undefined;
  const { namespace, name } = random.of(state.claims).metadata;
  return create('Pod', missing(random, ['~p1', '~p2'], state.pods), podDraft(random, name), namespace);
}

function edit<T>(random: Random, objects: readonly T[], change: (object: T) => Action | undefined): Action | undefined {
  return objects.length === 0 ? undefined : change(random.of(objects));
}

function remove(random: Random, kind: ActedKind, objects: readonly Object[]): Action | undefined {
  if (objects.length === 0) return undefined;
  const { namespace, name } = random.of(objects).metadata;
  return { do: 'delete', kind, ...(namespace !== undefined && { namespace }), name };
}

/** One of the names that none of the objects has. */
function missing(random: Random, names: readonly string[], objects: readonly Object[]): string | undefined {
  const free = names.filter((name) => !objects.some(({ metadata }) => metadata.name === name));
  return free.length === 0 ? undefined : random.of(free);
}
