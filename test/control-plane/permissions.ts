/** The manifests of infra/kubernetes on a control plane: rendered by kubectl, applied as they are. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { ApiClient } from './harness.ts';

/** A folder of infra/kubernetes with a kustomization. */
export type Part = 'observe' | 'enforce' | 'recycling/observe' | 'recycling/enforce' | 'in-tree' | 'flow-control';

export const manifestsFolder = fileURLToPath(new URL('../../infra/kubernetes', import.meta.url));

/** Namespace of recycler pods in the manifests. */
export const recyclerNamespace = 'pv-recycler';

/** As much of a manifest as is looked at here. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

export interface RoleManifest extends Manifest {
  readonly kind: 'ClusterRole' | 'Role';
  readonly rules: readonly Rule[];
}

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Only these objects, where given. */
  readonly resourceNames?: readonly string[];
}

export function isRole(manifest: Manifest): manifest is RoleManifest {
  return manifest.kind === 'ClusterRole' || manifest.kind === 'Role';
}

/** Runs kubectl. @throws Error with what it said, or that it is not there. */
export async function kubectl(...args: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)('kubectl', args)).stdout;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw code === 'ENOENT'
      ? new Error('kubectl, which renders the manifests, is not installed', { cause })
      : new Error(message, { cause });
  }
}

/** Why nothing can be rendered here; undefined where kubectl works. */
export async function missingKubectl(): Promise<string | undefined> {
  try {
    await kubectl('version', '--client');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The objects that `kubectl apply -k infra/kubernetes/<part>` would apply, in its order. */
export async function rendered(part: string): Promise<Manifest[]> {
  const text = await kubectl('kustomize', `${manifestsFolder}/${part}`);
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

/** Gives the functions the rights of these parts; what is there already is brought to this state. */
export async function applyPermissions(client: ApiClient, ...parts: readonly Part[]): Promise<void> {
  for (const part of parts) for (const manifest of await rendered(part)) await applyManifest(client, manifest);
}

/** Creates the object, or puts this one in its place. @throws Error with the API server's own words. */
export async function applyManifest(client: ApiClient, manifest: Manifest): Promise<void> {
  const collection = collectionOf(manifest);
  const created = await client.request('POST', collection, manifest);
  if (created.status === 201) return;
  const path = `${collection}/${encodeURIComponent(manifest.metadata.name)}`;
  const { status, body } = created.status === 409 ? await client.request('PUT', path, manifest) : created;
  if (status !== 200) throw new Error(`${manifest.kind} ${manifest.metadata.name}: ${status} ${JSON.stringify(body)}`);
}

const plurals: Readonly<Record<string, string>> = { NetworkPolicy: 'networkpolicies' };

function collectionOf({ apiVersion, kind, metadata: { namespace } }: Manifest): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const plural = plurals[kind] ?? `${kind.toLowerCase()}s`;
  return namespace === undefined ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`;
}
