/**
 * A connection from a kubeconfig, for the local run, the CLI and the bridge. It loads client-node (1.9 MB), so nothing in
 * the Lambda's hot path may import it.
 */
import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { type Cluster, KubeConfig, type User } from '@kubernetes/client-node';
import { messageOf } from '../controller/errors.ts';
import { type Connection, endpointOf, type TokenSource } from './connection.ts';
import { ConnectionError } from './errors.ts';
import { type KubeconfigDocument, kubeconfigFiles, readKubeconfig } from './kubeconfig-files.ts';

/** Which file and which context, as kubectl's flags of these names. */
export interface KubeconfigOptions {
  /** Default: the files of `KUBECONFIG`, else `~/.kube/config`. */
  readonly file?: string;
  /** Default: the file's current context. */
  readonly context?: string;
}

/**
 * Understands contexts, inline data and files, tokens, token files (read again every minute) and exec plugins (run again
 * when their token expires or is refused).
 * Not supported, and refused rather than ignored: proxy-url, basic authentication, impersonation.
 * @throws ConnectionError that names file, context or field; never a secret.
 */
export function connectionFromKubeconfig(options: KubeconfigOptions = {}): Connection {
  const files = kubeconfigFiles(options.file);
  const where = `kubeconfig ${files.join(', ')}`;
  try {
    return connectionIn(configOf(readKubeconfig(files), where), options.context, where);
  } catch (error) {
    if (error instanceof ConnectionError) throw error;
    // A list where a text belongs, or the like; the error's own words might quote it.
    throw new ConnectionError(`${where} has a field of the wrong type`);
  }
}

function connectionIn(config: KubeConfig, context: string | undefined, where: string): Connection {
  const { cluster, user } = chosen(config, context, where);
  refuseUnsupported(cluster, user, where);
  const ca = pem(cluster.caData, cluster.caFile, 'certificate-authority', where);
  const clientCertificate = pem(user?.certData, user?.certFile, 'client-certificate', where);
  const clientKey = pem(user?.keyData, user?.keyFile, 'client-key', where);
  const token = user === null ? undefined : tokenOf(user);
  const connection: Connection = {
    server: cluster.server,
    ...(ca === undefined ? {} : { ca }),
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
    ...(clientKey === undefined ? {} : { clientKey }),
    ...(token === undefined ? {} : { token }),
    ...(cluster.tlsServerName ? { tlsServerName: cluster.tlsServerName } : {}),
    ...(cluster.skipTLSVerify ? { insecureSkipTlsVerify: true } : {}),
  };
  endpointOf(connection);
  return connection;
}

function configOf(document: KubeconfigDocument, where: string): KubeConfig {
  const config = new KubeConfig();
  try {
    config.loadFromString(JSON.stringify(document));
  } catch (error) {
    throw new ConnectionError(`${where}: ${messageOf(error)}`);
  }
  return config;
}

function chosen(
  config: KubeConfig,
  wanted: string | undefined,
  where: string,
): { cluster: Cluster; user: User | null } {
  const available = config.getContexts().map(({ name }) => name);
  const list = available.length === 0 ? 'it has none' : `it has ${available.join(', ')}`;
  const name = wanted ?? config.getCurrentContext();
  if (!name) throw new ConnectionError(`${where} has no current context: name one (${list})`);
  const context = config.getContextObject(name);
  if (context === null) throw new ConnectionError(`${where} has no context ${JSON.stringify(name)}: ${list}`);
  const cluster = config.getCluster(context.cluster);
  if (cluster === null) {
    throw new ConnectionError(
      `${where}: context ${name} names cluster ${JSON.stringify(context.cluster)}, which is not there`,
    );
  }
  const user = context.user ? config.getUser(context.user) : null;
  if (context.user && user === null) {
    throw new ConnectionError(
      `${where}: context ${name} names user ${JSON.stringify(context.user)}, which is not there`,
    );
  }
  return { cluster, user };
}

function refuseUnsupported(cluster: Cluster, user: User | null, where: string): void {
  const unsupported = [
    ['proxy-url', cluster.proxyUrl, `cluster ${cluster.name}`],
    ['username', user?.username, `user ${user?.name}`],
    ['as', user?.impersonateUser, `user ${user?.name}`],
  ].find(([, value]) => value);
  if (unsupported === undefined) return;
  throw new ConnectionError(`${where}: ${unsupported[0]} of ${unsupported[2]} is not supported`);
}

/** As kubectl: inline data wins over a file. */
function pem(data: string | undefined, file: string | undefined, field: string, where: string): string | undefined {
  if (data) return Buffer.from(data, 'base64').toString('utf8');
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConnectionError(`${where}: ${field} ${file} cannot be read (${(error as { code?: string }).code})`);
  }
}

function tokenOf(user: User): TokenSource | undefined {
  const { token, exec, authProvider } = user;
  // As kubectl: a token in the file counts, and no plugin is run.
  if (token) return async () => token;
  if (!exec && !authProvider) return undefined;
  let config = authenticatorOf(user);
  let running: Promise<string> | undefined;
  return async (renew = false) => {
    // A new KubeConfig has an empty cache.
    if (renew) config = authenticatorOf(user);
    if (renew || running === undefined) running = authorize(config, user).finally(() => (running = undefined));
    return await running;
  };
}

/** client-node's authenticators, taken alone: the server of this config is never called. */
function authenticatorOf(user: User): KubeConfig {
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: 'unused', server: 'https://unused.invalid', skipTLSVerify: false },
    withExecInfo(user),
  );
  return config;
}

async function authorize(config: KubeConfig, user: User): Promise<string> {
  const options: RequestOptions = { headers: {} };
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    throw new ConnectionError(`user ${user.name} of the kubeconfig got no token: ${withoutSecrets(error)}`);
  }
  const { Authorization: header } = options.headers as Record<string, unknown>;
  const token = typeof header === 'string' ? /^Bearer\s+(.+)$/s.exec(header)?.[1] : undefined;
  if (token === undefined) {
    throw new ConnectionError(
      `user ${user.name} of the kubeconfig got no token (plugins that give certificates are not supported)`,
    );
  }
  return token.trim();
}

/** Exec plugins may ask which version of the protocol is spoken; client-node does not say. */
function withExecInfo(user: User): User {
  if (!user.exec) return user;
  const apiVersion = user.exec.apiVersion ?? 'client.authentication.k8s.io/v1';
  const value = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec: { interactive: false } });
  return { ...user, exec: { ...user.exec, env: [...(user.exec.env ?? []), { name: 'KUBERNETES_EXEC_INFO', value }] } };
}

/** A plugin's stderr is worth showing; what it printed on stdout is a secret, and a JSON error quotes it. */
function withoutSecrets(error: unknown): string {
  if (error instanceof SyntaxError) return 'its plugin printed no valid JSON';
  // Node's own errors about arguments quote their values.
  const { code = '' } = error as { code?: string };
  if (code.startsWith('ERR_')) return `its command, arguments or environment cannot be used (${code})`;
  const text = messageOf(error)
    .trim()
    .replace(/-----BEGIN .*/s, '…');
  // Cut last: the first half of a token would look like a word.
  return text
    .replace(/(k8s-aws-v1\.|eyJ)[\w.-]+/g, '…')
    .replace(/[\w+/=-]{60,}/g, '…')
    .slice(0, 500);
}
