import { type ApiObject, isObject, type Json, type JsonObject } from './json.ts';

/** Applies a JSON merge patch (RFC 7386): null removes, objects merge, everything else replaces. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete result[field];
    else result[field] = mergePatch(result[field], value);
  }
  return result;
}

/** The object that a patch makes of `old`. */
export function patched(old: ApiObject, patch: Json): Json {
  return mergePatch(old as unknown as Json, patch);
}
