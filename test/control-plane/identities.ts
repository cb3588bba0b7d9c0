import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Somebody whom the API server knows by a bearer token. What such a user may do, RBAC objects say. */
export interface Identity {
  /** What tests call it, for example `bridge`. */
  readonly name: string;
  /** Random unless given. */
  readonly token?: string;
  /** The user's name at the API server; `name` unless given. */
  readonly user?: string;
  /** `user` unless given. */
  readonly uid?: string;
  readonly groups?: readonly string[];
}

/** Always there; `system:masters` may do everything. */
export const admin = 'admin';

const functionNames = ['volume-worker', 'claim-worker', 'bridge', 'resync'] as const;

/** A deployed function, which the API server knows by the group that an access entry gives to its role. */
export type FunctionName = (typeof functionNames)[number];

const groupOf = (name: FunctionName) => `pv-controller:${name}`;

/** One program that is all of the functions, as `npm start` is. */
export const allFunctions = 'all-functions';

/** Always there too. They may do what the manifests of infra/kubernetes say, once those are applied. */
const builtIn: readonly Identity[] = [
  { name: admin, groups: ['system:masters'] },
  ...functionNames.map((name) => ({ name, groups: [groupOf(name)] })),
  { name: allFunctions, groups: functionNames.map(groupOf) },
];

/** Tokens by the identity's name. */
export type Tokens = ReadonlyMap<string, string>;

/** Writes the file that the API server reads its tokens from. */
export async function writeTokens(
  directory: string,
  identities: readonly Identity[],
): Promise<{ readonly file: string; readonly tokens: Tokens }> {
  const tokens = new Map<string, string>();
  const lines: string[] = [];
  const everybody: readonly Identity[] = [...builtIn, ...identities];
  for (const { name, token = randomBytes(16).toString('hex'), user = name, uid = user, groups = [] } of everybody) {
    if (tokens.has(name)) throw new Error(`two identities are called ${name}`);
    tokens.set(name, token);
    lines.push([token, user, uid, `"${groups.join(',')}"`].join(','));
  }
  const file = join(directory, 'tokens.csv');
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  return { file, tokens };
}

/** Makes the key that signs service account tokens; the API server does not start without one. */
export async function writeServiceAccountKey(directory: string): Promise<string> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const file = join(directory, 'service-account.key');
  await writeFile(file, privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 });
  return file;
}

/** Writes a kubeconfig for each identity: `kubeconfigs/<name>` below the directory. */
export async function writeKubeconfigs(directory: string, url: string, caFile: string, tokens: Tokens): Promise<void> {
  await mkdir(join(directory, 'kubeconfigs'));
  for (const [name, token] of tokens) {
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority': caFile } }],
      users: [{ name, user: { token } }],
      contexts: [{ name, context: { cluster: 'test', user: name } }],
      'current-context': name,
    };
    // JSON is YAML too.
    await writeFile(kubeconfigFile(directory, name), `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  }
}

/** Where an identity's kubeconfig is. */
export function kubeconfigFile(directory: string, identity: string): string {
  return join(directory, 'kubeconfigs', identity);
}
