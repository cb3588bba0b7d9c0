/** Where the backlog is drained: the local API server, or with `BACKLOG_ON=control-plane` a real control plane. */
import { ApiServerCluster } from '../../lib/cluster/api-server.ts';
import type { Connection } from '../../lib/cluster/connection.ts';
import { connectionFromKubeconfig } from '../../lib/cluster/kubeconfig.ts';
import type { SyncKey } from '../../lib/controller/types.ts';
import { startApiServer } from '../../local/api-server/server.ts';
import { startControlPlane } from '../control-plane/harness.ts';
import { eventually } from '../control-plane/objects.ts';
import { applyPermissions } from '../control-plane/permissions.ts';
import { type Levels, levelsIn } from './flow-control.ts';
import { NEIGHBOUR, type Neighbour, startNeighbour } from './neighbour.ts';

export interface Place {
  readonly name: string;
  /** For the test's own requests. */
  readonly cluster: ApiServerCluster;
  /** For a worker of that kind, with its rights. */
  readonly connection: (kind: SyncKey['kind']) => Connection;
  /** Absent on the local API server, which has neither priorities nor other users. */
  readonly others?: Others;
  stop(): Promise<void>;
}

/** Who else is on the API server, and what that says of everybody. */
export interface Others {
  readonly neighbour: Neighbour;
  /** The priority level of the workers' calls: their own, or with `BACKLOG_FLOW_CONTROL=shared` that of most users. */
  readonly level: 'pv-controller' | 'global-default';
  readonly levels: () => Promise<Levels>;
}

/** Thousands of objects are made at once, on a machine that may be busy with more. */
const PATIENT = { requestTimeoutMs: 60_000 };

export async function startPlace(): Promise<Place> {
  const where = process.env['BACKLOG_ON'] ?? 'local';
  if (where === 'local') return await startLocal();
  if (where === 'control-plane') return await startReal();
  throw new Error(`BACKLOG_ON must be local or control-plane, got ${JSON.stringify(where)}`);
}

async function startLocal(): Promise<Place> {
  const server = await startApiServer();
  const cluster = new ApiServerCluster({ server: server.url }, PATIENT);
  return {
    name: 'the local API server',
    cluster,
    connection: () => ({ server: server.url }),
    stop: async () => {
      cluster.close();
      await server.stop();
    },
  };
}

async function startReal(): Promise<Place> {
  const plane = await startControlPlane({ auth: [NEIGHBOUR] });
  const admin = plane.client();
  await applyPermissions(admin, 'enforce');
  const level = levelOfWorkers();
  if (level === 'pv-controller') await applyPermissions(admin, 'flow-control');
  const levels = async () => levelsIn(String((await admin.request('GET', '/metrics')).body));
  await eventually(`the priority level ${level}`, async () => (await levels()).has(level));
  // Removes the finalizers of deleted claims.
  await plane.startControllerManager({ binder: false, qps: 1_000_000, burst: 1_000_000 });
  const neighbour = await startNeighbour(plane);
  const cluster = new ApiServerCluster(connectionFromKubeconfig({ file: plane.kubeconfig() }), PATIENT);
  const of = { PersistentVolume: 'volume-worker', PersistentVolumeClaim: 'claim-worker' };
  return {
    name: `a real control plane, our calls in the priority level ${level}`,
    cluster,
    connection: (kind) => connectionFromKubeconfig({ file: plane.kubeconfig(of[kind]) }),
    others: { neighbour, level, levels },
    stop: async () => {
      await neighbour.stop();
      cluster.close();
      await plane.stop();
    },
  };
}

function levelOfWorkers(): Others['level'] {
  const given = process.env['BACKLOG_FLOW_CONTROL'] ?? 'own';
  if (given === 'own') return 'pv-controller';
  if (given === 'shared') return 'global-default';
  throw new Error(`BACKLOG_FLOW_CONTROL must be own or shared, got ${JSON.stringify(given)}`);
}
