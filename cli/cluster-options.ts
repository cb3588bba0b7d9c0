/** Which cluster: the options that every command shares, and the connection that they name. */
import { existsSync } from 'node:fs';
import type { Connection } from '../lib/cluster/connection.ts';
import { connectionInCluster } from '../lib/cluster/in-cluster.ts';
import { type Options, textOf, type Values } from './options.ts';

export const CLUSTER_OPTIONS: Options = {
  kubeconfig: {
    type: 'string',
    value: 'FILE',
    help: 'default: KUBECONFIG, else ~/.kube/config, else the pod it runs in',
  },
  context: { type: 'string', value: 'NAME', help: 'a context of that file; default: its current one' },
};

/**
 * As kubectl: what the options name, else the files of KUBECONFIG or of the home directory, else the service account of
 * the pod that this runs in.
 * @throws ConnectionError when there is none, or it is bad.
 */
export async function connectionFrom(values: Values, env: NodeJS.ProcessEnv): Promise<Connection> {
  const file = textOf(values, 'kubeconfig');
  const context = textOf(values, 'context');
  // Loaded late: client-node takes longer to load than all the rest, and --help needs none of it.
  const { kubeconfigFiles } = await import('../lib/cluster/kubeconfig-files.ts');
  const isNamed = file !== undefined || context !== undefined;
  const isInPod = Boolean(env['KUBERNETES_SERVICE_HOST']);
  if (!isNamed && isInPod && !kubeconfigFiles(undefined, env).some(existsSync)) {
    return connectionInCluster(undefined, env);
  }
  const { connectionFromKubeconfig } = await import('../lib/cluster/kubeconfig.ts');
  return connectionFromKubeconfig({
    ...(file !== undefined && { file }),
    ...(context !== undefined && { context }),
  });
}
