/** A second look at what may have come about while the lists were read. */
import type { Finding, Subject } from '../diagnosis/finding.ts';
import { ageOf } from './ages.ts';
import type { Examination } from './examine.ts';
import { rankOf } from './severity.ts';

/** Lists of a large cluster take minutes, and a claim may be bound to a volume that was made after its list. */
const YOUNG_MS = 10 * 60_000;
/** Each costs a few reads of the cluster; what is left is told as it was found. */
const MAX_LOOKS = 100;
const AT_ONCE = 8;

/**
 * Judges anew, by fresh reads, whatever is stuck or broken and young or of unknown age. One that is well by now is dropped;
 * one that cannot be read now stays as it was.
 * @param diagnose one object as it is now.
 */
export async function confirm(
  examination: Examination,
  diagnose: (subject: Subject) => Promise<Finding>,
  now: number,
): Promise<Examination> {
  const doubtful = examination.findings.filter((finding) => isDoubtful(finding, now)).slice(0, MAX_LOOKS);
  const fresh = new Map<Finding, Finding>();
  const waiting = doubtful.values();
  const look = async () => {
    for (const finding of waiting) fresh.set(finding, await diagnose(finding.subject).catch(() => finding));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, look));
  const findings = examination.findings.map((finding) => fresh.get(finding) ?? finding);
  return { ...examination, findings: findings.filter(({ severity }) => severity !== 'ok') };
}

function isDoubtful(finding: Finding, now: number): boolean {
  return rankOf(finding.severity) >= rankOf('stuck') && (ageOf(finding, now) ?? 0) < YOUNG_MS;
}
