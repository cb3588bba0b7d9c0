/** The real controller manager with nothing but its binder. */

import { startControllerManager } from '../../control-plane/controller-manager.ts';
import type { ControlPlane, ManagedProcess } from '../../control-plane/harness.ts';
import { Workqueues } from '../../differential/workqueues.ts';
import { builtInIdentity, type Route } from '../plane/plane.ts';
import type { Contender, RunningContender } from './contender.ts';

/** 20 calls per second, and 30 at once: five binds a second. */
const mostWithLimits = 100;

/** As it comes: its own client limits, and its own resync of 15 seconds. */
export const builtInAsItComes: Contender = {
  name: 'built-in',
  kind: 'built-in',
  about: 'kube-controller-manager, the binder alone, default client limits (20 calls per second)',
  mostObjects: mostWithLimits,
  start: (plane, route) => start(plane, route, {}),
};

export const builtInUnlimited: Contender = {
  name: 'built-in-unlimited',
  kind: 'built-in',
  about: 'kube-controller-manager, the binder alone, client limits lifted (--kube-api-qps, --kube-api-burst)',
  start: (plane, route) => start(plane, route, { qps: 1_000_000, burst: 1_000_000 }),
};

async function start(
  plane: ControlPlane,
  route: Route,
  limits: { readonly qps?: number; readonly burst?: number },
): Promise<RunningContender> {
  const place = { ...route.place('kube-controller-manager', builtInIdentity), versionArgs: [] };
  const manager: ManagedProcess = await startControllerManager(place, {
    binder: true,
    // Without the finalizers that they take away they have nothing to do, and would only blur the figures.
    protection: false,
    namespaces: false,
    ...limits,
    extraArgs: [
      // Each controller is a service account of its own, as distributions run it; so the binder has the binder's role.
      '--use-service-account-credentials=true',
      '--authorization-always-allow-paths=/healthz,/metrics',
    ],
  });
  const queues = await Workqueues.of(manager, plane.directory);
  // It is healthy before it has started its controllers.
  await manager.untilReady(async () => {
    await queues.idle();
    return true;
  });
  return {
    pids: { controller: manager.pid },
    messages: async () => undefined,
    settled: () => queues.idle(),
    pause: () => void manager.kill('SIGSTOP'),
    resume: () => void manager.kill('SIGCONT'),
    stop: () => manager.stop(),
  };
}
