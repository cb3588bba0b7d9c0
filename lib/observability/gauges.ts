/** What is stuck on a cluster, counted over what a bridge holds. Pure: the time comes as a parameter. */

import type { Holdings } from '../bridge/bridge.ts';
import { hasAnnotation, reclaimPolicyOf, SELECTED_NODE, storageClassOf } from '../controller/annotations.ts';
import { claimPhaseOf } from '../controller/claim-phase.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import { phaseOf } from '../controller/volume-phase.ts';
import type { MetricName } from './catalogue.ts';

type Gauge = Extract<MetricName, `VolumesStuck${string}` | `ClaimsStuck${string}` | 'ClaimsLost'>;
export type Gauges = Record<Gauge, number>;

/**
 * @param now milliseconds since the epoch.
 * @param stuckAfterMs what is in a state for longer counts; a Lost claim counts at once, as nothing says since when.
 */
export function countStuck(held: Holdings, now: number, stuckAfterMs: number): Gauges {
  const gauges: Gauges = {
    VolumesStuckReleased: 0,
    VolumesStuckFailed: 0,
    VolumesStuckTerminating: 0,
    ClaimsStuckPending: 0,
    ClaimsLost: 0,
  };
  // API servers write times in UTC and whole seconds, so their texts sort as they do: parsing 100,000 would take a while.
  const before = `${new Date(now - stuckAfterMs).toISOString().slice(0, 19)}Z`;
  // An object without a time is of no server: its age is not known, and it does not count.
  const isOld = (since: string | undefined) => since !== undefined && since < before;
  for (const volume of held.volumes()) {
    const gauge = gaugeOf(volume);
    if (gauge !== undefined && isOld(sinceOf(volume))) gauges[gauge]++;
  }
  for (const claim of held.claims()) {
    const phase = claimPhaseOf(claim);
    if (phase === 'Lost') gauges.ClaimsLost++;
    else if (phase !== 'Bound' && isOld(claim.metadata.creationTimestamp) && isWaitedFor(held, claim)) {
      gauges.ClaimsStuckPending++;
    }
  }
  return gauges;
}

/** A volume counts once, under the state that `kubectl get pv` shows. */
function gaugeOf(volume: PersistentVolume): Gauge | undefined {
  if (volume.metadata.deletionTimestamp !== undefined) return 'VolumesStuckTerminating';
  const phase = phaseOf(volume);
  if (phase === 'Failed') return 'VolumesStuckFailed';
  return phase === 'Released' && reclaimPolicyOf(volume) === 'Delete' ? 'VolumesStuckReleased' : undefined;
}

/**
 * API servers from 1.29 on (1.28 on request) write the time of each change of phase. A volume without one has therefore
 * been in its phase since before that upgrade: it is taken to be in it all its life. Counting from when this bridge saw
 * it first would never reach 15 minutes in a Lambda that runs for 11.
 */
function sinceOf({ metadata, status }: PersistentVolume): string | undefined {
  return metadata.deletionTimestamp ?? status?.lastPhaseTransitionTime ?? metadata.creationTimestamp;
}

/** Not one that is going away, nor one that is to wait for its first pod; a claim that names its volume never is. */
function isWaitedFor(held: Holdings, claim: PersistentVolumeClaim): boolean {
  if (claim.metadata.deletionTimestamp !== undefined) return false;
  if (claim.spec.volumeName || hasAnnotation(claim, SELECTED_NODE)) return true;
  return held.storageClass(storageClassOf(claim))?.volumeBindingMode !== 'WaitForFirstConsumer';
}
