import { randomInt, randomUUID } from 'node:crypto';
import { type ApiError, badRequest } from './errors.ts';
import { type ApiObject, isObject, type JsonObject, type Metadata, objectAt } from './json.ts';
import { apiVersionOf, type Resource } from './resources.ts';

/** Without vowels and look-alikes, so that no words come out. */
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const longestBase = 63 - suffixLength;

/** The time as metadata writes it: seconds, UTC. */
export function timestamp(now: Date): string {
  return `${now.toISOString().slice(0, 19)}Z`;
}

/** Checks that a body is of the kind that its URL says; returns a draft, which shares nothing with the body. */
export function readBody(resource: Resource, given: unknown): ApiObject {
  const body = dropNulls(structuredClone(given));
  if (!isObject(body)) throw unrecognized(resource, 'json parse error: the body must be one JSON object');
  const expected = apiVersionOf(resource);
  const { kind = resource.kind, apiVersion = expected } = body;
  if (apiVersion !== expected) {
    throw badRequest(`${kind} in version "${apiVersion}" cannot be handled as a ${resource.kind}`);
  }
  if (kind !== resource.kind) {
    throw badRequest(`${kind} in version "${apiVersion}" cannot be handled as a ${resource.kind}: unknown conversion`);
  }
  const metadata = dropEmpty(objectAt(body['metadata']));
  // Ownership of fields (server-side apply) is not kept here, and selfLink is long gone.
  delete metadata['managedFields'];
  delete metadata['selfLink'];
  return { ...body, apiVersion: expected, kind: resource.kind, metadata: metadata as unknown as Metadata };
}

/** A body that is no object of Kubernetes. */
export function unrecognized(resource: Resource, why: string): ApiError {
  return badRequest(
    `the object provided is unrecognized (must be of type ${resource.kind}): couldn't get version/kind; ${why}`,
  );
}

/** A field that is null is a field that is not there. */
function dropNulls<T>(value: T): T {
  if (Array.isArray(value)) value.forEach(dropNulls);
  else if (isObject(value)) {
    for (const [field, item] of Object.entries(value)) {
      if (item === null) delete value[field];
      else dropNulls(item);
    }
  }
  return value;
}

/** Removes fields that say nothing (`""`, `[]`, `{}`), as a server with typed fields does. */
export function dropEmpty(object: JsonObject): JsonObject {
  for (const [field, value] of Object.entries(object)) {
    const isEmpty = value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
    if (isEmpty) delete object[field];
  }
  return object;
}

/** The metadata that a new object starts with. What a client says about uid and times is not for it to say. */
export function stampNew(metadata: Metadata, namespace: string | undefined, now: Date): Metadata {
  const { deletionTimestamp: _, deletionGracePeriodSeconds: __, ...rest } = metadata;
  const name = metadata.name || (metadata.generateName ? generateName(metadata.generateName) : '');
  return {
    ...rest,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid: randomUUID(),
    creationTimestamp: timestamp(now),
  } as Metadata;
}

function generateName(base: string): string {
  const letters = Array.from({ length: suffixLength }, () => suffixAlphabet[randomInt(suffixAlphabet.length)]);
  return base.slice(0, longestBase) + letters.join('');
}

/** What an update can never change is taken from the stored object. */
export function keepSystemFields(next: Metadata, old: Metadata): Metadata {
  return {
    ...next,
    uid: next.uid || old.uid,
    creationTimestamp: old.creationTimestamp,
    ...(old.deletionTimestamp === undefined ? {} : { deletionTimestamp: old.deletionTimestamp }),
    ...(old.deletionGracePeriodSeconds === undefined || next.deletionGracePeriodSeconds !== undefined
      ? {}
      : { deletionGracePeriodSeconds: old.deletionGracePeriodSeconds }),
  };
}
