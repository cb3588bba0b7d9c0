/** Reads and merges kubeconfig files as kubectl does, into one document with absolute paths. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { loadYaml } from '@kubernetes/client-node';
import { ConnectionError } from './errors.ts';

/** The parts of a kubeconfig that are used here; everything else passes through unread. */
export interface KubeconfigDocument {
  clusters: { name: string; cluster: Record<string, unknown> }[];
  users: { name: string; user: KubeconfigUser }[];
  contexts: { name: string; context: { cluster?: string; user?: string } }[];
  'current-context'?: string;
}

/** A user's entry as written; only `exec` has a shape that is relied on here. */
export interface KubeconfigUser extends Record<string, unknown> {
  exec?: { command?: string; apiVersion?: string; env?: { name: string; value: string }[] | null };
}

/**
 * The files to read: the given one, else those of `KUBECONFIG`, else `~/.kube/config`.
 * @param environment `process.env` unless given.
 */
export function kubeconfigFiles(file?: string, environment: NodeJS.ProcessEnv = process.env): string[] {
  if (file !== undefined) return [file];
  const listed = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((name) => name !== '');
  return listed.length > 0 ? listed : [join(environment['HOME'] ?? homedir(), '.kube', 'config')];
}

/**
 * Merges files: of two entries with one name the first counts.
 * @throws ConnectionError that names the file, never its content.
 */
export function readKubeconfig(files: readonly string[]): KubeconfigDocument {
  const merged: KubeconfigDocument = { clusters: [], users: [], contexts: [] };
  for (const document of files.map(readFile)) {
    addMissing(merged.clusters, document.clusters);
    addMissing(merged.users, document.users);
    addMissing(merged.contexts, document.contexts);
    merged['current-context'] ||= document['current-context'] ?? '';
  }
  return merged;
}

function readFile(file: string): KubeconfigDocument {
  let document: Partial<KubeconfigDocument> | undefined;
  try {
    document = loadYaml<Partial<KubeconfigDocument>>(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConnectionError(`kubeconfig ${file} ${whyUnreadable(error)}`);
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new ConnectionError(`kubeconfig ${file} is no YAML mapping`);
  }
  const directory = dirname(file);
  const clusters = entries(document.clusters, 'clusters', file).map((entry) => ({
    ...entry,
    cluster: absolute(directory, entry.cluster, ['certificate-authority']),
  }));
  const users = entries(document.users, 'users', file).map((entry) => ({
    ...entry,
    user: userOf(directory, entry.user),
  }));
  const contexts = entries(document.contexts, 'contexts', file).map((entry) => ({
    ...entry,
    context: entry.context ?? {},
  }));
  return { ...document, clusters, users, contexts };
}

/** The parser's own text quotes the file, which holds secrets. */
function whyUnreadable(error: unknown): string {
  const { code, mark } = error as { code?: string; mark?: { line?: number } };
  if (code === 'ENOENT') return 'does not exist';
  if (code !== undefined) return `cannot be read (${code})`;
  return `is no valid YAML${mark?.line === undefined ? '' : ` (line ${mark.line + 1})`}`;
}

/** client-node knows neither `tokenFile` nor commands relative to the file. */
function userOf(directory: string, user: KubeconfigUser | undefined): KubeconfigUser {
  const { tokenFile, ...rest } = absolute(directory, user, ['client-certificate', 'client-key', 'tokenFile']);
  const exec = (rest as KubeconfigUser).exec;
  if (typeof exec?.command === 'string' && exec.command.includes('/'))
    rest['exec'] = absolute(directory, exec, ['command']);
  if (typeof tokenFile !== 'string' || tokenFile === '') return rest;
  // As kubectl: where both are given, the file counts.
  delete rest['token'];
  return { ...rest, 'auth-provider': { name: 'tokenFile', config: { tokenFile } } };
}

function absolute(directory: string, from: object | undefined, fields: readonly string[]): Record<string, unknown> {
  const copy: Record<string, unknown> = { ...from };
  for (const field of fields) {
    const path = copy[field];
    if (typeof path === 'string' && path !== '' && !isAbsolute(path)) copy[field] = join(directory, path);
  }
  return copy;
}

function entries<T extends { name: string }>(list: (T | null)[] | null | undefined, field: string, file: string): T[] {
  const found = Array.isArray(list) ? list : [];
  for (const [index, entry] of found.entries()) {
    if (entry?.name !== undefined && entry.name !== null) continue;
    throw new ConnectionError(`kubeconfig ${file}: entry ${index + 1} of ${field} is empty or has no name`);
  }
  return found as T[];
}

function addMissing<T extends { name: string }>(to: T[], from: readonly T[]): void {
  for (const entry of from) {
    if (!to.some(({ name }) => name === entry.name)) to.push(entry);
  }
}
