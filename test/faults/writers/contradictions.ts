/** How a cluster must be at rest, whoever has brought it there: each Bound claim has a volume of its own, and back (I1, I2). */
import type { Claim, State, Violation, Volume } from '../observer/state.ts';

/**
 * @param states of all objects, in the order of the store; the last of each counts.
 * @param told names of claims that users have brought into a state which no rule leads out of, and of which we have said
 *   so: they stay as they are (docs/decisions/010).
 */
export function contradictionsAtRest(states: readonly State[], told: ReadonlySet<string> = new Set()): Violation[] {
  const left = new Map<string, State>();
  for (const state of states) {
    if (state.type === 'DELETED') left.delete(state.object.metadata.uid);
    else left.set(state.object.metadata.uid, state);
  }
  const volumes: Volume[] = [];
  const claims: Claim[] = [];
  for (const state of left.values()) {
    if (state.kind === 'volume') volumes.push(state.object);
    else claims.push(state.object);
  }
  const judged = claims.filter(({ metadata }) => !told.has(metadata.name));
  return [...judged.flatMap((claim) => ofClaim(claim, volumes)), ...volumes.flatMap((each) => ofVolume(each, claims))];
}

function ofClaim({ metadata, spec, status }: Claim, volumes: readonly Volume[]): Violation[] {
  if (status?.phase !== 'Bound') return [];
  const volume = volumes.find((each) => each.metadata.name === spec.volumeName);
  const isIts = volume?.spec.claimRef?.uid === metadata.uid;
  if (isIts && volume?.status?.phase === 'Bound') return [];
  const how = isIts ? volume?.status?.phase : `reserved for ${volume?.spec.claimRef?.name ?? 'nobody'}`;
  const what =
    volume === undefined ? `${spec.volumeName}, which does not exist` : `${spec.volumeName}, which is ${how}`;
  return [{ invariant: isIts ? 'I1' : 'I2', what: `claim ${metadata.name} rests bound to ${what}` }];
}

function ofVolume({ metadata, spec, status }: Volume, claims: readonly Claim[]): Violation[] {
  if (status?.phase !== 'Bound') return [];
  const claim = claims.find((each) => each.metadata.uid === spec.claimRef?.uid);
  if (claim?.spec.volumeName === metadata.name) return [];
  const what =
    claim === undefined ? 'a claim that does not exist' : `claim ${claim.metadata.name}, which does not name it`;
  return [{ invariant: 'I1', what: `volume ${metadata.name} rests Bound to ${what}` }];
}
