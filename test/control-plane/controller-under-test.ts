/**
 * The controller that a test on a real control plane is about: ours, or with `CONTROLLER=built-in` the real one, so that
 * the same test shows where the two differ.
 */
import { connectionFromKubeconfig } from '../../lib/cluster/kubeconfig.ts';
import type { RequestInfo } from '../../lib/cluster/request.ts';
import { readConfig } from '../../lib/config.ts';
import { inTreePlugins } from '../../lib/plugins/in-tree.ts';
import { hostDisk } from '../../local/host-disk.ts';
import { SIMULATED_PROVISIONER, simulatedPlugin } from '../../local/simulated-plugin.ts';
import { type System, type SystemOptions, startSystem } from '../../local/system.ts';
import { type ControlPlane, controlPlaneBinary } from './harness.ts';
import { changesBetween, restOf, untilQuiet, versionsOf } from './settling.ts';

/** Which controller `CONTROLLER` asks for. */
export const controllerKind: 'ours' | 'built-in' = kindOf(process.env['CONTROLLER']);

/** Why tests on a real control plane are skipped here; never on a pipeline, which must not pass by that. */
export const skipReason: string | undefined = await reasonToSkip();

export interface ControllerOptions {
  /** Between two resyncs; 1,000 unless given. */
  readonly syncPeriodMs?: number;
  /**
   * `simulated` (unless said otherwise): storage that is imagined, as in upstream's integration tests. `in-tree`: hostPath
   * and NFS with recycler pods, and directories below /tmp for hostPath. The built-in controller is always in-tree.
   */
  readonly plugins?: 'simulated' | 'in-tree';
  /** Ours: namespace of the recycler pods, which is made; `pv-recycler-pods` unless given. The built-in has `default`. */
  readonly recyclerNamespace?: string;
  /** Ours: more settings, by environment variable. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Ours: who it is at the API server; `admin` unless given. */
  readonly identity?: string;
  /** Ours: listeners, and everything else of the system. */
  readonly system?: Partial<
    Pick<SystemOptions, 'hooks' | 'bridgeHooks' | 'maximumConcurrency' | 'bridgeSettings' | 'plugins'>
  >;
  /** Built-in: more flags of the controller manager. */
  readonly builtInArgs?: readonly string[];
}

export interface ControllerUnderTest {
  readonly kind: 'ours' | 'built-in';
  /** The in-tree provisioner that storage classes can name. */
  readonly provisioner: string;
  /** Where recycler pods run, for `startFakeKubelet`; undefined where recycling takes no pod. */
  readonly recyclerNamespace: string | undefined;
  /** Ours: the running system. */
  readonly system?: System;
  /** Ours: every request to the API server so far. */
  readonly requests: readonly RequestInfo[];
  /** Waits until it has nothing left to do. */
  settled(): Promise<void>;
  /** Has everything looked at once more, and tells what that has changed: nothing, where all was done already. */
  fullResyncWrites(): Promise<string[]>;
  /** Ends it, and the controllers beside it; the control plane goes on. */
  stop(): Promise<void>;
}

/**
 * Starts it, with the protection and namespace controllers beside it, and waits until it works. What exists by then is
 * dealt with as by any controller that was started late.
 *
 * @example
 * const controller = await startControllerUnderTest(plane);
 * await controller.settled();
 * expect(await controller.fullResyncWrites()).toEqual([]);
 */
export async function startControllerUnderTest(
  plane: ControlPlane,
  options: ControllerOptions = {},
): Promise<ControllerUnderTest> {
  return controllerKind === 'ours' ? await startOurs(plane, options) : await startBuiltIn(plane, options);
}

async function startOurs(plane: ControlPlane, options: ControllerOptions): Promise<ControllerUnderTest> {
  const { syncPeriodMs = 1_000, plugins = 'simulated', settings = {}, identity } = options;
  const namespace = plugins === 'simulated' ? undefined : (options.recyclerNamespace ?? 'pv-recycler-pods');
  const client = plane.client();
  if (namespace !== undefined) await client.request('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const config = readConfig({
    PV_MODE: 'enforce',
    PV_BRIDGE_RESYNC_PERIOD_MS: String(syncPeriodMs),
    PV_RECYCLER_NAMESPACE: namespace,
    ...settings,
  });
  const requests: RequestInfo[] = [];
  const others = await plane.startControllerManager({ binder: false, ...withoutLimits });
  const system = await startSystem({
    connection: connectionFromKubeconfig({ file: plane.kubeconfig(identity) }),
    config,
    plugins: plugins === 'simulated' ? () => [simulatedPlugin] : (cluster) => inTreePlugins(cluster, config, hostDisk),
    onRequest: (info) => requests.push(info),
    onError: (error) => console.error(error),
    ...options.system,
  }).catch(async (error: unknown) => {
    await others.stop();
    throw error;
  });
  await system.bridge.idle();
  const look = () => versionsOf(client, namespace);
  const settled = () => untilQuiet(look, () => system.settled());
  return {
    kind: 'ours',
    provisioner: plugins === 'simulated' ? SIMULATED_PROVISIONER : HOST_PATH_PROVISIONER,
    recyclerNamespace: namespace,
    system,
    requests,
    settled,
    fullResyncWrites: async () => {
      await settled();
      const before = await look();
      const messages = handledBy(system);
      await system.bridge.resyncAll();
      await system.settled();
      const keys = [...before.keys()].filter((object) => !object.startsWith('pod ')).length;
      // Without this, a resync that sent nothing would prove anything.
      if (handledBy(system) < messages + keys) throw new Error(`a full resync did not reach all ${keys} objects`);
      return changesBetween(before, await look());
    },
    stop: async () => {
      await Promise.all([system.stop(), others.stop()]);
    },
  };
}

async function startBuiltIn(plane: ControlPlane, options: ControllerOptions): Promise<ControllerUnderTest> {
  const { syncPeriodMs = 1_000 } = options;
  const manager = await plane.startControllerManager({
    binder: true,
    syncPeriod: `${syncPeriodMs}ms`,
    ...withoutLimits,
    extraArgs: ['--enable-hostpath-provisioner=true', ...(options.builtInArgs ?? [])],
  });
  const recyclerNamespace = 'default';
  const look = () => versionsOf(plane.client(), recyclerNamespace);
  const settled = () => untilQuiet(look, restOf(syncPeriodMs * 1.5));
  return {
    kind: 'built-in',
    provisioner: HOST_PATH_PROVISIONER,
    recyclerNamespace,
    requests: [],
    settled,
    fullResyncWrites: async () => {
      await settled();
      const before = await look();
      await restOf(syncPeriodMs * 2 + 200)();
      return changesBetween(before, await look());
    },
    stop: () => manager.stop(),
  };
}

/** As in upstream's integration tests; by default the protection controllers alone would take seconds for 100 objects. */
const withoutLimits = { qps: 1_000_000, burst: 1_000_000 };
const HOST_PATH_PROVISIONER = 'kubernetes.io/host-path';

function handledBy({ sources }: System): number {
  return sources.PersistentVolume.stats.deleted + sources.PersistentVolumeClaim.stats.deleted;
}

function kindOf(text = 'ours'): 'ours' | 'built-in' {
  if (text === 'ours' || text === 'built-in') return text;
  throw new Error(`CONTROLLER must be ours or built-in, got ${JSON.stringify(text)}`);
}

async function reasonToSkip(): Promise<string | undefined> {
  const binary = await controlPlaneBinary();
  return 'missing' in binary && process.env['CI'] !== 'true' ? binary.missing : undefined;
}
