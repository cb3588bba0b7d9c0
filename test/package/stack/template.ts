/** The compiled CloudFormation template, read as CloudFormation would: what is deployed, not what was meant to be. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

/** What `Ref` and `Fn::GetAtt` of each resource stand for here: by `Name` and by `Name.Attribute`. */
export type Values = Readonly<Record<string, string>>;

export class Template {
  readonly resources: Readonly<Record<string, Resource>>;

  private constructor(resources: Readonly<Record<string, Resource>>) {
    this.resources = resources;
  }

  /** @param directory where the stack was packaged to. */
  static async read(directory: string): Promise<Template> {
    const text = await readFile(join(directory, 'cloudformation-template-update-stack.json'), 'utf8');
    return new Template((JSON.parse(text) as { Resources: Record<string, Resource> }).Resources);
  }

  /** @throws Error when there is no such resource, or it is of another type. */
  get(name: string, type: string): Resource['Properties'] {
    const resource = this.resources[name];
    if (resource?.Type !== type)
      throw new Error(`the template's ${name} is ${resource?.Type ?? 'missing'}, not ${type}`);
    return resource.Properties;
  }

  /** All resources of a type, by name. */
  all(type: string): [string, Resource['Properties']][] {
    return Object.entries(this.resources).flatMap(([name, { Type, Properties }]) =>
      Type === type ? [[name, Properties] as [string, Resource['Properties']]] : [],
    );
  }
}

/**
 * A value with all references in it replaced.
 * @throws Error that names the reference for which `values` has nothing.
 */
export function resolve(value: unknown, values: Values): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, values)).filter((item) => item !== undefined);
  if (typeof value !== 'object' || value === null) return value;
  const [[name, inner] = ['', undefined], ...others] = Object.entries(value);
  // What CloudFormation leaves out.
  if (name === 'Ref' && inner === 'AWS::NoValue') return undefined;
  if (others.length === 0 && name === 'Ref') return known(String(inner), values);
  if (others.length === 0 && name === 'Fn::GetAtt') return known([inner].flat().join('.'), values);
  if (others.length === 0 && name === 'Fn::Sub') return substituted(inner, values);
  if (others.length === 0 && name === 'Fn::Join') return joined(inner, values);
  if (name.startsWith('Fn::')) throw new Error(`${name} is not understood here`);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, values)]));
}

function known(reference: string, values: Values): string {
  const value = values[reference];
  if (value === undefined) throw new Error(`nothing is known of ${reference}`);
  return value;
}

function substituted(inner: unknown, values: Values): string {
  const [text, own] = Array.isArray(inner) ? (inner as [string, Values]) : [String(inner), {}];
  const all = { ...values, ...(resolve(own, values) as Values) };
  return text.replace(/\$\{([^!}][^}]*)\}/g, (_, reference: string) => known(reference, all));
}

function joined(inner: unknown, values: Values): string {
  const [separator, parts] = resolve(inner, values) as [string, string[]];
  return parts.join(separator);
}
