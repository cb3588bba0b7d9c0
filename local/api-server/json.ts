/** Kubernetes objects as plain JSON: the server treats them as trees and knows only the fields that its rules name. */

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [field: string]: Json;
}

/** The metadata that the server itself reads or writes. */
export interface Metadata {
  name: string;
  namespace?: string;
  generateName?: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: JsonObject[];
}

/** An object of any kind. Stored ones are frozen: whoever wants to change one starts from a clone. */
export interface ApiObject {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
  spec?: JsonObject;
  status?: JsonObject;
  [field: string]: unknown;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object, or an empty one: rules read absent and malformed branches alike. */
export function objectAt(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The value as a list of strings, or an empty one. */
export function stringsAt(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Structural equality that ignores the order of fields. A missing field differs from a null one. */
export function deepEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => deepEqual(item, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const fields = Object.keys(left).filter((field) => left[field] !== undefined);
  const others = Object.keys(right).filter((field) => right[field] !== undefined);
  return fields.length === others.length && fields.every((field) => deepEqual(left[field], right[field]));
}

/** Freezes a tree. Branches that are frozen already are shared with an older version and need no second walk. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) deepFreeze(item);
  return value;
}

const encoded = new WeakMap<ApiObject, string>();

/** The JSON of a stored object. It is kept, since lists and watches send the same version many times. */
export function encode(object: ApiObject): string {
  let text = encoded.get(object);
  if (text === undefined) {
    text = JSON.stringify(object);
    encoded.set(object, text);
  }
  return text;
}
