/** I1, I2 and I3 on every state that was ever stored. They know nothing of how the controller works. */
import {
  BOUND_BY_CONTROLLER,
  hasAnnotation,
  isInTreeName,
  PROVISIONED_BY,
} from '../../../lib/controller/annotations.ts';
import { foreignChanges } from './owned-fields.ts';
import type { Claim, Claims, State, Violation, Volume } from './state.ts';

type VolumeState = Extract<State, { kind: 'volume' }>;
type ClaimState = Extract<State, { kind: 'claim' }>;

/**
 * @param states in the order of the store.
 * @param before claims that there were before the first of them.
 * @returns what must not have happened, in that order.
 */
export function violationsIn(states: readonly State[], before: Claims = new Map()): Violation[] {
  return violationsByState(states, before).flatMap(({ violations }) => violations);
}

/** The same, each with the state that it came with: it says who wrote it. */
export function violationsByState(
  states: readonly State[],
  before: Claims = new Map(),
): { readonly state: State; readonly violations: readonly Violation[] }[] {
  const claims = new Map<string, Claim>(before);
  return states.map((state) => {
    const violations = state.kind === 'claim' ? ofClaim(state, claims) : ofVolume(state, claims);
    if (state.isOurs && state.type === 'MODIFIED' && state.before !== undefined) violations.push(...ofWrite(state));
    if (state.kind === 'claim' && state.type === 'DELETED') claims.delete(state.object.metadata.uid);
    else if (state.kind === 'claim') claims.set(state.object.metadata.uid, state.object);
    return { state, violations };
  });
}

/** I2: two claims that are Bound never name one volume. */
function ofClaim({ type, object, before }: ClaimState, claims: Claims): Violation[] {
  const { volumeName } = object.spec;
  const becomesBound = object.status?.phase === 'Bound' && before?.status?.phase !== 'Bound';
  if (type === 'DELETED' || !becomesBound || !volumeName) return [];
  const others = [...claims.values()].filter(
    ({ metadata, spec, status }) =>
      metadata.uid !== object.metadata.uid && spec.volumeName === volumeName && status?.phase === 'Bound',
  );
  return others.map((other) => ({
    invariant: 'I2',
    what: `claims ${nameOf(other)} and ${nameOf(object)} are both bound to ${volumeName}`,
  }));
}

function ofVolume({ type, object, before, isOurs }: VolumeState, claims: Claims): Violation[] {
  const was = before ?? object;
  const phase = object.status?.phase;
  const name = object.metadata.name;
  const ending = endingOf(type, object, before);
  const found: Violation[] = [];
  if (phase === 'Failed' && was.status?.phase !== 'Failed' && hasOwnDeleter(object)) {
    found.push({ invariant: 'I3', what: `volume ${name} of an external provisioner is Failed` });
  }
  if (ending === undefined || !isOurs) return found;
  const claim = claims.get(was.spec.claimRef?.uid ?? '');
  if (claim === undefined) return found;
  if (claim.spec.volumeName === name) {
    found.push({ invariant: 'I1', what: `volume ${name} was ${ending} while claim ${nameOf(claim)} is bound to it` });
  } else if (hasAnnotation(was, BOUND_BY_CONTROLLER) && name !== `pvc-${claim.metadata.uid}`) {
    found.push({ invariant: 'I3', what: `volume ${name}, free and picked, was ${ending} for losing a race` });
  }
  return found;
}

/** What costs a volume its data, or is the first step to it. */
function endingOf(type: State['type'], object: Volume, before: Volume | undefined): string | undefined {
  if (type === 'DELETED' || (object.metadata.deletionTimestamp && !before?.metadata.deletionTimestamp))
    return 'deleted';
  const [was, is] = [before?.status?.phase, object.status?.phase];
  if (is === 'Released' && was !== 'Released') return 'marked Released';
  if (is === 'Available' && was === 'Released') return 'recycled';
  return undefined;
}

/** Volumes that somebody else deletes: of CSI drivers, and of provisioners that are not in-tree. */
function hasOwnDeleter({ spec, metadata }: Volume): boolean {
  const provisioner = metadata.annotations?.[PROVISIONED_BY];
  const isExternal = spec.csi !== undefined || (provisioner !== undefined && !isInTreeName(provisioner));
  return isExternal && spec.persistentVolumeReclaimPolicy === 'Delete';
}

/** I6: of what somebody else wrote, nothing is changed by a write of ours. */
function ofWrite(state: State): Violation[] {
  return foreignChanges(state).map((what) => ({
    invariant: 'I6',
    what: `${state.kind} ${state.object.metadata.name}: a write of ours changed ${what}`,
  }));
}

function nameOf({ metadata: { namespace, name } }: Claim): string {
  return `${namespace}/${name}`;
}
