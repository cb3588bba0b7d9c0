/** Whether a node can reach a volume, by the volume's node affinity (as the scheduler reads node selectors). */
import type { Node, PersistentVolume } from '../controller/types.ts';

type Required = NonNullable<NonNullable<PersistentVolume['spec']['nodeAffinity']>['required']>;
type Term = Required['nodeSelectorTerms'][number];
type Requirement = NonNullable<Term['matchExpressions']>[number];

/** True where the volume asks for nothing; else a node must satisfy one of its terms. */
export function isReachableFrom(node: Node, volume: PersistentVolume): boolean {
  const terms = volume.spec.nodeAffinity?.required?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => satisfies(node, term));
}

/** What it asks for, in words: `kubernetes.io/hostname in (node-1)`. */
export function affinityText(volume: PersistentVolume): string {
  const terms = volume.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return terms.map((term) => requirementsOf(term).map(requirementText).join(' and ')).join(', or ');
}

function satisfies({ metadata }: Node, { matchExpressions = [], matchFields = [] }: Term): boolean {
  // A term that asks for nothing matches no node.
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => holds(metadata.labels?.[requirement.key], requirement)) &&
    matchFields.every((requirement) => holds(metadata.name, requirement))
  );
}

function holds(value: string | undefined, { operator, values = [] }: Requirement): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return Number.parseInt(value ?? '', 10) > Number.parseInt(values[0] ?? '', 10);
    case 'Lt':
      return Number.parseInt(value ?? '', 10) < Number.parseInt(values[0] ?? '', 10);
    default:
      // An operator that is newer than this: nothing is said against the node.
      return true;
  }
}

function requirementsOf({ matchExpressions = [], matchFields = [] }: Term): Requirement[] {
  return [...matchExpressions, ...matchFields];
}

function requirementText({ key, operator, values = [] }: Requirement): string {
  return [key, operator.toLowerCase(), values.length === 0 ? '' : `(${values.join(', ')})`].filter(Boolean).join(' ');
}
