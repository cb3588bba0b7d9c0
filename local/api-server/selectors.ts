import { type ApiError, badRequest } from './errors.ts';
import { type ApiObject, isObject } from './json.ts';
import type { Resource } from './resources.ts';

/** Whether an object is among those that a list or watch asked for. */
export type Selector = (object: ApiObject) => boolean;

/** Reads `fieldSelector` and `labelSelector` of a request. */
export function selectorOf(resource: Resource, namespace: string | undefined, query: URLSearchParams): Selector {
  const tests: Selector[] = [];
  if (namespace !== undefined) tests.push((object) => object.metadata.namespace === namespace);
  for (const term of termsOf(query.get('fieldSelector'))) tests.push(fieldTest(resource, term));
  for (const term of termsOf(query.get('labelSelector'))) tests.push(labelTest(term));
  return (object) => tests.every((test) => test(object));
}

/** Splits at commas, except within the parentheses of `in (a,b)`. */
function termsOf(text: string | null): string[] {
  return (text ?? '')
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== '');
}

function fieldTest(resource: Resource, term: string): Selector {
  const [, path = '', operator = '', value = ''] = /^([^!=]+?)\s*(!=|==|=)\s*(.*)$/.exec(term) ?? [];
  if (operator === '') throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  const known = ['metadata.name', ...(resource.namespaced ? ['metadata.namespace'] : []), ...resource.selectableFields];
  if (!known.includes(path)) throw unknownField(resource, path);
  return (object) => (textAt(object, path) === value) === (operator !== '!=');
}

function unknownField(resource: Resource, path: string): ApiError {
  return badRequest(
    resource.selectableFields.length === 0
      ? `"${path}" is not a known field selector: only "metadata.name", "metadata.namespace"`
      : `field label not supported: ${path}`,
  );
}

function textAt(object: ApiObject, path: string): string {
  if (path === 'source' && object.kind === 'Event') return textAt(object, 'source.component');
  let value: unknown = object;
  for (const field of path.split('.')) value = isObject(value) ? value[field] : undefined;
  return value === undefined || value === null ? '' : String(value);
}

function labelTest(term: string): Selector {
  const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(term);
  if (set !== null) {
    const [, key = '', operator, list = ''] = set;
    const values = list.split(',').map((item) => item.trim());
    const isIn = (object: ApiObject) => values.includes(object.metadata.labels?.[key] ?? '\0');
    return (object) => isIn(object) === (operator === 'in');
  }
  const pair = /^([^!=]+?)\s*(!=|==|=)\s*(.*)$/.exec(term);
  if (pair !== null) {
    const [, key = '', operator, value = ''] = pair;
    return (object) => (object.metadata.labels?.[key] === value) === (operator !== '!=');
  }
  const isNegated = term.startsWith('!');
  const key = isNegated ? term.slice(1) : term;
  if (!/^[\w./-]+$/.test(key)) throw badRequest(`unable to parse requirement: ${term}`);
  return (object) => (object.metadata.labels?.[key] !== undefined) !== isNegated;
}
