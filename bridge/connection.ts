/** Which API server the container follows, and as whom. */
import type { AwsCredentials } from '../lib/cluster/aws-signer.ts';
import { type Connection, endpointOf } from '../lib/cluster/connection.ts';
import { eksTokenSource } from '../lib/cluster/eks-token.ts';
import { ConnectionError } from '../lib/cluster/errors.ts';
import { connectionInCluster } from '../lib/cluster/in-cluster.ts';
import { type Config, ConfigError, requireSettings } from '../lib/config.ts';

/**
 * The cluster of this pod, by its service account. With PV_CLUSTER_ENDPOINT set, that cluster by an EKS token instead: for
 * a container that runs elsewhere.
 * @param serviceAccount where the service account is mounted, if not where Kubernetes does.
 * @throws ConfigError when this is no pod and no cluster is named; ConnectionError when the named one's fields are wrong.
 */
export function connectionOf(
  config: Config,
  credentials: AwsCredentials,
  environment: NodeJS.ProcessEnv,
  serviceAccount?: string,
): Connection {
  const { clusterEndpoint: server, clusterCa, clusterName, region } = config;
  if (server === '') return inCluster(serviceAccount, environment);
  requireSettings(config, 'clusterName');
  const connection: Connection = {
    server,
    ...(clusterCa !== '' && { ca: Buffer.from(clusterCa, 'base64').toString('utf8') }),
    token: eksTokenSource({ clusterName, region, credentials }),
  };
  endpointOf(connection);
  return connection;
}

function inCluster(serviceAccount: string | undefined, environment: NodeJS.ProcessEnv): Connection {
  try {
    return connectionInCluster(serviceAccount, environment);
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    throw new ConfigError(
      `${error.message}. Outside of a pod set PV_CLUSTER_ENDPOINT, PV_CLUSTER_CA and PV_CLUSTER_NAME; ` +
        'in one, automountServiceAccountToken must be true',
    );
  }
}
