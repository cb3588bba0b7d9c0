import type { FieldError } from './errors.ts';
import type { ApiObject } from './json.ts';
import { claimRules } from './rules-claim.ts';
import { classRules } from './rules-class.ts';
import { eventRules, namespaceRules, nodeRules, podRules } from './rules-other.ts';
import { volumeRules } from './rules-volume.ts';

/** What the server adds to, keeps of and refuses about objects of one kind. All of it works on drafts. */
export interface Rules {
  /** Fills in the defaults and brings the draft to the form in which the server would give it back. */
  normalize(draft: ApiObject): void;
  /** Sets the status of a new object. */
  create?(draft: ApiObject, now: string): void;
  /** Adjusts a status update after the spec has been put back. */
  updateStatus?(draft: ApiObject, old: ApiObject, now: string): void;
  validate(draft: ApiObject): FieldError[];
  validateUpdate?(draft: ApiObject, old: ApiObject): FieldError[];
  validateStatus?(draft: ApiObject): FieldError[];
}

const rules: Readonly<Record<string, Rules>> = {
  Event: eventRules,
  Namespace: namespaceRules,
  Node: nodeRules,
  PersistentVolume: volumeRules,
  PersistentVolumeClaim: claimRules,
  Pod: podRules,
  StorageClass: classRules,
};

/** The rules of a kind. */
export function rulesOf(kind: string): Rules {
  const found = rules[kind];
  if (found === undefined) throw new Error(`the local API server has no rules for ${kind}`);
  return found;
}
