/** Which fields this controller may change, and how: everything else of an object belongs to somebody else (I6). */
import { isDeepStrictEqual } from 'node:util';
import {
  BETA_STORAGE_PROVISIONER,
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  EXTERNAL_FINALIZER,
  hasAnnotation,
  IN_TREE_FINALIZER,
  MIGRATED_TO,
  RECYCLER_POD,
  STORAGE_PROVISIONER,
} from '../../../lib/controller/annotations.ts';
import type { Claim, State, Volume } from './state.ts';

const OWNED: Readonly<Record<State['kind'], readonly string[]>> = {
  volume: [
    'spec.claimRef',
    ...['phase', 'message', 'reason', 'lastPhaseTransitionTime'].map((field) => `status.${field}`),
    ...[BOUND_BY_CONTROLLER, MIGRATED_TO, RECYCLER_POD].map((key) => `metadata.annotations.${key}`),
  ],
  claim: [
    'spec.volumeName',
    ...['phase', 'accessModes', 'capacity', 'currentVolumeAttributesClassName'].map((field) => `status.${field}`),
    ...[BIND_COMPLETED, BOUND_BY_CONTROLLER, STORAGE_PROVISIONER, BETA_STORAGE_PROVISIONER, MIGRATED_TO].map(
      (key) => `metadata.annotations.${key}`,
    ),
  ],
};
/** Of the API server itself. */
const BOOKKEEPING = [
  ...['resourceVersion', 'managedFields', 'generation', 'deletionTimestamp', 'deletionGracePeriodSeconds'].map(
    (field) => `metadata.${field}`,
  ),
];
const OWNED_FINALIZERS: readonly string[] = [IN_TREE_FINALIZER, EXTERNAL_FINALIZER];

/** @returns fields that this write changed and must not have, such as `spec.capacity`. */
export function foreignChanges({ kind, object, before }: State): string[] {
  if (before === undefined) return [];
  const owned = new Set([...OWNED[kind], ...BOOKKEEPING]);
  const [was, is] = [fieldsOf(before), fieldsOf(object)];
  const changed = [...new Set([...was.keys(), ...is.keys()])].filter(
    (field) => !owned.has(field) && !isDeepStrictEqual(was.get(field), is.get(field)),
  );
  const rest = changed.filter((field) => !isAllowed(field, was.get(field)));
  return [
    ...rest,
    ...(kind === 'volume'
      ? ofReservation(before as Volume, object as Volume)
      : ofChoice(before as Claim, object as Claim)),
  ];
}

/** A claim without a class gets the default one, later than at admission too. */
function isAllowed(field: string, was: unknown): boolean {
  return field === 'spec.storageClassName' && was === undefined;
}

/** Two levels deep, and annotations and labels one by one; of finalizers those that are not ours. */
function fieldsOf(object: Volume | Claim): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const part of ['metadata', 'spec', 'status'] as const) {
    for (const [name, value] of Object.entries(object[part] ?? {})) {
      const path = `${part}.${name}`;
      if (path === 'metadata.annotations' || path === 'metadata.labels') {
        for (const [key, text] of Object.entries(value as object)) fields.set(`${path}.${key}`, text);
      } else if (path === 'metadata.finalizers') {
        const others = (value as string[]).filter((finalizer) => !OWNED_FINALIZERS.includes(finalizer));
        if (others.length > 0) fields.set(path, others.sort());
      } else fields.set(path, value);
    }
  }
  return fields;
}

/** Whoever a volume is reserved for keeps it: a user's claimRef is completed, or loses what was completed, and no more. */
function ofReservation(before: Volume, after: Volume): string[] {
  const [was, is] = [before.spec.claimRef, after.spec.claimRef];
  if (was === undefined) return [];
  if (is === undefined)
    return hasAnnotation(before, BOUND_BY_CONTROLLER) ? [] : ['spec.claimRef, which a user has set'];
  const isSame = was.namespace === is.namespace && was.name === is.name;
  const isOther = was.uid !== undefined && is.uid !== undefined && was.uid !== is.uid;
  return isSame && !isOther ? [] : [`spec.claimRef from ${was.name} to ${is.name}`];
}

/** A volume that a claim names stays named, unless we chose it. */
function ofChoice(before: Claim, after: Claim): string[] {
  const was = before.spec.volumeName;
  if (!was || was === after.spec.volumeName || hasAnnotation(before, BOUND_BY_CONTROLLER)) return [];
  return [`spec.volumeName from ${was} to ${after.spec.volumeName}`];
}
