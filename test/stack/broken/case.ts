/** What the broken templates are written with. */

// Templates are taken apart without types here: a wrong path throws, and the test fails.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Loose = any;
/** Breaks the resource's properties, or anything else of the template. */
type Break = (properties: Loose, template: Loose) => void;

/** The rule that must see it, the resource that it must name, and a part of what it must say. */
export type Case = readonly [rule: string, resource: string, message: string, change: Break];

const statements = (properties: Loose): Loose[] => properties.PolicyDocument.Statement;
const statement = (properties: Loose, sid: string) => statements(properties).find(({ Sid }) => Sid === sid);
/** The statement of a role's inline policy. */
export const inline = (properties: Loose, name: string) =>
  properties.Policies.find((policy: Loose) => policy?.PolicyName === name).PolicyDocument.Statement[0];

export function policyOf(template: Loose, queue: string, sid: string): Loose {
  return statement(template.Resources[`${queue}Access`].Properties, sid);
}

export function queuesOf(template: Loose, owner: string): Loose[] {
  return statements(template.Resources[`${owner}QueuePolicy`].Properties);
}

export function trustOf(properties: Loose): Loose {
  return properties.AssumeRolePolicyDocument.Statement[0];
}
