/** A reader over plain arrays, for tests. */
import type { ObjectKey } from '../../controller/types.ts';
import type { DiagnosisKinds, DiagnosisReader } from '../finding.ts';

/** Objects by kind. */
export type Objects = { readonly [K in keyof DiagnosisKinds]?: readonly DiagnosisKinds[K][] };

/** @param objects kinds that are left out are empty. */
export function arrayReader(objects: Objects): DiagnosisReader {
  const all = <K extends keyof DiagnosisKinds>(kind: K) => (objects[kind] ?? []) as readonly DiagnosisKinds[K][];
  return {
    get: async (kind, key: ObjectKey) =>
      all(kind).find(({ metadata }) => metadata.name === key.name && metadata.namespace === key.namespace),
    list: async (kind, options = {}) =>
      all(kind).filter(({ metadata }) => options.namespace === undefined || metadata.namespace === options.namespace),
  };
}
