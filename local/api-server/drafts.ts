/** Helpers of the rules: they change drafts, never stored objects. */
import { badRequest, type FieldError, forbidden, invalid, notSupported } from './errors.ts';
import { type ApiObject, isObject, type JsonObject, stringsAt } from './json.ts';
import { dropEmpty } from './metadata.ts';
import { canonicalQuantity, parseQuantity, quantityFormatMessage } from './quantity.ts';

/** Removes the branches named by `fields` where they say nothing. */
export function dropEmptyFields(object: JsonObject, fields: readonly string[]): void {
  for (const field of fields) {
    const value = object[field];
    if (value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)) {
      delete object[field];
    }
  }
}

/** Rewrites each quantity of a map (capacity, requests) to its canonical form. */
export function canonicalQuantities(kind: string, map: unknown): void {
  if (!isObject(map)) return;
  for (const [resource, quantity] of Object.entries(map)) {
    if (parseQuantity(quantity) === undefined) {
      throw badRequest(`${kind} in version "v1" cannot be handled as a ${kind}: ${quantityFormatMessage}`);
    }
    map[resource] = canonicalQuantity(quantity);
  }
}

/** The spec of a draft, made if it is missing, without fields that are empty. */
export function specOf(draft: ApiObject): JsonObject {
  draft.spec ??= {};
  return draft.spec;
}

/** The status of a draft, made if it is missing, without fields that are empty. */
export function statusOf(draft: ApiObject): JsonObject {
  draft.status = dropEmpty(draft.status ?? {});
  return draft.status;
}

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** Checks the access modes of a volume or a claim; that there is one is checked by the caller. */
export function validateAccessModes(spec: JsonObject): FieldError[] {
  const modes = stringsAt(spec['accessModes']);
  const errors = modes
    .filter((mode) => !accessModes.includes(mode))
    .map((mode) => notSupported('spec.accessModes', mode, accessModes));
  if (modes.includes('ReadWriteOncePod') && modes.some((mode) => mode !== 'ReadWriteOncePod')) {
    errors.push(forbidden('spec.accessModes', 'may not use ReadWriteOncePod with other access modes'));
  }
  return errors;
}

const volumeModes = ['Block', 'Filesystem'];

/** Checks the volume mode of a volume or a claim. */
export function validateVolumeMode(spec: JsonObject): FieldError[] {
  const mode = spec['volumeMode'];
  return volumeModes.includes(String(mode)) ? [] : [notSupported('spec.volumeMode', mode, volumeModes)];
}

/** Checks that a quantity is more than zero. */
export function validatePositive(value: unknown, field: string): FieldError[] {
  const nanos = parseQuantity(value)?.nanos ?? 0n;
  return nanos > 0n ? [] : [invalid(field, value, 'must be greater than zero')];
}
