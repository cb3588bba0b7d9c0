import {
  canonicalQuantities,
  dropEmptyFields,
  specOf,
  statusOf,
  validateAccessModes,
  validatePositive,
  validateVolumeMode,
} from './drafts.ts';
import { type FieldError, forbidden, invalid, required } from './errors.ts';
import { type ApiObject, deepEqual, isObject, type JsonObject, objectAt, stringsAt } from './json.ts';
import { parseQuantity } from './quantity.ts';
import type { Rules } from './rules.ts';

/** The annotation that named a claim's class before there was a field for it; where it is set it wins. */
export const betaClassAnnotation = 'volume.beta.kubernetes.io/storage-class';

export const claimRules: Rules = {
  normalize(draft) {
    const spec = specOf(draft);
    // Unlike a volume's, a claim's empty storageClassName means something: no class, and no default either.
    dropEmptyFields(spec, ['accessModes', 'volumeName']);
    spec['volumeMode'] ??= 'Filesystem';
    spec['resources'] ??= {};
    canonicalQuantities(draft.kind, objectAt(spec['resources'])['requests']);
    canonicalQuantities(draft.kind, objectAt(spec['resources'])['limits']);
    const status = statusOf(draft);
    status['phase'] ??= 'Pending';
    canonicalQuantities(draft.kind, status['capacity']);
  },

  create(draft) {
    draft.status = { phase: 'Pending' };
  },

  validate(draft) {
    const spec = objectAt(draft.spec);
    const errors: FieldError[] = [];
    if (stringsAt(spec['accessModes']).length === 0) {
      errors.push(required('spec.accessModes', 'at least 1 access mode is required'));
    }
    errors.push(...validateAccessModes(spec));
    const storage = requestOf(spec);
    if (storage === undefined) errors.push(required('spec.resources[storage]'));
    else errors.push(...validatePositive(storage, 'spec.resources[storage]'));
    errors.push(...validateVolumeMode(spec));
    return errors;
  },

  validateUpdate(draft, old) {
    const errors: FieldError[] = [];
    const spec = objectAt(draft.spec);
    const before = objectAt(old.spec);
    const annotation = draft.metadata.annotations?.[betaClassAnnotation];
    const annotationBefore = old.metadata.annotations?.[betaClassAnnotation];
    const moved = movedFromAnnotation(spec, before, annotation, annotationBefore);
    if (!moved && annotation !== annotationBefore) {
      errors.push(invalid(`metadata.annotations.${betaClassAnnotation}`, annotation ?? '', 'field is immutable'));
    }
    if (!deepEqual(fixedPart(draft, spec, before, moved), fixedPart(old, before, before, moved))) {
      const detail =
        'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
      errors.push(forbidden('spec', detail));
    }
    if (requestedStorage(draft) < requestedStorage(old) && !exceedsCapacity(draft, old)) {
      errors.push(forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'));
    }
    if (spec['volumeMode'] !== before['volumeMode']) {
      errors.push(invalid('volumeMode', spec['volumeMode'], 'field is immutable'));
    }
    return errors;
  },

  validateStatus(draft) {
    return stringsAt(objectAt(draft.spec)['accessModes']).length === 0 ? [required('Spec.accessModes')] : [];
  },
};

/** The part of a spec that an update from `before` must leave alone. */
function fixedPart(claim: ApiObject, spec: JsonObject, before: JsonObject, classMoved: boolean): JsonObject {
  const { volumeName, storageClassName, volumeAttributesClassName, ...rest } = structuredClone(spec);
  const isBound = objectAt(claim.status)['phase'] === 'Bound';
  const requests = objectAt(rest['resources'])['requests'];
  if (isBound && isObject(requests)) delete requests['storage'];
  return {
    ...rest,
    // Each of these may be set once; a class also by moving it from the annotation.
    ...(before['volumeName'] === undefined || volumeName === undefined ? {} : { volumeName }),
    ...(before['storageClassName'] === undefined || storageClassName === undefined || classMoved
      ? {}
      : { storageClassName }),
    ...(isBound || volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
  };
}

function movedFromAnnotation(spec: JsonObject, before: JsonObject, now?: string, earlier?: string): boolean {
  return (
    earlier !== undefined &&
    before['storageClassName'] === undefined &&
    spec['storageClassName'] === earlier &&
    (now === undefined || now === earlier)
  );
}

function exceedsCapacity(draft: ApiObject, old: ApiObject): boolean {
  const capacity = parseQuantity(objectAt(objectAt(old.status)['capacity'])['storage'])?.nanos ?? 0n;
  return requestedStorage(draft) > capacity;
}

/** How much storage a claim asks for, in nanos. */
export function requestedStorage(claim: ApiObject): bigint {
  return parseQuantity(requestOf(objectAt(claim.spec)))?.nanos ?? 0n;
}

function requestOf(spec: JsonObject): unknown {
  return objectAt(objectAt(spec['resources'])['requests'])['storage'];
}
