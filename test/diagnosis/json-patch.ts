/** JSON patch (RFC 6902), as far as cures use it; the local API server takes merge patches only. */
import { isDeepStrictEqual } from 'node:util';

export type JsonObject = { [field: string]: unknown };

export interface PatchOperation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

/** @throws Error when a test does not hold, or a path leads nowhere: then nothing of the patch is done. */
export function jsonPatched(object: JsonObject, operations: readonly PatchOperation[]): JsonObject {
  const patched = structuredClone(object);
  for (const { op, path, value } of operations) {
    const steps = path
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = steps.pop() ?? '';
    const parent = steps.reduce<unknown>((at, step) => (at as JsonObject | undefined)?.[step], patched);
    if (typeof parent !== 'object' || parent === null) throw new Error(`${path}: there is no parent`);
    const holder = parent as JsonObject;
    if (op !== 'add' && !Object.hasOwn(holder, last)) throw new Error(`${op} ${path}: it is not there`);
    if (op === 'test') {
      if (!isDeepStrictEqual(holder[last], value)) throw new Error(`test ${path}: it is ${holder[last]}`);
    } else if (op === 'remove') {
      if (Array.isArray(parent)) parent.splice(Number(last), 1);
      else delete holder[last];
    } else if (op === 'add' || op === 'replace') holder[last] = value;
    else throw new Error(`${op} is no operation that a cure has`);
  }
  return patched;
}
