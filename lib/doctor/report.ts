/** From a snapshot and its findings to the report that all outputs are made of. */
import { messageOf } from '../controller/errors.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import { CAUSES } from '../diagnosis/cause.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { agesOf } from './ages.ts';
import { bytesOf, requestedBytesOf } from './bytes.ts';
import { policyDrift } from './drift.ts';
import type { Examination } from './examine.ts';
import { misboundPairs } from './misbound.ts';
import type { Report } from './report-schema.ts';
import { rankOf, worst } from './severity.ts';
import type { Snapshot } from './snapshot.ts';
import { vanishedFrom } from './vanished.ts';
import { wastedBy } from './wasted.ts';

/** Where and when the snapshot was taken. */
export interface Occasion {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly cluster: Report['cluster'];
}

/** Everything that is to be told, in the order in which it is told. */
export function buildReport(
  snapshot: Snapshot,
  { findings, unjudged }: Examination,
  { now, cluster }: Occasion,
): Report {
  const { PersistentVolume: volumes, PersistentVolumeClaim: claims } = snapshot.objects;
  return {
    schema: 'pv-controller.serverless/doctor/v1',
    takenAt: new Date(now).toISOString(),
    cluster,
    verdict: worst(findings.map(({ severity }) => severity)),
    volumes: censusOf(volumes, bytesOf),
    claims: censusOf(claims, requestedBytesOf),
    groups: groupsOf(findings),
    ages: agesOf(findings, now),
    wasted: wastedBy(volumes),
    drift: policyDrift(snapshot),
    misbound: misboundPairs(snapshot),
    vanished: vanishedFrom(snapshot),
    unread: snapshot.unread.map(({ kind, error }) => ({ kind, why: messageOf(error) })),
    unjudged: [...unjudged],
  };
}

/** By cause: the worst first, then the oldest. */
function groupsOf(findings: readonly Finding[]): Report['groups'] {
  const groups = [...Map.groupBy(findings, ({ cause, severity }) => `${severity} ${cause}`).values()].map((members) => {
    const sorted = members.toSorted((a, b) => startOf(a) - startOf(b));
    const [first] = sorted as [Finding];
    const { cause, severity, since } = first;
    return {
      cause,
      meaning: CAUSES[cause].meaning,
      severity,
      ...(since !== undefined && { oldest: since }),
      findings: sorted.map(reported),
    };
  });
  const startOfGroup = ({ oldest }: { oldest?: string }) => startOf({ since: oldest });
  return groups.sort((a, b) => rankOf(b.severity) - rankOf(a.severity) || startOfGroup(a) - startOfGroup(b));
}

/** What has no known start comes last; a finite number, so that differences are numbers. */
function startOf({ since }: { readonly since?: string | undefined }): number {
  const at = Date.parse(since ?? '');
  return Number.isNaN(at) ? Number.MAX_SAFE_INTEGER : at;
}

/** Without the candidates, which `explain` shows. */
function reported({
  candidates: _,
  uid,
  since,
  why,
  cures,
  ...finding
}: Finding): Report['groups'][number]['findings'][number] {
  return {
    ...finding,
    ...(uid !== undefined && { uid }),
    ...(since !== undefined && { since }),
    why: [...why],
    cures: cures.map((cure) => ({ ...cure })),
  };
}

function censusOf<T extends PersistentVolume | PersistentVolumeClaim>(
  objects: readonly T[],
  size: (object: T) => bigint,
): Report['volumes'] {
  const phases: Record<string, number> = {};
  let bytes = 0n;
  for (const object of objects) {
    const phase = object.metadata.deletionTimestamp === undefined ? object.status?.phase || 'Pending' : 'Terminating';
    phases[phase] = (phases[phase] ?? 0) + 1;
    bytes += size(object);
  }
  return { total: objects.length, phases, bytes: String(bytes) };
}
