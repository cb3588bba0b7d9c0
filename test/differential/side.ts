/** A control plane with a controller on it: one of the two that a play is compared on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { connectionFromKubeconfig } from '../../lib/cluster/kubeconfig.ts';
import { readConfig } from '../../lib/config.ts';
import { inTreePlugins } from '../../lib/plugins/in-tree.ts';
import { hostDisk } from '../../local/host-disk.ts';
import { startSystem } from '../../local/system.ts';
import { type FakeKubelet, startFakeKubelet } from '../control-plane/fake-kubelet.ts';
import { type ApiClient, type ControlPlane, startControlPlane } from '../control-plane/harness.ts';
import { applyPermissions, recyclerNamespace } from '../control-plane/permissions.ts';
import { untilQuiet, versionsOf } from '../control-plane/settling.ts';
import { NODE } from './names.ts';
import { Workqueues } from './workqueues.ts';

export interface Side {
  readonly kind: 'built-in' | 'ours';
  readonly client: ApiClient;
  /** Waits until the controller has looked at everything once more, and has written nothing. */
  quiet(): Promise<void>;
  stop(): Promise<void>;
}

/** As in upstream's integration tests: with the default limits the built-in would be waited for. */
const WITHOUT_LIMITS = { qps: 1_000_000, burst: 1_000_000 };
/** Our workers are not waited for any longer: a key that keeps failing stays queued. */
const FAILING_AFTER_MS = 1_500;
const HIDDEN_STEPS_MS = 50;

/** Starts the built-in controller on a plane of its own. */
export async function startBuiltIn(syncPeriodMs: number): Promise<Side> {
  const plane = await openPlane();
  try {
    const manager = await plane.startControllerManager({
      binder: true,
      syncPeriod: `${syncPeriodMs}ms`,
      ...WITHOUT_LIMITS,
      extraArgs: ['--enable-hostpath-provisioner=true', '--authorization-always-allow-paths=/healthz,/metrics'],
    });
    const queues = await Workqueues.of(manager, plane.directory);
    const rest = async () => queues.pass(() => counted(plane), syncPeriodMs);
    return side('built-in', plane, 'default', () => queues.idle(), rest);
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

/** Starts the whole of our system on a plane of its own, with the protection and namespace controllers beside it. */
export async function startOurs(syncPeriodMs: number): Promise<Side> {
  const plane = await openPlane();
  try {
    await applyPermissions(plane.client(), 'enforce', 'in-tree', 'recycling/enforce');
    await plane.startControllerManager({ binder: false, ...WITHOUT_LIMITS });
    const config = readConfig({
      PV_MODE: 'enforce',
      PV_BRIDGE_RESYNC_PERIOD_MS: String(syncPeriodMs),
      PV_RECYCLER_NAMESPACE: recyclerNamespace,
    });
    const as = (name: string) => connectionFromKubeconfig({ file: plane.kubeconfig(name) });
    const system = await startSystem({
      connection: { bridge: as('bridge'), volumeWorker: as('volume-worker'), claimWorker: as('claim-worker') },
      config,
      plugins: (cluster) => inTreePlugins(cluster, config, hostDisk),
      // An event about what is in a namespace that goes is refused; the built-in's are, too.
      onError: (error) => String(error).includes('is being terminated') || console.error(error),
    });
    await system.bridge.idle();
    let settling: Promise<void> | undefined;
    const idle = async () => {
      settling ??= system.settled().finally(() => {
        settling = undefined;
      });
      await Promise.race([settling, sleep(FAILING_AFTER_MS)]);
    };
    const rest = () => Promise.all([idle(), sleep(syncPeriodMs + HIDDEN_STEPS_MS)]);
    const made = side('ours', plane, recyclerNamespace, idle, rest);
    return {
      ...made,
      stop: async () => {
        await system.stop();
        await made.stop();
      },
    };
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

async function openPlane(): Promise<ControlPlane> {
  // Unlike in other tests the protection finalizers are on: users meet them.
  const plane = await startControlPlane({ disableAdmission: ['ServiceAccount'] });
  await plane.client().request('POST', '/api/v1/nodes', { metadata: { name: NODE } });
  return plane;
}

/**
 * @param idle resolves when nothing is left to do at once: most of the waiting for quiet is over then.
 * @param rest resolves when everything has been looked at once more.
 */
function side(
  kind: Side['kind'],
  plane: ControlPlane,
  podNamespace: string,
  idle: () => Promise<unknown>,
  rest: () => Promise<unknown>,
): Side {
  const client = plane.client();
  const kubelet: FakeKubelet = startFakeKubelet(client, podNamespace);
  const look = () => versionsOf(client, podNamespace);
  return {
    kind,
    client,
    quiet: async () => {
      await idle();
      await untilQuiet(look, rest);
    },
    stop: async () => {
      await kubelet.stop();
      await plane.stop();
    },
  };
}

async function counted(plane: ControlPlane): Promise<{ volumes: number; claims: number }> {
  const objects = [...(await versionsOf(plane.client())).keys()];
  const volumes = objects.filter((object) => object.startsWith('volume ')).length;
  return { volumes, claims: objects.length - volumes };
}
