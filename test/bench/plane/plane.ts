/**
 * The control plane that all contenders share, in turn: each finds the same warm API server and a store that has grown
 * in the same way, and the contenders alternate within a run, so that what drifts meets all of them. A plane for each
 * would need the memory and the start of four processes more, and two of them at a time would fight for two cores.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from '../../../lib/cluster/connection.ts';
import { connectionFromKubeconfig } from '../../../lib/cluster/kubeconfig.ts';
import { type ControlPlane, controlPlaneBinary, startControlPlane } from '../../control-plane/harness.ts';
import { writeKubeconfigs } from '../../control-plane/identities.ts';
import type { ControllerPlace } from '../../control-plane/managed-process.ts';
import { applyPermissions } from '../../control-plane/permissions.ts';
import type { Access } from '../processes/settings.ts';
import { type DelayProxy, startDelayProxy } from './proxy.ts';

/** Who the real controller manager is on a cluster; what it may do, the API server's own bootstrap roles say. */
export const builtInIdentity = 'built-in';
/** The external provisioner of the dynamic claims. */
export const provisionerIdentity = 'provisioner';

const contenders = [builtInIdentity, provisionerIdentity, 'bridge', 'volume-worker', 'claim-worker', 'all-functions'];

/** How contenders reach the API server: directly, or through a proxy that delays each call. */
export interface Route {
  readonly latencyMs: number;
  readonly proxy: DelayProxy | undefined;
  connection(identity: string): Connection;
  /** The same as plain texts, for processes of ours. */
  access(identity: string): Access;
  /** For programs of the control plane's binary. */
  place(name: string, identity: string): ControllerPlace;
  stop(): Promise<void>;
}

/** Starts the plane, with an ordinary identity and its roles for each contender; only the driver is `admin`. */
export async function startBenchPlane(): Promise<ControlPlane> {
  const plane = await startControlPlane({
    // API Priority and Fairness exempts `system:masters`: with it the contenders would not be measured as they are run.
    auth: [{ name: builtInIdentity, user: 'system:kube-controller-manager' }, { name: provisionerIdentity }],
  });
  try {
    const client = plane.client();
    await applyPermissions(client, 'enforce');
    for (const manifest of provisionerRole) {
      const { status, body } = await client.request('POST', manifest.path, manifest.object);
      if (status !== 201) throw new Error(`${manifest.path}: ${status} ${JSON.stringify(body)}`);
    }
    return plane;
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

/** A way to the API server. With `viaProxy` there is a proxy even where nothing is delayed. */
export async function openRoute(plane: ControlPlane, latencyMs: number, viaProxy: boolean): Promise<Route> {
  const proxy = latencyMs > 0 || viaProxy ? await startDelayProxy(plane, latencyMs) : undefined;
  const directory = join(plane.directory, `route-${latencyMs}-${Date.now()}`);
  if (proxy !== undefined) {
    await mkdir(directory);
    const tokens = new Map(contenders.map((name) => [name, plane.token(name)]));
    await writeKubeconfigs(directory, proxy.url, plane.caFile, tokens);
  }
  const kubeconfig = (identity: string) =>
    proxy === undefined ? plane.kubeconfig(identity) : join(directory, 'kubeconfigs', identity);
  const ca = await readFile(plane.caFile, 'utf8');
  const found = await controlPlaneBinary();
  if ('missing' in found) throw new Error(found.missing);
  return {
    latencyMs,
    proxy,
    access: (identity) => ({ server: proxy?.url ?? plane.url, ca, token: plane.token(identity) }),
    connection: (identity) => connectionFromKubeconfig({ file: kubeconfig(identity) }),
    place: (name, identity) => ({
      binary: found.path,
      directory: plane.directory,
      kubeconfig: kubeconfig(identity),
      name: `${name}-${Date.now()}`,
    }),
    stop: async () => await proxy?.stop(),
  };
}

const roles = '/apis/rbac.authorization.k8s.io/v1';
const everything = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
/** As csi-provisioner's own role. */
const provisionerRole = [
  {
    path: `${roles}/clusterroles`,
    object: {
      metadata: { name: 'bench-provisioner' },
      rules: [
        { apiGroups: [''], resources: ['persistentvolumes', 'events'], verbs: everything },
        { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'list', 'watch', 'update'] },
        { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] },
      ],
    },
  },
  {
    path: `${roles}/clusterrolebindings`,
    object: {
      metadata: { name: 'bench-provisioner' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'bench-provisioner' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: provisionerIdentity }],
    },
  },
];
