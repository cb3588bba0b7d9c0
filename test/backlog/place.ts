/** Where the backlog is drained: the local API server, or with `BACKLOG_ON=control-plane` a real control plane. */
import { ApiServerCluster } from '../../lib/cluster/api-server.ts';
import type { Connection } from '../../lib/cluster/connection.ts';
import { connectionFromKubeconfig } from '../../lib/cluster/kubeconfig.ts';
import type { SyncKey } from '../../lib/controller/types.ts';
import { startApiServer } from '../../local/api-server/server.ts';
import { startControlPlane } from '../control-plane/harness.ts';
import { applyPermissions } from '../control-plane/permissions.ts';

export interface Place {
  readonly name: string;
  /** For the test's own requests. */
  readonly cluster: ApiServerCluster;
  /** For a worker of that kind, with its rights. */
  readonly connection: (kind: SyncKey['kind']) => Connection;
  /** What the server says of the priority level that the workers' calls are in: lines of its metrics. */
  readonly flowControl: () => Promise<readonly string[]>;
  stop(): Promise<void>;
}

export async function startPlace(): Promise<Place> {
  const where = process.env['BACKLOG_ON'] ?? 'local';
  if (where === 'local') return await startLocal();
  if (where === 'control-plane') return await startReal();
  throw new Error(`BACKLOG_ON must be local or control-plane, got ${JSON.stringify(where)}`);
}

async function startLocal(): Promise<Place> {
  const server = await startApiServer();
  const cluster = new ApiServerCluster({ server: server.url });
  return {
    name: 'the local API server',
    cluster,
    connection: () => ({ server: server.url }),
    flowControl: async () => [],
    stop: async () => {
      cluster.close();
      await server.stop();
    },
  };
}

async function startReal(): Promise<Place> {
  const plane = await startControlPlane();
  await applyPermissions(plane.client(), 'enforce');
  // Removes the finalizers of deleted claims.
  await plane.startControllerManager({ binder: false, qps: 1_000_000, burst: 1_000_000 });
  const cluster = new ApiServerCluster(connectionFromKubeconfig({ file: plane.kubeconfig() }));
  const of = { PersistentVolume: 'volume-worker', PersistentVolumeClaim: 'claim-worker' };
  return {
    name: 'a real control plane',
    cluster,
    connection: (kind) => connectionFromKubeconfig({ file: plane.kubeconfig(of[kind]) }),
    flowControl: async () => {
      const { body } = await plane.client().request('GET', '/metrics');
      return String(body)
        .split('\n')
        .filter(
          (line) =>
            /^apiserver_flowcontrol_(nominal_limit_seats|rejected_requests_total|dispatched_requests_total|request_execution_seconds_(sum|count)|request_wait_duration_seconds_(sum|count))\{/.test(
              line,
            ) && line.includes('global-default'),
        );
    },
    stop: async () => {
      cluster.close();
      await plane.stop();
    },
  };
}
