/** One volume or claim, explained: what state it is in, why, what comes next, and who must act. */
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import { CAUSES } from './cause.ts';
import { diagnoseClaim } from './claim.ts';
import type { DiagnosisOptions, DiagnosisReader, Finding, Subject } from './finding.ts';
import { nextOf, rehearse } from './rehearse.ts';
import { keyText, sceneOf, type Verdict } from './scene.ts';
import { diagnoseVolume } from './volume.ts';

/**
 * Reads only. The controller's own sync is run over a recording cluster, and what it would do is told.
 * @param subject the volume or claim; it may be missing.
 * @throws ClusterError when the volumes, claims, classes or pods cannot be read: then nothing can be said.
 */
export async function diagnose(reader: DiagnosisReader, subject: Subject, options: DiagnosisOptions): Promise<Finding> {
  const object =
    subject.kind === 'PersistentVolume'
      ? await reader.get('PersistentVolume', subject)
      : await reader.get('PersistentVolumeClaim', subject);
  if (object === undefined) return missing(subject);
  const scene = await sceneOf(reader, options);
  const rehearsal = await rehearse(scene, subject);
  const verdict =
    subject.kind === 'PersistentVolume'
      ? await diagnoseVolume(scene, object as PersistentVolume, rehearsal)
      : await diagnoseClaim(scene, object as PersistentVolumeClaim, rehearsal);
  return finding(subject, object, verdict, nextOf(rehearsal));
}

const IS_IT_RUNNING = 'If it stays so, no controller runs, or it may not write: look at its log.';

function finding(
  subject: Subject,
  object: PersistentVolume | PersistentVolumeClaim,
  verdict: Verdict,
  next: string,
): Finding {
  const { cause, why, cures = [], candidates = [], since, actor } = verdict;
  const about = CAUSES[cause];
  const { uid, deletionTimestamp } = object.metadata;
  const phase = object.status?.phase || 'Pending';
  return {
    subject,
    uid,
    state: deletionTimestamp === undefined ? phase : 'Terminating',
    severity: about.severity,
    cause,
    why: cause === 'controller-behind' ? [...why, IS_IT_RUNNING] : why,
    next,
    actor: actor ?? about.actor,
    cures,
    candidates,
    since,
  };
}

function missing(subject: Subject): Finding {
  const kind = subject.kind === 'PersistentVolume' ? 'volume' : 'claim';
  const why = [
    `There is no ${kind} ${keyText(subject)}.`,
    kind === 'volume'
      ? 'If it was deleted with policy Retain, its storage is still there, outside of Kubernetes.'
      : 'If it was deleted, its volume was released by its reclaim policy.',
  ];
  const { severity, actor } = CAUSES.missing;
  return {
    subject,
    uid: undefined,
    state: 'Missing',
    severity,
    cause: 'missing',
    why,
    next: 'nothing',
    actor,
    cures: [],
    candidates: [],
    since: undefined,
  };
}
