/** What names, finalizers, labels and annotations may look like, and how they may change. */
import { type FieldError, forbidden, invalid, required } from './errors.ts';
import { deepEqual, type Metadata, stringsAt } from './json.ts';
import type { Resource } from './resources.ts';

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = new RegExp(`^${label}(\\.${label})*$`);
const labelOnly = new RegExp(`^${label}$`);
const qualifiedName = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)$/;

const subdomainMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelMessage =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " +
  "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

const nameMessage =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/** Validates names, finalizers, labels and annotations of a new state. */
export function validateMetadata(resource: Resource, metadata: Metadata): FieldError[] {
  const errors: FieldError[] = [];
  const { name } = metadata;
  if (!name) errors.push(required('metadata.name', 'name or generateName is required'));
  else errors.push(...validateName(resource, name));
  for (const [field, keys] of [
    ['metadata.labels', Object.keys(metadata.labels ?? {})],
    ['metadata.annotations', Object.keys(metadata.annotations ?? {}).map((key) => key.toLowerCase())],
    ['metadata.finalizers', stringsAt(metadata.finalizers)],
  ] as const) {
    for (const key of keys) {
      if (!qualifiedName.test(key)) errors.push(invalid(field, key, nameMessage));
    }
  }
  errors.push(...validateFinalizers(stringsAt(metadata.finalizers)));
  return errors;
}

/** Finalizers without a domain belong to Kubernetes itself. */
const standardFinalizers = ['kubernetes', 'orphan', 'foregroundDeletion'];

function validateFinalizers(finalizers: readonly string[]): FieldError[] {
  const detail = 'name is neither a standard finalizer name nor is it fully qualified';
  return finalizers.flatMap((finalizer, index) =>
    finalizer.includes('/') || standardFinalizers.includes(finalizer)
      ? []
      : [invalid(`metadata.finalizers[${index}]`, finalizer, detail)],
  );
}

function validateName(resource: Resource, name: string): FieldError[] {
  const [rule, longest, message] =
    resource.kind === 'Namespace'
      ? ([labelOnly, 63, labelMessage] as const)
      : ([subdomain, 253, subdomainMessage] as const);
  if (name.length > longest) return [invalid('metadata.name', name, `must be no more than ${longest} bytes`)];
  return rule.test(name) ? [] : [invalid('metadata.name', name, message)];
}

const immutableFields = ['name', 'namespace', 'uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

/** Validates what an update may do to metadata. */
export function validateMetadataUpdate(next: Metadata, old: Metadata): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) {
    const added = stringsAt(next.finalizers).filter((finalizer) => !stringsAt(old.finalizers).includes(finalizer));
    if (added.length > 0) {
      const list = added.toSorted().map((finalizer) => JSON.stringify(finalizer));
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list.join(', ')}}`;
      errors.push(forbidden('metadata.finalizers', detail));
    }
  }
  for (const field of immutableFields) {
    if (!deepEqual(next[field], old[field]))
      errors.push(invalid(`metadata.${field}`, next[field], 'field is immutable'));
  }
  return errors;
}
