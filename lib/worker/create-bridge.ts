/** The bridge of an environment. Apart from `Runtime`, so that the workers' bundles do without it. */
import { Bridge } from '../bridge/bridge.ts';
import type { BridgeHooks } from '../bridge/ports.ts';
import type { BridgeSettings } from '../bridge/settings.ts';
import * as predicates from '../controller/needs-sync.ts';
import { PluginRegistry } from '../controller/plugins.ts';
import type { SyncRules } from '../controller/ports.ts';
import { volumeOfRecyclerPod } from '../plugins/recycler-pod.ts';
import type { Runtime } from './runtime.ts';

/**
 * A bridge over an environment's API server and queues, not yet running.
 * @throws ClusterError when the server's version cannot be read.
 */
export async function createBridge(
  runtime: Runtime,
  hooks: BridgeHooks = {},
  settings: Partial<BridgeSettings> = {},
): Promise<Bridge> {
  const { config, cluster, producer } = runtime;
  const rules: SyncRules = { ...(await runtime.rules()), plugins: new PluginRegistry(runtime.plugins(cluster)) };
  return new Bridge({
    source: cluster,
    sender: producer,
    predicates,
    rules,
    settings: {
      recyclerNamespace: config.recyclerNamespace || undefined,
      echoWindowMs: config.echoWindowMs,
      wakeCount: config.wakeCount,
      resyncPeriodMs: config.resyncPeriodMs,
      sweepPeriodMs: config.sweepPeriodMs,
      ...settings,
    },
    volumeOfPod: volumeOfRecyclerPod,
    hooks,
  });
}
