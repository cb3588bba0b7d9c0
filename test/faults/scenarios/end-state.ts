/** How a scenario has ended, in a form that is equal for equal ends: without uids, versions, times and the run's own name. */
import type { State } from '../observer/state.ts';
import { RIVALS } from './scenarios.ts';

/**
 * @param states of one run, in order.
 * @param storageClass the scenario's, which all of its objects have.
 * @returns a line for each object that is left, sorted.
 */
export function endOf(states: readonly State[], run: string, storageClass: string): string[] {
  const left = new Map<string, State>();
  const names = new Map<string, string>();
  for (const state of states) {
    const { metadata, spec } = state.object;
    if (spec.storageClassName !== storageClass) continue;
    names.set(metadata.uid, metadata.name);
    if (state.type === 'DELETED') left.delete(metadata.uid);
    else left.set(metadata.uid, state);
  }
  const lines = [...left.values()].map(({ kind, object }) => {
    const { name, labels, annotations, finalizers, deletionTimestamp } = object.metadata;
    const { lastPhaseTransitionTime: _time, ...status } = (object.status ?? {}) as Record<string, unknown>;
    const plain = { kind, name, labels, annotations, finalizers, deletionTimestamp, spec: object.spec, status };
    return JSON.stringify(plain, withoutVersions);
  });
  return lines
    .map((line) =>
      named(line, names)
        .replaceAll(new RegExp(`\\b${run}\\b`, 'g'), 'run')
        .replaceAll(RIVALS, '-rival'),
    )
    .sort();
}

/** Of the protection controllers, who come when they come. */
const PROTECTION = new Set(['kubernetes.io/pv-protection', 'kubernetes.io/pvc-protection']);

/** Sorted keys, and of a claimRef not the version of the claim. */
function withoutVersions(key: string, value: unknown): unknown {
  if (key === 'resourceVersion' || key === 'deletionTimestamp') return value === undefined ? undefined : 'set';
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return key === 'finalizers' ? value.filter((each) => !PROTECTION.has(each)).sort() : value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => one.localeCompare(other)));
}

/** Uids, also within names of volumes, by what they belong to. */
function named(line: string, names: ReadonlyMap<string, string>): string {
  let text = line;
  for (const [uid, name] of names) text = text.replaceAll(uid, `<uid of ${name}>`);
  // A uid of a `pvc-…` volume names itself: its own name is made of the claim's uid.
  for (const [uid, name] of names) text = text.replaceAll(uid, `<uid of ${name}>`);
  return text;
}
