/**
 * What two versions of an object are compared by: its fields one by one, without those that differ between any two
 * writers (versions, times, who manages what) and those that other loops of the controller manager keep.
 */

/** Paths such as `status.phase`, and values as JSON. */
export type Fields = ReadonlyMap<string, string>;

/** The server's, or of a moment: they say nothing about what was decided. */
const IGNORED = new Set([
  'apiVersion',
  'kind',
  ...[
    'uid',
    'resourceVersion',
    'managedFields',
    'generation',
    'selfLink',
    'creationTimestamp',
    'deletionGracePeriodSeconds',
  ].map((field) => `metadata.${field}`),
  ...['apiVersion', 'kind', 'resourceVersion'].map((field) => `spec.claimRef.${field}`),
  'status.lastPhaseTransitionTime',
]);
/** Of the protection loops, which the built-in manager runs beside the binder. */
const PROTECTION = new Set(['kubernetes.io/pv-protection', 'kubernetes.io/pvc-protection']);
/** What the server writes where nothing is said. */
const DEFAULTS: Readonly<Record<string, string>> = { 'spec.volumeMode': 'Filesystem' };
/** Any time is as good as any other. */
const DELETED_AT = 'metadata.deletionTimestamp';

/** Absent and empty are the same. */
export function fieldsOf(object: object): Fields {
  const fields = new Map<string, string>();
  take(object, '', fields);
  return fields;
}

/** Whether nothing that counts differs. */
export function isSame(a: Fields, b: Fields): boolean {
  return a.size === b.size && [...a].every(([path, value]) => b.get(path) === value);
}

/** Whether each field has a value that it has in one of these versions: on the way from the first to the last of them. */
export function isAmong(fields: Fields, versions: readonly Fields[]): boolean {
  const paths = new Set([...fields.keys(), ...versions.flatMap((version) => [...version.keys()])]);
  return [...paths].every((path) => versions.some((version) => version.get(path) === fields.get(path)));
}

function take(value: unknown, path: string, fields: Map<string, string>): void {
  if (value === undefined || value === null || value === '' || IGNORED.has(path)) return;
  if (DEFAULTS[path] === value) return;
  if (path === 'metadata.finalizers' && Array.isArray(value)) {
    for (const name of value) if (!PROTECTION.has(String(name))) fields.set(`${path}.${name}`, 'true');
  } else if (path === DELETED_AT) fields.set(path, 'true');
  else if (typeof value !== 'object') fields.set(path, JSON.stringify(value));
  else if (Array.isArray(value)) {
    if (value.length > 0) fields.set(path, JSON.stringify(value));
  } else {
    for (const [name, part] of Object.entries(value)) take(part, path === '' ? name : `${path}.${name}`, fields);
  }
}
