/** The bridge, on its own. */
import { createBridge } from '../../../lib/worker/create-bridge.ts';
import { Environment } from './environment.ts';
import type { BridgeSettings, Part } from './settings.ts';

/** Resolves when it has listed and looked at everything. */
export async function startBridge({ access, ...common }: BridgeSettings): Promise<Part> {
  const { runtime, sent } = new Environment(access, common);
  const bridge = await createBridge(runtime);
  const stopping = new AbortController();
  const running = bridge.run(stopping.signal);
  await bridge.idle();
  return {
    ready: {},
    sent,
    idle: () => bridge.idle(),
    resync: () => bridge.resyncAll(),
    stop: async () => {
      stopping.abort();
      await running;
      runtime.close();
    },
  };
}
