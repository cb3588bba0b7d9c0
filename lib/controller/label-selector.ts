/** Label selectors of claims: matchLabels and matchExpressions, all of which must hold. */
import type { PersistentVolumeClaim } from './types.ts';

type LabelSelector = NonNullable<PersistentVolumeClaim['spec']['selector']>;
type Requirement = NonNullable<LabelSelector['matchExpressions']>[number];
export type LabelPredicate = (labels: Readonly<Record<string, string>>) => boolean;

/**
 * Compiles a selector once for many volumes.
 * @returns undefined when there is no selector (which matches everything).
 * @throws Error when the selector is broken: unknown operator, or values where none or some are needed.
 */
export function compileSelector(selector: LabelSelector | undefined): LabelPredicate | undefined {
  if (selector === undefined || selector === null) return undefined;
  const labels = Object.entries(selector.matchLabels ?? {});
  const expressions = (selector.matchExpressions ?? []).map(compileRequirement);
  if (labels.length === 0 && expressions.length === 0) return undefined;
  return (of) => labels.every(([key, value]) => own(of, key) === value) && expressions.every((holds) => holds(of));
}

function compileRequirement({ key, operator, values = [] }: Requirement): LabelPredicate {
  const wanted = new Set(values);
  switch (operator) {
    case 'In':
      requireValues(key, operator, values, true);
      return (labels) => {
        const value = own(labels, key);
        return value !== undefined && wanted.has(value);
      };
    case 'NotIn':
      requireValues(key, operator, values, true);
      return (labels) => {
        const value = own(labels, key);
        return value === undefined || !wanted.has(value);
      };
    case 'Exists':
      requireValues(key, operator, values, false);
      return (labels) => own(labels, key) !== undefined;
    case 'DoesNotExist':
      requireValues(key, operator, values, false);
      return (labels) => own(labels, key) === undefined;
    default:
      throw new Error(`"${operator}" is not a valid label selector operator`);
  }
}

function requireValues(key: string, operator: string, values: readonly string[], some: boolean): void {
  if (values.length > 0 === some) return;
  throw new Error(
    some
      ? `values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty (key "${key}", ${operator})`
      : `values: Invalid value: [${values.join(' ')}]: values set must be empty for exists and does not exist (key "${key}")`,
  );
}

/** Labels are data: a key such as `constructor` must not find Object.prototype. */
function own(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
