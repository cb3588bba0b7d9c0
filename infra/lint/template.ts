/** A CloudFormation template as the rules read it. */

/** One resource. */
export interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
  DependsOn?: string | string[];
  [attribute: string]: unknown;
}

export interface Template {
  Resources: Record<string, Resource>;
  Outputs?: Record<string, { Value: unknown; Export?: { Name: unknown } }>;
  Parameters?: Record<string, unknown>;
  [section: string]: unknown;
}

/** What a rule found: the logical id of the resource (or output), and what is wrong with it. */
export interface Finding {
  readonly resource: string;
  readonly says: string;
}

/** One rule over a template. Pure: what it needs besides is given when it is made. */
export interface Rule {
  readonly name: string;
  readonly check: (template: Template) => Finding[];
}

/** The template as CloudFormation sees it: what is `AWS::NoValue` is not there. */
export function withoutNoValue<T>(value: T): T {
  if (Array.isArray(value)) return value.filter((item) => !isNoValue(item)).map(withoutNoValue) as T;
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, child]) => !isNoValue(child));
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutNoValue(child)])) as T;
}

function isNoValue(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (value as { Ref?: unknown }).Ref === 'AWS::NoValue';
}

/** The resources of a type, with their logical ids. */
export function ofType(template: Template, type: string): { id: string; properties: Record<string, unknown> }[] {
  return Object.entries(template.Resources)
    .filter(([, { Type }]) => Type === type)
    .map(([id, { Properties }]) => ({ id, properties: Properties ?? {} }));
}

/** IAM and CloudFormation write a list of one as the one. */
export function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value as T];
}

/** The logical id in `Ref`, or in an `Fn::GetAtt` of that attribute; undefined for anything else. */
export function targetOf(value: unknown, attribute?: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { Ref, 'Fn::GetAtt': getAtt } = value as { Ref?: string; 'Fn::GetAtt'?: string | [string, string] };
  if (Ref !== undefined) return attribute === undefined ? Ref : undefined;
  const [id, name] = typeof getAtt === 'string' ? getAtt.split('.') : (getAtt ?? []);
  return attribute === undefined || attribute === name ? id : undefined;
}

/** Calls `visit` for every value inside, with the key that it stands under. */
export function walk(value: unknown, visit: (key: string, value: unknown) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    visit(key, child);
    walk(child, visit);
  }
}
