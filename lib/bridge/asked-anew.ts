/** Whether a claim's user asks for something else now: told why it waits, which no write of ours would bring about. */
import { isDeepStrictEqual } from 'node:util';
import { annotationOf, BIND_COMPLETED, hasAnnotation, SELECTED_NODE } from '../controller/annotations.ts';
import type { PersistentVolumeClaim } from '../controller/types.ts';
import type { Change } from './registry.ts';

/** A claim that still waits, and whose spec or chosen node differs from what it was. */
export function isAskedAnew(change: Change): boolean {
  if (change.kind !== 'PersistentVolumeClaim') return false;
  const [before, after] = [change.before, change.after] as (PersistentVolumeClaim | undefined)[];
  if (before === undefined || after === undefined || hasAnnotation(after, BIND_COMPLETED)) return false;
  const node = (claim: PersistentVolumeClaim) => annotationOf(claim, SELECTED_NODE);
  return node(before) !== node(after) || !isDeepStrictEqual(before.spec, after.spec);
}
