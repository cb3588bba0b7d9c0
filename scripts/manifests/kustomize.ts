/**
 * The little of kustomize that infra/kubernetes uses, so that manifests are made on machines without kubectl too. What it
 * does not know is an error, and a test holds it against the real one.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as YAML from 'yaml';

/** An object of Kubernetes, as far as it is looked into here. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  [field: string]: unknown;
}

interface Kustomization {
  readonly apiVersion: string;
  readonly kind: 'Kustomization' | 'Component';
  readonly namespace?: string;
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly patches?: readonly { path: string; target: { kind: string; name: string } }[];
  readonly labels?: readonly { pairs: Readonly<Record<string, string>> }[];
}

interface PatchOperation {
  readonly op: string;
  readonly path: string;
  readonly value: unknown;
}

const KNOWN = new Set(['apiVersion', 'kind', 'namespace', 'resources', 'components', 'patches', 'labels']);
/** Of the kinds in infra/kubernetes; all others are in a namespace. */
const CLUSTER_SCOPED = new Set(['ClusterRole', 'ClusterRoleBinding']);

/**
 * The objects of a folder with a kustomization.yaml.
 * @param components folders of components that are laid on top.
 * @throws Error when it uses a feature that is not known here.
 */
export function kustomize(directory: string, components: readonly string[] = []): Manifest[] {
  return components.reduce((objects, component) => build(component, objects), build(directory, []));
}

/** Puts objects into a namespace; a Namespace among them gets its name. */
export function inNamespace(objects: readonly Manifest[], namespace: string): Manifest[] {
  for (const { kind, metadata } of objects) {
    if (kind === 'Namespace') metadata.name = namespace;
    else if (!CLUSTER_SCOPED.has(kind)) metadata.namespace = namespace;
  }
  return [...objects];
}

/** One text for `kubectl apply -f`, which reads YAML 1.1: `off` there is a boolean unless it is quoted. */
export function manifestText(objects: readonly Manifest[]): string {
  const options = { version: '1.1', aliasDuplicateObjects: false, lineWidth: 0 } as const;
  return objects.map((object) => YAML.stringify(object, options)).join('---\n');
}

/** @param inherited the objects that a component works on. */
function build(directory: string, inherited: readonly Manifest[]): Manifest[] {
  const kustomization = YAML.parse(readFileSync(join(directory, 'kustomization.yaml'), 'utf8')) as Kustomization;
  const { namespace, resources = [], components = [], patches = [], labels = [] } = kustomization;
  const unknown = Object.keys(kustomization).find((field) => !KNOWN.has(field));
  if (unknown !== undefined) throw new Error(`${directory}/kustomization.yaml: ${unknown} is not known here`);
  let objects = [...inherited, ...resources.flatMap((resource) => read(join(directory, resource)))];
  for (const component of components) objects = build(join(directory, component), objects);
  for (const { path, target } of patches) {
    const found = objects.filter(({ kind, metadata }) => kind === target.kind && metadata.name === target.name);
    if (found.length === 0) throw new Error(`${directory}/${path}: there is no ${target.kind} ${target.name}`);
    const operations = YAML.parse(readFileSync(join(directory, path), 'utf8')) as PatchOperation[];
    for (const object of found) for (const operation of operations) add(object, operation);
  }
  for (const { pairs, ...others } of labels) {
    if (Object.keys(others).length > 0)
      throw new Error(`${directory}: labels with ${Object.keys(others)} are not known here`);
    for (const { metadata } of objects) metadata.labels = { ...metadata.labels, ...pairs };
  }
  return namespace === undefined ? objects : inNamespace(objects, namespace);
}

function read(path: string): Manifest[] {
  if (statSync(path).isDirectory()) return build(path, []);
  return YAML.parseAllDocuments(readFileSync(path, 'utf8')).map((document) => document.toJS() as Manifest);
}

/** A JSON patch's `add`, whose parents exist; `-` is the end of a list. */
function add(object: Manifest, { op, path, value }: PatchOperation): void {
  if (op !== 'add') throw new Error(`patch ${op} ${path} is not known here`);
  const names = path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = names.pop() ?? '';
  let parent = object as Record<string, unknown> | unknown[];
  for (const name of names) parent = (parent as Record<string, Record<string, unknown>>)[name] ?? {};
  if (Array.isArray(parent) && last === '-') parent.push(structuredClone(value));
  else if (Array.isArray(parent)) throw new Error(`patch ${op} ${path} is not known here`);
  else parent[last] = structuredClone(value);
}
