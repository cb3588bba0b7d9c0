/** Diagnoses over arrays, for tests; none of them may propose what is regretted without a warning. */
import { diagnose } from '../diagnose.ts';
import type { DiagnosisOptions, Finding, Subject } from '../finding.ts';
import { arrayReader, type Objects } from './array-reader.ts';
import { assertWarned } from './harmless.ts';

/** The time at which all tests look. */
export const NOW = Date.parse('2026-03-01T12:00:00Z');

/** So long before that time. */
export function ago(minutes: number): string {
  return new Date(NOW - minutes * 60_000).toISOString();
}

/** Explains claim `ns/one`. */
export function explainClaim(objects: Objects, options: Partial<DiagnosisOptions> = {}): Promise<Finding> {
  return explain(objects, { kind: 'PersistentVolumeClaim', namespace: 'ns', name: 'one' }, options);
}

/** Explains volume `pv`. */
export function explainVolume(objects: Objects, options: Partial<DiagnosisOptions> = {}): Promise<Finding> {
  return explain(objects, { kind: 'PersistentVolume', name: 'pv' }, options);
}

async function explain(objects: Objects, subject: Subject, options: Partial<DiagnosisOptions>): Promise<Finding> {
  const finding = await diagnose(arrayReader(objects), subject, { now: NOW, ...options });
  assertWarned(finding);
  return finding;
}
