/** Which objects of a snapshot need a diagnosis, and the diagnosis of each. */
import { setImmediate as turn } from 'node:timers/promises';
import { messageOf } from '../controller/errors.ts';
import { needsClaimSync, needsVolumeSync } from '../controller/needs-sync.ts';
import type { SyncRules } from '../controller/ports.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import type { Finding, Subject } from '../diagnosis/finding.ts';
import type { Snapshot } from './snapshot.ts';

export interface Examination {
  /** All that are not `ok`. */
  readonly findings: readonly Finding[];
  readonly unjudged: readonly { readonly subject: Subject; readonly why: string }[];
}

/** Lets timers and signals through now and then: answers from a snapshot never wait for anything. */
const BREATH = 100;

/**
 * Diagnoses whatever is not plainly healthy.
 * @param diagnose one object; what it throws is told of that object, and the others go on.
 * @param onProgress called now and then with how many are done, of how many.
 * @throws the signal's reason when it is aborted.
 */
export async function examine(
  snapshot: Snapshot,
  rules: SyncRules,
  diagnose: (subject: Subject) => Promise<Finding>,
  { signal, onProgress }: { signal?: AbortSignal; onProgress?: (done: number, total: number) => void } = {},
): Promise<Examination> {
  const subjects = suspects(snapshot, rules);
  const findings: Finding[] = [];
  const unjudged: { subject: Subject; why: string }[] = [];
  for (const [index, subject] of subjects.entries()) {
    if (index % BREATH === 0) {
      await turn();
      signal?.throwIfAborted();
      onProgress?.(index, subjects.length);
    }
    try {
      const finding = await diagnose(subject);
      if (finding.severity !== 'ok') findings.push(finding);
    } catch (error) {
      unjudged.push({ subject, why: messageOf(error) });
    }
  }
  return { findings, unjudged };
}

/**
 * Everything but what is bound or free, not being deleted, and left alone by the controller's next sync. An Available
 * volume that is reserved may be so in vain.
 */
export function suspects(snapshot: Snapshot, rules: SyncRules): Subject[] {
  const volumes = snapshot.objects.PersistentVolume.filter((volume) => !isSettledVolume(snapshot, volume, rules));
  const claims = snapshot.objects.PersistentVolumeClaim.filter((claim) => !isSettledClaim(snapshot, claim, rules));
  return [
    ...volumes.map(({ metadata: { name } }): Subject => ({ kind: 'PersistentVolume', name })),
    ...claims.map(({ metadata: { namespace, name } }): Subject => ({ kind: 'PersistentVolumeClaim', namespace, name })),
  ];
}

function isSettledVolume(snapshot: Snapshot, volume: PersistentVolume, rules: SyncRules): boolean {
  const { phase } = volume.status ?? {};
  const rests = phase === 'Bound' || (phase === 'Available' && volume.spec.claimRef === undefined);
  if (volume.metadata.deletionTimestamp !== undefined || !rests) return false;
  return !orTrue(() => needsVolumeSync(snapshot, volume, rules));
}

function isSettledClaim(snapshot: Snapshot, claim: PersistentVolumeClaim, rules: SyncRules): boolean {
  if (claim.metadata.deletionTimestamp !== undefined || claim.status?.phase !== 'Bound') return false;
  return !orTrue(() => needsClaimSync(snapshot, claim, rules));
}

/** An object so broken that the rule throws is worth a look. */
function orTrue(ask: () => boolean): boolean {
  try {
    return ask();
  } catch {
    return true;
  }
}
