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
import { applyPermissions, missingKubectl, recyclerNamespace } from './permissions.ts';
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
  /** Ours: more settings, by environment variable. */
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * Ours: who it is at the API server. Unless given, each part is the function that it is when deployed, and has the
   * rights that infra/kubernetes gives to that one.
   */
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
  /**
   * Ends it, and the controllers beside it; the control plane goes on.
   * @throws Error when the API server has ever said that ours may not do what it asked for.
   */
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
  const namespace = plugins === 'simulated' ? undefined : recyclerNamespace;
  const client = plane.client();
  // Both kinds of plugins make and delete storage of their own.
  await applyPermissions(client, 'enforce', 'in-tree', ...(namespace ? (['recycling/enforce'] as const) : []));
  const config = readConfig({
    PV_MODE: 'enforce',
    PV_BRIDGE_RESYNC_PERIOD_MS: String(syncPeriodMs),
    PV_RECYCLER_NAMESPACE: namespace,
    ...settings,
  });
  const requests: RequestInfo[] = [];
  const forbidden = new Set<string>();
  const others = await plane.startControllerManager({ binder: false, ...withoutLimits });
  const system = await startSystem({
    connection: connectionsTo(plane, identity),
    config,
    plugins: plugins === 'simulated' ? () => [simulatedPlugin] : (cluster) => inTreePlugins(cluster, config, hostDisk),
    onRequest: (info) => {
      requests.push(info);
      if (info.status === 403 && plane.isServing) forbidden.add(`${info.method} ${info.template}`);
    },
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
      if (forbidden.size > 0) throw new Error(`the roles of infra/kubernetes forbid ${[...forbidden].join(', ')}`);
    },
  };
}

function connectionsTo(plane: ControlPlane, identity: string | undefined): SystemOptions['connection'] {
  const as = (name: string) => connectionFromKubeconfig({ file: plane.kubeconfig(name) });
  if (identity !== undefined) return as(identity);
  return { bridge: as('bridge'), volumeWorker: as('volume-worker'), claimWorker: as('claim-worker') };
}

async function startBuiltIn(plane: ControlPlane, options: ControllerOptions): Promise<ControllerUnderTest> {
  const { syncPeriodMs = 1_000 } = options;
  const manager = await plane.startControllerManager({
    binder: true,
    syncPeriod: `${syncPeriodMs}ms`,
    ...withoutLimits,
    extraArgs: ['--enable-hostpath-provisioner=true', ...(options.builtInArgs ?? [])],
  });
  const podNamespace = 'default';
  const look = () => versionsOf(plane.client(), podNamespace);
  const settled = () => untilQuiet(look, restOf(syncPeriodMs * 1.5));
  return {
    kind: 'built-in',
    provisioner: HOST_PATH_PROVISIONER,
    recyclerNamespace: podNamespace,
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
  if (process.env['CI'] === 'true') return undefined;
  const binary = await controlPlaneBinary();
  if ('missing' in binary) return binary.missing;
  const reason = controllerKind === 'ours' ? await missingKubectl() : undefined;
  // The build tells of a missing binary; of this nobody else does.
  if (reason !== undefined) console.warn(`skipped: ${reason}`);
  return reason;
}
