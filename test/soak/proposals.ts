/**
 * What a user does next: the drafts and the edits of the differential test, on a population that neither grows nor dies
 * out. Not proposed is what makes the user the one who breaks an invariant, and what fails for ever.
 */
import { annotationOf, isInTreeName, PROVISIONED_BY } from '../../lib/controller/annotations.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../lib/controller/types.ts';
import type { ActedKind, Action } from '../differential/action.ts';
import { CLASS_NAMES, claimDraft, classDraft, podDraft, volumeDraft } from '../differential/drafts.ts';
import { editClaim, editClass, editVolume } from '../differential/edits.ts';
import type { Random } from '../differential/random.ts';
import type { Snapshot } from '../differential/snapshot.ts';
import { claimNames, NAMESPACES } from './names.ts';

/** How many there are of a kind, about. */
const POPULATION = { volumes: 60, claims: 60, pods: 12 };
/** The drafts choose among sizes that no volume has, and there are twelve. */
const NEIGHBOURS = { volumes: 6, claims: 4 };
const LET_GO_AFTER_MS = 10_000;

type Held = PersistentVolume | PersistentVolumeClaim | Pod;

/** Undefined where there is nothing for what chance has chosen. In names `~` stands for what names.ts makes of it. */
export function propose(random: Random, state: Snapshot): Action | undefined {
  const near = neighbourhood(random, state);
  const { volumes, claims, pods, classes } = state;
  const missing = (list: readonly unknown[], most: number) => (list.length < most ? 6 : 0);
  const surplus = (list: readonly unknown[], most: number) => (list.length < most ? 1 : 6);
  const dying = [...volumes, ...claims].filter(isStuck);
  const choice = random.weighted<() => Action | undefined>([
    [missing(volumes, POPULATION.volumes), () => create('PersistentVolume', '~v1', volumeDraft(random, near))],
    [missing(claims, POPULATION.claims), () => createClaim(random, state, near)],
    [missing(pods, POPULATION.pods) / 6, () => createPod(random, claims)],
    [classes.length < CLASS_NAMES.length ? 1 : 0, () => createClass(random, state)],
    [5, () => edit(random, volumes, (volume) => editVolume(random, near, volume))],
    [4, () => edit(random, claims, (claim) => editClaim(random, near, claim))],
    [0.2, () => edit(random, classes, (object) => editClass(random, object))],
    [surplus(volumes, POPULATION.volumes), () => remove(random, 'PersistentVolume', volumes)],
    [surplus(claims, POPULATION.claims), () => remove(random, 'PersistentVolumeClaim', claims)],
    [surplus(pods, POPULATION.pods) / 6, () => remove(random, 'Pod', pods)],
    [0.1, () => remove(random, 'StorageClass', classes)],
    [dying.length, () => letGo(random, dying)],
  ])();
  return choice && isFair(state, choice) ? choice : undefined;
}

/** A few of all objects: what one action has to do with. */
function neighbourhood(random: Random, state: Snapshot): Snapshot {
  const some = <T>(list: readonly T[], count: number) => {
    const start = list.length <= count ? 0 : random.whole(0, list.length - count);
    return list.slice(start, start + count);
  };
  return {
    ...state,
    volumes: some(state.volumes, NEIGHBOURS.volumes),
    claims: some(state.claims, NEIGHBOURS.claims),
  };
}

function create(kind: ActedKind, name: string, body: Action['body'] & object, namespace?: string): Action {
  return { do: 'create', kind, ...(namespace !== undefined && { namespace }), name, body };
}

function createClaim(random: Random, { claims }: Snapshot, near: Snapshot): Action | undefined {
  const namespace = random.of(NAMESPACES);
  const taken = new Set(
    claims.filter((each) => each.metadata.namespace === namespace).map(({ metadata }) => metadata.name),
  );
  const free = claimNames.filter((name) => !taken.has(name));
  return free.length === 0
    ? undefined
    : create('PersistentVolumeClaim', random.of(free), claimDraft(random, near), namespace);
}

function createClass(random: Random, { classes }: Snapshot): Action {
  const free = CLASS_NAMES.filter((name) => !classes.some(({ metadata }) => metadata.name.endsWith(name.slice(1))));
  return create('StorageClass', random.of(free), classDraft(random));
}

function createPod(random: Random, claims: readonly PersistentVolumeClaim[]): Action | undefined {
  if (claims.length === 0) return undefined;
  const { namespace, name } = random.of(claims).metadata;
  return create('Pod', `~p${random.whole(1, 1_000_000)}`, podDraft(random, name), namespace);
}

function edit<T>(random: Random, objects: readonly T[], change: (object: T) => Action): Action | undefined {
  return objects.length === 0 ? undefined : change(random.of(objects));
}

function remove(random: Random, kind: ActedKind, objects: readonly Pick<Held, 'metadata'>[]): Action | undefined {
  return objects.length === 0 ? undefined : { do: 'delete', kind, ...nameOf(random.of(objects)) };
}

/** Held by a finalizer for a while, such as one that nobody will ever take off. */
function isStuck({ metadata: { deletionTimestamp } }: Held): boolean {
  return deletionTimestamp !== undefined && Date.now() - Date.parse(String(deletionTimestamp)) > LET_GO_AFTER_MS;
}

function letGo(random: Random, dying: readonly (PersistentVolume | PersistentVolumeClaim)[]): Action {
  const object = random.of(dying);
  const kind = object.metadata.namespace === undefined ? 'PersistentVolume' : 'PersistentVolumeClaim';
  return { do: 'patch', kind, ...nameOf(object), body: { metadata: { finalizers: null } } };
}

function nameOf({ metadata: { namespace, name } }: Pick<Held, 'metadata'>) {
  return { ...(namespace !== undefined && { namespace }), name };
}

type Fields = { readonly spec?: Record<string, unknown>; readonly status?: { readonly phase?: string } };

function isFair(state: Snapshot, action: Action): boolean {
  const { spec = {}, status = {} } = (action.body ?? {}) as Fields;
  if (action.kind === 'PersistentVolumeClaim') return action.do !== 'patch status' || status.phase !== 'Bound'; // I2
  if (action.kind !== 'PersistentVolume') return true;
  if (status.phase === 'Failed') return false; // I3
  const volume = state.volumes.find(({ metadata }) => metadata.name === action.name);
  if (action.do === 'patch' && 'claimRef' in spec && !isUnclaimed(volume, state)) return false; // I1 and I2
  return !fails(volume, action);
}

/** No claim has it, and none gets it while its version is the same. */
function isUnclaimed(volume: PersistentVolume | undefined, { claims }: Snapshot): boolean {
  const uid = volume?.spec.claimRef?.uid;
  if (volume === undefined || !uid) return volume !== undefined;
  const claim = claims.find(({ metadata }) => metadata.uid === uid);
  return claim === undefined || (!!claim.spec.volumeName && claim.spec.volumeName !== volume.metadata.name);
}

/**
 * A volume that contradicts itself: one that is not of hostPath, and says that this is who made it, is deleted in vain for
 * ever, and one of CSI that names another plugin is Failed by rule (BEHAVIOUR 7.2).
 */
function fails(volume: PersistentVolume | undefined, { body }: Action): boolean {
  const draft = (body ?? {}) as Partial<PersistentVolume>;
  const { hostPath, csi } = (volume ?? draft).spec ?? {};
  const provisioner =
    draft.metadata?.annotations?.[PROVISIONED_BY] ?? (volume && annotationOf(volume, PROVISIONED_BY)) ?? '';
  return (provisioner === 'kubernetes.io/host-path' && !hostPath) || (isInTreeName(provisioner) && csi !== undefined);
}
