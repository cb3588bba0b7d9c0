/** Stands in for EKS's authenticator: a webhook that tells the real API server who a token is, by its signature. */
import { writeFile } from 'node:fs/promises';
import { startJsonServer } from './server.ts';
import type { AccessKey } from './sigv4.ts';
import { type ClusterIdentity, whoSigned } from './token.ts';

/** Whom an access key belongs to, and what an access entry makes of it in Kubernetes. */
export interface Principal extends AccessKey {
  readonly username: string;
  readonly groups: readonly string[];
}

export interface Authenticator {
  /** Flags of the API server that make it ask here. */
  readonly apiServerArgs: readonly string[];
  /** Users whose tokens were good, by name. */
  readonly accepted: ReadonlySet<string>;
  /** Why tokens were refused. */
  readonly refusals: readonly string[];
  close(): Promise<void>;
}

/**
 * @param principals may grow: it is read at each token.
 * @param kubeconfig where to write the file that tells the API server where this is.
 */
export async function startAuthenticator(
  cluster: ClusterIdentity,
  principals: readonly Principal[],
  kubeconfig: string,
): Promise<Authenticator> {
  const accepted = new Set<string>();
  const refusals: string[] = [];
  const review = (token: string) => {
    try {
      const { username, groups } = whoSigned(token, principals, cluster);
      accepted.add(username);
      return { authenticated: true, user: { username, uid: username, groups } };
    } catch (error) {
      refusals.push((error as Error).message);
      return { authenticated: false, error: (error as Error).message };
    }
  };
  const server = await startJsonServer((_request, body) => {
    const { apiVersion, kind, spec } = JSON.parse(body) as Record<string, unknown> & { spec: { token: string } };
    return { status: 200, body: { apiVersion, kind, status: review(spec.token) } };
  });
  await writeFile(kubeconfig, JSON.stringify(kubeconfigOf(server.url)));
  return {
    apiServerArgs: [
      `--authentication-token-webhook-config-file=${kubeconfig}`,
      '--authentication-token-webhook-version=v1',
      '--authentication-token-webhook-cache-ttl=2s',
    ],
    accepted,
    refusals,
    close: () => server.close(),
  };
}

function kubeconfigOf(server: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'authenticator', cluster: { server } }],
    users: [{ name: 'api-server', user: {} }],
    contexts: [{ name: 'webhook', context: { cluster: 'authenticator', user: 'api-server' } }],
    'current-context': 'webhook',
  };
}
