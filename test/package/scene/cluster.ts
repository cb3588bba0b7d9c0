/** A cluster as EKS runs one: a real API server that knows the functions by their AWS keys, and gives them their rights. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FakeKubelet, startFakeKubelet } from '../../control-plane/fake-kubelet.ts';
import { type ApiClient, type ControlPlane, startControlPlane } from '../../control-plane/harness.ts';
import { applyPermissions, recyclerNamespace } from '../../control-plane/permissions.ts';
import { type Authenticator, type Principal, startAuthenticator } from '../aws/authenticator.ts';
import { type Eks, startEks } from '../aws/eks.ts';
import type { ClusterIdentity } from '../aws/token.ts';

export interface EksCluster {
  /** `admin`, to arrange objects and to look at them. */
  readonly client: ApiClient;
  readonly authenticator: Authenticator;
  readonly eks: Eks;
  /** What DescribeCluster tells, as variables for functions that are not to ask. */
  readonly address: { readonly PV_CLUSTER_ENDPOINT: string; readonly PV_CLUSTER_CA: string };
  /** The node of the recycler pods. */
  readonly kubelet: FakeKubelet;
  /** A folder that lives as long as the cluster. */
  readonly directory: string;
  /** A folder in it for what is printed. */
  readonly logs: string;
  /** PEM of the key that signed the API server's certificate. */
  readonly caKey: string;
  stop(): Promise<void>;
}

/** @param principals who may log in, and with which groups. */
export async function startEksCluster(
  identity: ClusterIdentity,
  principals: readonly Principal[],
): Promise<EksCluster> {
  const directory = await mkdtemp(join(tmpdir(), 'pv-package-'));
  const logs = join(directory, 'logs');
  await mkdir(logs);
  const authenticator = await startAuthenticator(identity, principals, join(directory, 'authenticator.json'));
  const plane = await startControlPlane({
    apiServerArgs: authenticator.apiServerArgs,
    disableAdmission: ['ServiceAccount'],
  });
  try {
    return await furnish(plane, { identity, principals, authenticator, directory, logs });
  } catch (error) {
    await plane.stop();
    await authenticator.close();
    throw error;
  }
}

async function furnish(
  plane: ControlPlane,
  given: Pick<EksCluster, 'authenticator' | 'directory' | 'logs'> & {
    readonly identity: ClusterIdentity;
    readonly principals: readonly Principal[];
  },
): Promise<EksCluster> {
  const { identity, principals, authenticator, directory, logs } = given;
  await plane.startControllerManager({ binder: false });
  const client = plane.client();
  await applyPermissions(client, 'enforce', 'recycling/enforce');
  const certificateAuthority = (await readFile(plane.caFile)).toString('base64');
  const eks = await startEks(identity, { endpoint: plane.url, certificateAuthority }, principals);
  const kubelet = startFakeKubelet(client, recyclerNamespace);
  return {
    client,
    authenticator,
    eks,
    address: { PV_CLUSTER_ENDPOINT: plane.url, PV_CLUSTER_CA: certificateAuthority },
    kubelet,
    directory,
    logs,
    caKey: await readFile(join(plane.directory, 'certificates', 'apiserver.key'), 'utf8'),
    async stop() {
      await kubelet.stop();
      await plane.stop();
      await Promise.all([authenticator.close(), eks.close()]);
      if (!process.env['CONTROL_PLANE_KEEP']) await rm(directory, { recursive: true, force: true });
    },
  };
}
